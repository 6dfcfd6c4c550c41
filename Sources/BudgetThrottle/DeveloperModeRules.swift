/// What developer mode may do here, as the operator configured it.
public struct DeveloperModeRules: Hashable, Sendable {
  /// false: nobody can switch it on, and grants that stand have no effect.
  public var allowed = true
  /// The longest grant, milliseconds.
  public var longest: Int64 = 8 * 3_600_000
  /// Whether a device may switch itself on with its own key.
  public var deviceSwitch = true

  public init() {}
}
