/// Some registrations, in no order; `GET /v1/registrations`. What registers or leaves between two pages may be missing or
/// come twice.
public struct RegistrationPage: Codable, Sendable, Equatable {
  public var registrations: [RegistrationSummary]
  /// What to pass as `after` for the rest; nil when this is the end.
  public var next: String?

  public init(registrations: [RegistrationSummary], next: String? = nil) {
    self.registrations = registrations
    self.next = next
  }
}
