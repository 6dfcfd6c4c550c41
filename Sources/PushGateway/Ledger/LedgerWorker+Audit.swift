import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore

/// Says in the log what operators and device switches do, and what developer mode lets through.
extension LedgerWorker {
  /// Bypassed refreshes come as often as pushes do: their lines come at most this often, and count; milliseconds.
  private static let bypassPeriod: Int64 = 1000

  /// What the audit has got since the last turn; nothing else need remember to log it.
  func logAudit() {
    while auditLogged < ledger.audit.count {
      defer { auditLogged += 1 }
      guard let entry = ledger.audit[auditLogged] else { continue }
      var fields: [(LogKey, String)] = [(.subject, "\(entry.subject)"), (.who, entry.who)]
      if !entry.why.isEmpty { fields.append((.why, entry.why)) }
      if let uid = entry.uid { fields.append((.uid, "\(uid)")) }
      if let until = entry.until { fields.append((.until, until.rfc3339)) }
      switch entry.action {
      case .developerModeOn:
        log.record(.warning, "developer mode is on: budgets of development registrations are lifted", fields)
      case .developerModeOff: log.record(.warning, "developer mode is off, by hand", fields)
      case .developerModeEnded: log.record(.warning, "developer mode has ended", fields)
      case .registrationsSwept: log.record(.warning, "stale registrations were removed by hand", fields)
      case .budgetReset: log.record(.warning, "budgets were reset by hand", fields)
      }
    }
  }

  func logBypasses() {
    let now = loop.now.bootMilliseconds
    guard now - bypassLoggedAt >= Self.bypassPeriod else { return }
    bypassLoggedAt = now
    for (grant, count) in ledger.takeBypasses() {
      log.record(
        .info, "developer mode let refreshes through, uncharged",
        [
          (.subject, "\(grant.subject)"), (.count, "\(count)"), (.who, grant.who), (.why, grant.why),
        ])
    }
  }
}
