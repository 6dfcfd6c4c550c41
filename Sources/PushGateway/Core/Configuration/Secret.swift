/// A value that must not reach a log, a report or an error: it prints as `<secret>` whatever asks.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself. Read it where it is used and nowhere else.
  public let revealed: Value

  public init(_ value: Value) { revealed = value }

  public var description: String { "<secret>" }
  public var debugDescription: String { "<secret>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
