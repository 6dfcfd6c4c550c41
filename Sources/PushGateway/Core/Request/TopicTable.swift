package import TokenStore

/// The topics that one loop has met, so that a push costs a comparison of bytes and no new `String`.
///
/// Owned by one loop; what it gives out are ordinary ``BundleID`` values that may travel. It holds a bounded number
/// of topics and starts afresh when it is full, so a sender of invented topics costs time and not memory.
package struct TopicTable {
  /// 32 KiB of slots, and far more apps than one gateway serves.
  package static let defaultCapacity = 4096

  private struct Entry {
    var hash: UInt64
    var start: UInt32
    var bundleID: BundleID
  }

  private let capacity: Int
  private let seed: UInt64
  private let mask: Int
  /// Open addressing, at most half full: an index into `entries`, or -1.
  private var slots: [Int32]
  private var entries: [Entry] = []
  private var arena: [UInt8] = []

  /// - Parameter seed: random, so that nobody can choose topics that collide.
  package init(capacity: Int = Self.defaultCapacity, seed: UInt64) {
    self.capacity = max(1, capacity)
    self.seed = seed
    var size = 4
    while size < 2 * self.capacity { size *= 2 }
    mask = size - 1
    slots = Array(repeating: -1, count: size)
  }

  package var count: Int { entries.count }

  /// The app that `topic` addresses. Allocates only for a topic that is new here.
  package mutating func bundleID(of topic: UnsafeRawBufferPointer) throws(WidgetTopic.Fault) -> BundleID {
    guard let name = WidgetTopic.bundleIDPart(of: topic) else { throw WidgetTopic.fault(ofOther: topic) }
    let hash = Self.hash(name, seed: seed)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash, holds(name, at: Int(entry.start)) { return entry.bundleID }
      slot = (slot + 1) & mask
    }
    guard name.count <= BundleID.maximumCount, let bundleID = BundleID(String(decoding: name, as: UTF8.self)) else {
      throw .notABundleID
    }
    if entries.count == capacity {
      for index in slots.indices { slots[index] = -1 }
      entries.removeAll(keepingCapacity: true)
      arena.removeAll(keepingCapacity: true)
      slot = Int(truncatingIfNeeded: hash) & mask
    }
    slots[slot] = Int32(entries.count)
    entries.append(Entry(hash: hash, start: UInt32(arena.count), bundleID: bundleID))
    arena.append(UInt8(name.count))
    arena.append(contentsOf: name)
    return bundleID
  }

  private func holds(_ name: UnsafeRawBufferPointer, at start: Int) -> Bool {
    arena.withUnsafeBytes { all in
      let length = Int(all[start])
      return UnsafeRawBufferPointer(rebasing: all[(start + 1)..<(start + 1 + length)]).hasSameBytes(as: name)
    }
  }

  /// Multiply and fold, eight bytes at a time. Not for secrets: the seed only keeps collisions from being chosen.
  private static func hash(_ name: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: name.count)
    var index = 0
    while index < name.count {
      var word: UInt64 = 0
      if index + 8 <= name.count {
        word = name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      } else {
        for tail in index..<name.count { word = word << 8 | UInt64(name[tail]) }
      }
      let product = (state ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: seed | 0xD6E8_FEB8_6659_FD93)
      state = product.high ^ product.low
      index += 8
    }
    return state
  }
}
