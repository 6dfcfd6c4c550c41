import GatewayCore
import TokenStore

/// What a loop asks of the ledger, or tells it. Values only: the ledger may live on another thread.
enum LedgerCall: Sendable {
  case push(PushCall)
  case device(DeviceCall)
  case fanOut(FanOutCall)
  /// Something other than a refresh was written to an update stream.
  case outputFilled(SessionID)
  /// What was written to an update stream has left.
  case outputEmptied(SessionID, of: StreamOutput)
  case streamEnded(SessionID)
  /// A watcher of a fan-out has taken what it was told.
  case watcherEmptied(RequestPlace)
  case watcherEnded(RequestPlace)

  enum StreamOutput: Sendable { case heartbeat, refreshes }

  /// What it takes in memory while it waits, roughly.
  var byteCount: Int {
    let held: Int
    switch self {
    case .push(let call): held = call.push.payload?.count ?? 0
    case .device(let call): held = call.body.byteCount
    case .fanOut(let call): held = call.wish.byteCount
    case .outputFilled, .outputEmptied, .streamEnded, .watcherEmptied, .watcherEnded: held = 0
    }
    return MemoryLayout<Self>.stride + 64 + held
  }
}

/// A push whose request was found right.
struct PushCall: Sendable {
  var place: RequestPlace
  var push: IncomingPush
  var token: DeviceToken
  var environment: GatewayEnvironment
  var bundleID: BundleID
}

/// A request of the device listener whose path and credential can be read.
struct DeviceCall: Sendable {
  enum Caller: Sendable {
    /// - host: where it comes from, without the port.
    case enrolling(DeviceScope, host: String)
    case device(DeviceID, keyHash: [UInt8])
  }

  enum Body: Sendable {
    case whole([UInt8])
    /// Longer than any request's. Who may not ask at all is told that first.
    case tooLong

    var byteCount: Int { if case .whole(let bytes) = self { bytes.count } else { 0 } }
  }

  var place: RequestPlace
  var route: DeviceRoute
  var caller: Caller
  var body: Body
  var lastEventID: [UInt8]?
}

/// A request about a fan-out whose head, and body where it has one, were found right.
struct FanOutCall: Sendable {
  enum Wish: Sendable {
    case begin(FanOutOrder)
    case report(CanonicalUUID)
    case watch(CanonicalUUID)
    case cancel(CanonicalUUID)

    var byteCount: Int { if case .begin(let order) = self { order.push.payload?.count ?? 0 } else { 0 } }
  }

  var place: RequestPlace
  var wish: Wish
  /// Whose credential it bears.
  var team: String?
  var environment: GatewayEnvironment
}
