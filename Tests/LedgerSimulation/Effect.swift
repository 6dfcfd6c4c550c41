import BudgetThrottle
import GatewayCore
import TokenStore

/// What a step may change; everything else must stay as it was.
struct Effect {
  /// Registrations whose list of widgets was replaced.
  var replaced: Set<UInt64> = []
  var gone: Set<UInt64> = []
  var reset: Set<UInt64> = []
  var pushed: (registration: UInt64, push: IncomingPush, verdict: PushVerdict)?
  /// A fan-out's slice: which widgets of whom it was to mark.
  var slice: (number: UInt64, push: IncomingPush, marked: [UInt64: WidgetSet])?
  var receipt: (device: DeviceID, upTo: EventID)?
  var attached: DeviceID?
  /// A new process: everything was compared with what was durable already.
  var isStart = false
}
