import GatewayCore

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
