/// The id of an event: `<epoch>-<sequence>`.
struct RefreshID: Hashable, CustomStringConvertible {
  let epoch: UInt64
  let sequence: UInt64

  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = UInt64(parts[0]), let sequence = UInt64(parts[1]) else { return nil }
    self.epoch = epoch
    self.sequence = sequence
  }

  var description: String { "\(epoch)-\(sequence)" }
}
