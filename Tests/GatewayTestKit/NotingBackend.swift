package import GatewayReports

/// A gateway for tests of the admin API that does nothing and notes what was asked of it.
package protocol NotingBackend: AdminBackend {
  func note(_ call: String)
}

/// What is done to registrations by the many.
extension NotingBackend {
  package func exportRegistrations(app: String?) throws(AdminFailure) -> any RegistrationExport {
    note("export \(app ?? "-")")
    return BrokenExport(parts: [Array("{\"format\":1}\n".utf8), Array("{}\n".utf8)], breaksOff: app == "breaks.off")
  }

  package func importRegistrations(
    _ text: [UInt8], dryRun: Bool, who: String, peerUID: UInt32?
  ) throws(AdminFailure) -> ImportReport {
    note("import \(text.count) \(dryRun) by \(who)")
    var report = ImportReport(dryRun: dryRun)
    report.lines = text.count { $0 == UInt8(ascii: "\n") }
    report.added = report.lines - 1
    report.refused = 1
    report.notes = [ImportReport.Note(line: 1, error: "malformed-json", detail: "it is not JSON")]
    return report
  }

  package func sweepRegistrations(_ request: SweepRequest, peerUID: UInt32?) throws(AdminFailure) -> SweepReport {
    note("sweep \(request.olderThanSeconds) \(request.app ?? "-") \(request.dryRun) by \(request.who)")
    return SweepReport(dryRun: request.dryRun, registrations: 9, stale: 2, devices: 1)
  }
}

/// Gives what it was made with, and may then break off.
private final class BrokenExport: RegistrationExport {
  private var parts: [[UInt8]]
  private let breaksOff: Bool

  init(parts: [[UInt8]], breaksOff: Bool) {
    self.parts = parts
    self.breaksOff = breaksOff
  }

  func nextPart() throws(AdminFailure) -> [UInt8]? {
    guard parts.isEmpty else { return parts.removeFirst() }
    guard !breaksOff else { throw .unavailable("draining") }
    return nil
  }
}
