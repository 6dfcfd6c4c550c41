package import BudgetThrottle
package import TokenStore

/// Looking without touching.
extension Ledger {
  /// One widget's budget as it stands.
  package struct BudgetPeek: Sendable {
    package var policy: BudgetPolicy
    /// Whole tokens.
    package var remaining: Int
    /// When the next token will be there; nil when full.
    package var next: LedgerTime?
    /// The earliest instant at which a refresh would be charged; nil when that is now, or nothing is withheld.
    package var admits: LedgerTime?
  }

  /// Budgets of a registration's widgets, in their order. Writes nothing.
  package func peek(_ registration: RegistrationState, at now: LedgerTime) -> [BudgetPeek] {
    registration.accounts.map { account in
      let policy = policy(account.policy)
      let admission = account.cell.admission(at: now, under: policy).at
      return BudgetPeek(
        policy: policy, remaining: account.cell.remaining(at: now, under: policy),
        next: account.cell.nextToken(at: now, under: policy),
        admits: policy.mode == .enforce && admission > now ? admission : nil)
    }
  }

  package func content(of number: UInt64, in registration: RegistrationState) -> PushContent? {
    registration.content(of: number)
  }

  /// When a token that nobody has any more was last retired, in whatever environment.
  package func retirement(of token: DeviceToken) -> UnixTime? {
    GatewayEnvironment.allCases
      .compactMap { retired[RetiredToken.Key(token: token, environment: $0)]?.retiredAt }
      .max { $0.milliseconds < $1.milliseconds }
  }

  /// By the token alone: a token may be registered in both environments.
  package func registrations(for token: DeviceToken) -> [RegistrationState] {
    GatewayEnvironment.allCases.compactMap { index.find(token, in: $0) }
  }
}
