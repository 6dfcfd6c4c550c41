import GatewayCore
import TokenStore

/// What devices ask about their own refreshes, a slice of the search in each turn: anybody who holds a device key may ask,
/// and none of them may hold up a push.
extension LedgerWorker {
  /// How many may wait for theirs at once.
  private static let explanationsAtOnce = 64
  /// Entries of the trail that a turn reads for all of them: well below a millisecond.
  private static let entriesPerTurn = 1024

  /// Answers at the end of this turn or of a later one.
  func explain(_ device: DeviceState, last: Int, at place: RequestPlace) throws(DeviceRefusal) {
    guard let search = ledger.search(for: device, last: last) else { return tell([], to: device, at: place) }
    guard explanations.count < Self.explanationsAtOnce, !explanations.contains(where: { $0.device == device.id }) else {
      throw DeviceRefusal(.busy, retryAfter: 1)
    }
    explanations.append(PendingExplanation(place: place, device: device.id, search: search))
  }

  /// - Returns: whether some are left.
  func advanceExplanations() -> Bool {
    var entries = Self.entriesPerTurn
    while entries > 0, !explanations.isEmpty {
      guard let device = ledger.devices[explanations[0].device] else {
        explanations.removeFirst()
        continue
      }
      guard let told = ledger.advance(&explanations[0].search, entries: &entries) else { return true }
      tell(told, to: device, at: explanations.removeFirst().place)
    }
    return !explanations.isEmpty
  }

  private func tell(_ told: [TrailSearch.Told], to device: DeviceState, at place: RequestPlace) {
    let answer = PendingOutput.Answer(
      place: place, status: 200, body: ledger.explanation(told, for: device, at: reading).body, isRead: true)
    if storeFailure == nil {
      commits.current.answers.append(answer)
    } else {
      loops.tell(.answerDenied(answer))
    }
  }
}
