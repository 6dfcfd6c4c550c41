import BudgetThrottle
import GatewayCore
package import GatewayReports
import TokenStore
import TokenStoreSQLite

/// Looks at a database as a start would, and more closely: its pages, its rows, and whether a ledger can be made of them.
package enum DatabaseExamination {
  /// Changes nothing, and may be used while a gateway runs on the database.
  /// - Throws: when it cannot be opened at all, with the mend.
  package static func report(of path: String) throws(GatewayError) -> DatabaseReport {
    do {
      let inspection = try StoreInspection(path: path)
      var findings = inspection.findings()
      var damagedExplanations = 0
      if findings.isEmpty, let contents = inspection.contents {
        do {
          let ledger = Ledger(rules: LedgerRules(), epoch: inspection.epoch, following: inspection.lastSequence)
          damagedExplanations = try StoreLoader.read(
            contents, into: ledger, at: LedgerTime(milliseconds: inspection.lastClock?.ledger ?? 0))
        } catch {
          findings.append("\(error)")
        }
      }
      // A file that cannot be read tells no numbers either.
      func count(_ table: StoredRow.Table) -> Int { (try? inspection.count(of: table)) ?? 0 }
      let journal = (try? inspection.journal()) ?? (entries: 0, bytes: 0)
      return DatabaseReport(
        path: path, bytes: inspection.bytes, schema: inspection.schema,
        newestSchema: StoreInspection.newestSchema, findings: findings, damagedExplanations: damagedExplanations,
        epoch: Int(clamping: inspection.epoch),
        lastCommit: inspection.lastClock.map { ReportTime(milliseconds: $0.wall) }, devices: count(.device),
        registrations: count(.registration), retiredTokens: count(.retiredToken),
        developerModeGrants: count(.developerMode), fanOuts: count(.fanOut), journalEntries: journal.entries,
        journalBytes: journal.bytes)
    } catch {
      throw GatewayError("\(error)")
    }
  }
}
