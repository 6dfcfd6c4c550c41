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

  /// What `mark` becomes when it is handed over, in place of an older hand-over of the same widget. As with marks the
  /// latest expiration of both holds: a push of one try must not end the promise of an older refresh that no receipt
  /// has confirmed, since a device that lost the stream has seen neither.
  package init(of mark: Mark, epoch: UInt64, sequence: UInt64, after older: InFlight?) {
    self.init(
      epoch: epoch, sequence: sequence, number: mark.number,
      expires: max(mark.expires, older?.expires ?? .distantPast))
  }

  /// Whether a receipt of `epoch` up to `sequence` ends it. One of another epoch never does.
  package func isConfirmed(by epoch: UInt64, upTo sequence: UInt64) -> Bool {
    self.epoch == epoch && self.sequence <= sequence
  }
}
