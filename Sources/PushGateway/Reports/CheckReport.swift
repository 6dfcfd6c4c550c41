/// One check of a push at the door.
public struct CheckReport: Codable, Sendable, Equatable {
  public var check: String
  public var passed: Bool
  public var detail: String?

  public init(check: String, passed: Bool, detail: String? = nil) {
    self.check = check
    self.passed = passed
    self.detail = detail
  }
}
