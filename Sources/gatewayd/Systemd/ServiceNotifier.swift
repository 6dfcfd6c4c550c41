import CSystemd
import Glibc

/// Tells systemd how the service is. Outside systemd (no `$NOTIFY_SOCKET`) it does nothing.
struct ServiceNotifier: Sendable {
  init() {}

  func notify(_ state: ServiceState) { _ = sd_notify(0, state.message) }

  func ready(_ status: String) { notify(.ready(status: status)) }

  func status(_ status: String) { notify(.status(status)) }

  /// Begins a reload; ``ready(_:)`` ends it.
  func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    notify(.reloading(monotonicMicroseconds: UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000))
  }

  func stopping(_ status: String) { notify(.stopping(status: status)) }

  func alive() { notify(.alive) }

  /// How often ``alive()`` must be said at least, `WatchdogSec=`; nil if nobody waits for it. Say it twice as often.
  var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }
}
