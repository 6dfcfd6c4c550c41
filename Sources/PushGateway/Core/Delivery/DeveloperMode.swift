package import BudgetThrottle
package import TokenStore

/// All standing grants of developer mode.
package struct DeveloperMode: Sendable {
  package typealias Grant = DeveloperModeGrant<DeveloperModeSubject>

  package var rules: DeveloperModeRules
  /// With the row of each, and where the audit says that it was granted.
  package private(set) var grants: [DeveloperModeSubject: (row: UInt64, grant: Grant, audit: Int)] = [:]
  private var nextRow: UInt64 = 1

  package init(rules: DeveloperModeRules) { self.rules = rules }

  package func isActive(app: BundleID, device: DeviceID, at now: LedgerTime) -> Bool {
    guard !grants.isEmpty, rules.allowed else { return false }
    return isStanding(.app(app), at: now) || isStanding(.device(device), at: now)
  }

  /// The grant that lifts a budget, for those who are told who did it; of two the device's own, which is the narrower.
  func acting(app: BundleID, device: DeviceID, at now: LedgerTime) -> (grant: Grant, audit: Int)? {
    guard rules.allowed else { return nil }
    for subject in [DeveloperModeSubject.device(device), .app(app)] where isStanding(subject, at: now) {
      return grants[subject].map { ($0.grant, $0.audit) }
    }
    return nil
  }

  package func isStanding(_ subject: DeveloperModeSubject, at now: LedgerTime) -> Bool {
    guard let entry = grants[subject] else { return false }
    return entry.grant.until > now
  }

  /// In the order of their end.
  package func standing(at now: LedgerTime) -> [Grant] {
    guard rules.allowed else { return [] }
    return grants.values.map(\.grant).filter { $0.until > now }.sorted { $0.until < $1.until }
  }

  /// Sets or replaces the subject's grant. Returns the number of its row.
  /// - Parameter audit: the place of its entry in the audit.
  mutating func insert(_ grant: Grant, audit: Int) -> UInt64 {
    let row = grants[grant.subject]?.row ?? nextRow
    restore(grant, row: row)
    note(audit, for: grant.subject)
    return row
  }

  mutating func restore(_ grant: Grant, row: UInt64) {
    grants[grant.subject] = (row, grant, 0)
    nextRow = max(nextRow, row + 1)
  }

  /// After a restore, which reads grants before the audit.
  mutating func note(_ audit: Int, for subject: DeveloperModeSubject) { grants[subject]?.audit = audit }

  mutating func remove(_ subject: DeveloperModeSubject) -> UInt64? { grants.removeValue(forKey: subject)?.row }

  func ended(at now: LedgerTime) -> [Grant] { grants.values.map(\.grant).filter { $0.until <= now } }
}
