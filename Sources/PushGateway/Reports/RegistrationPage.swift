/// Some registrations, in the order in which they came; `GET /v1/registrations`. A page may be
/// shorter than asked for, and even empty, while `next` says that there is more.
public struct RegistrationPage: Codable, Sendable, Equatable {
  public var registrations: [RegistrationSummary]
  /// What to pass as `after` for the rest; nil when this is the end.
  public var next: String?

  public init(registrations: [RegistrationSummary], next: String? = nil) {
    self.registrations = registrations
    self.next = next
  }
}
