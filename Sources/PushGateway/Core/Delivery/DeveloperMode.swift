package import BudgetThrottle
package import TokenStore

/// All standing grants of developer mode.
package struct DeveloperMode: Sendable {
  package typealias Grant = DeveloperModeGrant<DeveloperModeSubject>

  package var rules: DeveloperModeRules
  package private(set) var grants: [DeveloperModeSubject: (row: UInt64, grant: Grant)] = [:]
  private var nextRow: UInt64 = 1

  package init(rules: DeveloperModeRules) { self.rules = rules }

  package func isActive(app: BundleID, device: DeviceID, at now: LedgerTime) -> Bool {
    guard !grants.isEmpty, rules.allowed else { return false }
    return isStanding(.app(app), at: now) || isStanding(.device(device), at: now)
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
  mutating func insert(_ grant: Grant) -> UInt64 {
    let row = grants[grant.subject]?.row ?? nextRow
    restore(grant, row: row)
    return row
  }

  mutating func restore(_ grant: Grant, row: UInt64) {
    grants[grant.subject] = (row, grant)
    nextRow = max(nextRow, row + 1)
  }

  mutating func remove(_ subject: DeveloperModeSubject) -> UInt64? { grants.removeValue(forKey: subject)?.row }

  func ended(at now: LedgerTime) -> [Grant] { grants.values.map(\.grant).filter { $0.until <= now } }
}
