package import TokenStore

/// What of the decisions is kept for `explain`.
package struct ExplainRules: Hashable, Sendable, BitwiseCopyable {
  /// Whether those about production registrations are kept too; development ones always are.
  package var production: Bool
  /// How many at most; the oldest go first. 0 keeps none at all.
  package var decisions: Int
  /// For how long at most; milliseconds.
  package var retention: Int64

  package init(production: Bool = false, decisions: Int = 100_000, retention: Int64 = 7 * 86_400_000) {
    self.production = production
    self.decisions = decisions
    self.retention = retention
  }

  /// Whether what is decided about registrations of `environment` is kept.
  @inline(__always)
  package func keeps(_ environment: GatewayEnvironment) -> Bool {
    decisions > 0 && (environment == .development || production)
  }
}
