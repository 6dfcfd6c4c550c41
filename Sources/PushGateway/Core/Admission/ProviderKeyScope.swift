/// What Apple made a provider key for (Apple: Establishing a token-based connection to APNs).
public enum ProviderKeyScope: String, CaseIterable, Sendable {
  /// All topics of its team.
  case team
  /// The topics that it lists. A connection that begins with such a key stays with it, or with a related one.
  case topics
}
