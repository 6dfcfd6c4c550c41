import BudgetThrottle
import GatewayCore
import GatewayReports
import TokenStore

/// Registrations by the many: export, import and the sweep, each call a slice that leaves time for pushes.
extension LedgerWorker {
  /// Registrations that one slice of an export looks at, and writes at most.
  private static let exportWalk = 4096
  private static let exportLines = 64

  struct ExportSlice: Sendable {
    var lines: [UInt8] = []
    /// Where the next slice begins; nil at the end.
    var next: UInt64?
  }

  func export(after last: UInt64, app: BundleID?) -> ExportSlice {
    var slice = ExportSlice()
    var walk = RegistrationWalk(after: last)
    var written = 0
    for _ in 0..<Self.exportWalk {
      guard written < Self.exportLines else { break }
      guard let registration = walk.next(in: ledger.registrations) else { return slice }
      guard registration.isActive, app == nil || registration.app.bundleID == app,
        let line = RegistrationLine(registration, at: reading)
      else { continue }
      line.append(to: &slice.lines)
      written += 1
    }
    slice.next = walk.last
    return slice
  }

  func take(_ lines: [(number: Int, line: RegistrationLine)], isDryRun: Bool) -> ImportReport {
    var report = ImportReport(dryRun: isDryRun)
    // A dry run adds no device that the next line could find.
    var counted: Set<DeviceID> = []
    for (number, line) in lines {
      do throws(ImportRefusal) {
        switch try ledger.take(line, isDryRun: isDryRun, at: reading) {
        case .added(let isNewDevice):
          report.added += 1
          if isNewDevice, counted.insert(line.device).inserted { report.devices += 1 }
        case .unchanged: report.unchanged += 1
        case .kept(let why):
          report.kept += 1
          report.notes.append(ImportReport.Note(line: number, error: why.code, detail: why.detail))
        }
      } catch {
        report.refused += 1
        report.notes.append(ImportReport.Note(line: number, error: error.code, detail: error.detail))
      }
    }
    return report
  }

  func logImport(_ report: ImportReport, who: String, uid: UInt32?) {
    log.record(
      .info, "registrations were imported",
      [(.count, "\(report.added)"), (.who, who)] + (uid.map { [(.uid, "\($0)")] } ?? []))
  }
}
