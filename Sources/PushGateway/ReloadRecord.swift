import GatewayIO
import GatewayReports
import Synchronization

/// What became of the reloads since the start. Any thread may ask.
final class ReloadRecord: Sendable {
  struct Counts {
    var succeeded = 0
    var failed = 0
    var last: ReloadReport?
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func note(problems: [String]) {
    let now = ReportTime(milliseconds: LoopClock.read().wallMilliseconds)
    state.withLock { state in
      if problems.isEmpty { state.succeeded += 1 } else { state.failed += 1 }
      state.last = ReloadReport(time: now, succeeded: problems.isEmpty, problems: problems)
    }
  }
}
