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
  }

  var place: RequestPlace
  var wish: Wish
  /// Whose credential it bears.
  var team: String?
  var environment: GatewayEnvironment
}
