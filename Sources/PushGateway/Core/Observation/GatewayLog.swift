/// Where the gateway says what a human would want to know: one line an event.
///
/// Tokens, keys and JWTs never reach it in clear; whoever writes a field makes sure of that.
public protocol GatewayLog: Sendable {
  func record(_ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)])

  /// Whether a line of this level would be written; for those to whom its fields cost something.
  func isRecording(_ level: GatewayConfiguration.LogLevel) -> Bool
}

extension GatewayLog {
  public func isRecording(_ level: GatewayConfiguration.LogLevel) -> Bool { true }

  public func debug(_ message: String, _ fields: (LogKey, String)...) { record(.debug, message, fields) }
  public func info(_ message: String, _ fields: (LogKey, String)...) { record(.info, message, fields) }
  public func warning(_ message: String, _ fields: (LogKey, String)...) { record(.warning, message, fields) }
  public func error(_ message: String, _ fields: (LogKey, String)...) { record(.error, message, fields) }
}

/// Says nothing; for tests and for those who embed the gateway.
public struct SilentLog: GatewayLog {
  public init() {}
  public func record(_ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)]) {}
  public func isRecording(_ level: GatewayConfiguration.LogLevel) -> Bool { false }
}
