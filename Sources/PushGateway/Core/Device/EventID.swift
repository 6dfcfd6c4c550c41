/// Names one event of a device's update stream: `<epoch>-<sequence>`, both decimal without leading zeros.
///
/// Each start or restore of the store begins a new epoch, so an id never names two events. An event that is sent again
/// keeps its id, and a receipt acknowledges events of its own epoch only.
package struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var epoch: UInt64
  package var sequence: UInt64

  package init(epoch: UInt64, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  /// - Returns: nil unless `text` is two decimal numbers of 64 bits, joined by `-`.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")),
      let epoch = Self.number(text[..<dash]), let sequence = Self.number(text[(dash + 1)...])
    else { return nil }
    self.init(epoch: epoch, sequence: sequence)
  }

  package init?(_ text: String) {
    var copy = text
    guard let id = copy.withUTF8({ EventID(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }

  package var description: String { "\(epoch)-\(sequence)" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.epoch, left.sequence) < (right.epoch, right.sequence)
  }

  package func write(to writer: inout JSONTextWriter) {
    writer.decimal(epoch)
    writer.raw("-")
    writer.decimal(sequence)
  }

  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
    guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
      guard !tooLarge, !overflow else { return nil }
      value = sum
    }
    return value
  }
}
