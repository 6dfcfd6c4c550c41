import GatewayCore
import GatewayIO
import TokenStore

/// What devices ask about their own refreshes, a slice of the search in each turn: anybody who holds a device key may ask,
/// and none of them may hold up a push.
extension LoopWorker {
  /// How many may wait for theirs at once.
  private static let explanationsAtOnce = 64
  /// Entries of the trail that a turn reads for all of them: well below a millisecond.
  private static let entriesPerTurn = 1024

  /// Answers at the end of this turn or of a later one.
  func explain(
    _ device: DeviceState, last: Int, stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(DeviceRefusal) {
    guard let search = ledger.search(for: device, last: last) else {
      return tell([], to: device, stream: stream.id, on: connection.id)
    }
    guard explanations.count < Self.explanationsAtOnce, !explanations.contains(where: { $0.device == device.id }) else {
      throw DeviceRefusal(.busy, retryAfter: 1)
    }
    explanations.append(
      PendingExplanation(connection: connection.id, stream: stream.id, device: device.id, search: search))
  }

  /// - Returns: whether some are left.
  func advanceExplanations() -> Bool {
    var entries = Self.entriesPerTurn
    while entries > 0, !explanations.isEmpty {
      let (connection, stream) = (explanations[0].connection, explanations[0].stream)
      guard connections[connection] != nil, let device = ledger.devices[explanations[0].device] else {
        explanations.removeFirst()
        continue
      }
      guard let told = ledger.advance(&explanations[0].search, entries: &entries) else { return true }
      explanations.removeFirst()
      tell(told, to: device, stream: stream, on: connection)
    }
    return !explanations.isEmpty
  }

  private func tell(_ told: [TrailSearch.Told], to device: DeviceState, stream: Int32, on id: ConnectionID) {
    let answer = PendingOutput.Answer(
      connection: id, stream: stream, status: 200, body: ledger.explanation(told, for: device, at: reading).body,
      isRead: true)
    if storeFailure == nil {
      commits.current.answers.append(answer)
    } else if let connection = connections[id] {
      connection.role.listener.deny(answer, on: connection)
    }
  }
}
