/// A hand-over that no receipt has confirmed yet. A newer hand-over of the same widget replaces it.
package struct InFlight: Hashable, Sendable {
  /// The event's id is `<epoch>-<sequence>`, and stays so when it is sent again.
  package var epoch: UInt64
  package var sequence: UInt64
  package var number: UInt64
  /// Not sent again from this instant on; `.distantPast` for a push of expiration 0.
  package var expires: LedgerTime

  package init(epoch: UInt64, sequence: UInt64, number: UInt64, expires: LedgerTime) {
    self.epoch = epoch
    self.sequence = sequence
    self.number = number
    self.expires = expires
  }
}
