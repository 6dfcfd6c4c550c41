import BudgetThrottle
import TokenStore

/// What was decided within one commit, in the form in which it is stored; never changed once it is made.
package struct TrailChunk: Sendable {
  /// The journal position of its commit, and the key of its row.
  package let position: UInt64
  /// Entries in it.
  package let count: Int
  /// The time of its last entry.
  let newest: LedgerTime
  package let bytes: [UInt8]

  /// Memory that it takes: its place in a list, and a heap object for its bytes.
  var footprint: Int { MemoryLayout<Self>.stride + 48 + bytes.count }

  init(position: UInt64, count: Int, newest: LedgerTime, bytes: [UInt8]) {
    self.position = position
    self.count = count
    self.newest = newest
    self.bytes = bytes
  }

  /// Reads a stored one back, whole, so that damage is met here and not by whoever asks.
  init(stored bytes: [UInt8], at position: UInt64, entries: (TrailEntry) -> Void) throws(ByteReader.Damage) {
    let (_, all) = try Self.decode(bytes)
    guard let last = all.last else { throw ByteReader.Damage(offset: 0, expected: "an entry") }
    for entry in all { entries(entry) }
    self.init(position: position, count: all.count, newest: last.at, bytes: bytes)
  }

  /// Its entries, oldest first, and the epoch that they were made in.
  package var content: (epoch: UInt64, entries: [TrailEntry]) {
    do throws(ByteReader.Damage) {
      return try Self.decode(bytes)
    } catch {
      preconditionFailure("A chunk is made by the encoder, or was read once before: \(error)")
    }
  }

  private static func decode(_ bytes: [UInt8]) throws(ByteReader.Damage) -> (UInt64, [TrailEntry]) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(ByteReader.Damage) in
        var decoder = try TrailDecoder(bytes)
        var entries: [TrailEntry] = []
        while let entry = try decoder.next() { entries.append(entry) }
        return (decoder.epoch, entries)
      }
    }
    return try result.get()
  }
}
