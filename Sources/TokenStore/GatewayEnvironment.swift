/// Which of the two worlds a registration, a key and a provider listener belong to. They never mix.
public enum GatewayEnvironment: String, CaseIterable, Sendable, Codable {
  case development, production
}
