/// Names one event on a device's stream: `<epoch>-<sequence>`, both decimal.
///
/// Each start of the store begins a new epoch. An event that is sent again keeps its id, and a receipt acknowledges
/// events of its own epoch only.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
  package var epoch: UInt64
  package var sequence: UInt64

  package init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  /// - Returns: nil unless `text` is two decimal numbers without sign, joined by one `-`.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = Self.decimal(parts[0]), let sequence = Self.decimal(parts[1]) else {
      return nil
    }
    self.init(epoch: epoch, sequence: sequence)
  }

  private static func decimal(_ digits: Substring.UTF8View.SubSequence) -> UInt64? {
    guard (1...20).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(Substring(digits))
  }

  package var description: String { "\(epoch)-\(sequence)" }
}
