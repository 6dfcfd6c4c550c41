import BudgetThrottle
import GatewayCore
public import GatewayReports
import TokenStore

/// What the admin API does to registrations by the many. Each call takes the ledger for a slice at a time.
extension Gateway {
  /// Registrations that one turn of the ledger takes over from an import: what they cost a push that comes meanwhile is
  /// about a millisecond.
  private static let importSlice = 128

  public func exportRegistrations(app: String?) throws(AdminFailure) -> any RegistrationExport {
    let wall = try ask { worker in .success(worker.wall) }
    return Export(gateway: self, app: try Self.optionalApp(app), wall: wall)
  }

  private final class Export: RegistrationExport {
    private let gateway: Gateway
    private let app: BundleID?
    private let wall: UnixTime
    private var next: UInt64?
    private var isBegun = false

    init(gateway: Gateway, app: BundleID?, wall: UnixTime) {
      self.gateway = gateway
      self.app = app
      self.wall = wall
    }

    func nextPart() throws(AdminFailure) -> [UInt8]? {
      guard isBegun else {
        isBegun = true
        next = 0
        return RegistrationLine.head(at: wall)
      }
      while let last = next {
        let app = app
        let slice = try gateway.ask { worker in .success(worker.export(after: last, app: app)) }
        next = slice.next
        if !slice.lines.isEmpty { return slice.lines }
      }
      return nil
    }
  }

  public func importRegistrations(
    _ text: [UInt8], dryRun: Bool, who: String, peerUID: UInt32?
  ) throws(AdminFailure) -> ImportReport {
    var report = ImportReport(dryRun: dryRun)
    var lines: [(number: Int, line: RegistrationLine)] = []
    for (place, bytes) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
      guard !line.isEmpty else { continue }
      report.lines += 1
      do throws(ImportRefusal) {
        if case .registration(let parsed) = try RegistrationLine.parse(Array(line)) {
          lines.append((place + 1, parsed))
        }
      } catch {
        guard !RegistrationLine.isHead(line) else {
          throw AdminFailure(
            status: 422, code: "wrong-format", detail: "line \(place + 1): \(error.detail); nothing was taken over")
        }
        report.refused += 1
        report.notes.append(ImportReport.Note(line: place + 1, error: error.code, detail: error.detail))
      }
    }
    var rest = lines[...]
    while !rest.isEmpty {
      let slice = Array(rest.prefix(Self.importSlice))
      rest = rest.dropFirst(slice.count)
      report.add(try command { worker in .success(worker.take(slice, isDryRun: dryRun)) })
    }
    report.notes.sort { $0.line < $1.line }
    if report.added > 0, !dryRun {
      let done = report
      try command { worker in .success(worker.logImport(done, who: who, uid: peerUID)) }
    }
    return report
  }

  public func sweepRegistrations(_ request: SweepRequest, peerUID: UInt32?) throws(AdminFailure) -> SweepReport {
    let (age, isBeyond) = Int64(request.olderThanSeconds).multipliedReportingOverflow(by: 1000)
    guard !isBeyond, age >= Ledger.StaleSweep.shortestAge else {
      throw .invalid("olderThanSeconds must be at least \(Ledger.StaleSweep.shortestAge / 1000), a day")
    }
    let isDryRun = request.dryRun
    var sweep = Ledger.StaleSweep(olderThan: age, app: try Self.optionalApp(request.app), isDryRun: isDryRun)
    var hasMore = true
    while hasMore {
      let before = sweep
      (sweep, hasMore) = try command { worker in
        var slice = before
        let hasMore = worker.ledger.advance(&slice, at: worker.now, wall: worker.wall)
        return .success((slice, hasMore))
      }
    }
    if !isDryRun, sweep.registrations > 0 || sweep.devices > 0 {
      let done = sweep
      let why =
        "silent for \(request.olderThanSeconds) s: \(sweep.registrations) registrations, \(sweep.devices) devices"
      let who = request.who
      try command { worker in
        .success(worker.ledger.noteSweep(done, who: who, why: why, uid: peerUID, wall: worker.wall))
      }
    }
    return SweepReport(
      dryRun: isDryRun, registrations: sweep.met, stale: sweep.registrations, devices: sweep.devices)
  }

  private static func optionalApp(_ text: String?) throws(AdminFailure) -> BundleID? {
    guard let text else { return nil }
    guard let app = BundleID(text) else { throw .invalid("app must be a bundle ID, such as com.example.caffeine") }
    return app
  }
}
