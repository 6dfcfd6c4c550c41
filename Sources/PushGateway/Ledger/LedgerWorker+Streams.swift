import GatewayCore
import TokenStore

/// Update streams: opened by a device, filled by the ledger, emptied by whoever reads.
extension LedgerWorker {
  func open(_ device: DeviceState, last: EventID?, at place: RequestPlace) {
    let session = streams.open(for: device, on: place.connection)
    ledger.attach(device, as: session, last: last, at: now)
    // Behind it, since a loop that has no use for the stream says so at once. Its first event waits for a commit.
    loops.tell(.streamOpened(place, session))
  }

  func outputFilled(_ session: SessionID) {
    guard let stream = streams[session], ledger.outputFilled(session, of: stream.device) else { return }
    streams.set(isFilledByHeartbeat: true, session)
  }

  /// A heartbeat that has left says nothing of a refresh that was decided before the ledger heard of it.
  func outputEmptied(_ session: SessionID, of output: LedgerCall.StreamOutput) {
    guard let stream = streams[session] else { return }
    switch output {
    case .heartbeat:
      guard stream.isFilledByHeartbeat else { return }
      streams.set(isFilledByHeartbeat: false, session)
    case .refreshes: break
    }
    ledger.outputEmptied(session, of: stream.device, at: now)
  }

  func streamEnded(_ session: SessionID) {
    guard let stream = streams.end(session) else { return }
    // One that has left must not be written again.
    if ledger.devices[stream.device.id] === stream.device { ledger.noteContact(with: stream.device, at: now) }
    ledger.detach(stream.device, session: session)
  }

  func deliver(_ delivery: Delivery) {
    let stream: UpdateStreams.Stream?
    switch delivery {
    case .refresh(let refresh): stream = streams[refresh.session]
    case .endStream(let ended): stream = streams.end(ended)
    }
    if let stream { loops.deliver(delivery, over: stream.connection) }
  }
}
