import GatewayCore
import TokenStore

/// The update streams that devices hold open, whichever loop has them.
struct UpdateStreams {
  struct Stream {
    var device: DeviceState
    var connection: ConnectionID
    /// A heartbeat keeps the ledger from handing over, and not a refresh that is still under way.
    var isFilledByHeartbeat = false
  }

  private var streams: [SessionID: Stream] = [:]
  private var next: UInt64 = 1

  mutating func open(for device: DeviceState, on connection: ConnectionID) -> SessionID {
    let session = SessionID(rawValue: next)
    next += 1
    streams[session] = Stream(device: device, connection: connection)
    return session
  }

  mutating func end(_ session: SessionID) -> Stream? { streams.removeValue(forKey: session) }

  subscript(session: SessionID) -> Stream? { streams[session] }

  mutating func set(isFilledByHeartbeat isFilled: Bool, _ session: SessionID) {
    streams[session]?.isFilledByHeartbeat = isFilled
  }
}
