package import TokenStore

/// The last eight accepted `apns-id`s of one registration, as hashes, so that a retry is charged once.
package struct RecentPushes: Hashable, Sendable {
  package static let capacity = 8
  /// Oldest first; 0 is an empty place.
  private var digests = InlineArray<8, UInt64>(repeating: 0)

  package init() {}

  /// From the store; more than eight keep the newest.
  package init(oldestFirst: [UInt64]) {
    for digest in oldestFirst.suffix(Self.capacity) { insert(digest) }
  }

  /// Never 0, which means an empty place. Two ids of one registration that agree here are one in 2^64.
  package static func digest(of id: PushID) -> UInt64 {
    var mixed = (id.uuid.high ^ (id.uuid.low << 32 | id.uuid.low >> 32)) &* 0x9E37_79B9_7F4A_7C15
    mixed ^= (mixed >> 29) ^ id.uuid.low
    return mixed == 0 ? 1 : mixed
  }

  package func contains(_ digest: UInt64) -> Bool {
    for index in 0..<Self.capacity where digests[index] == digest { return true }
    return false
  }

  package mutating func insert(_ digest: UInt64) {
    for index in 1..<Self.capacity { digests[index - 1] = digests[index] }
    digests[Self.capacity - 1] = digest
  }

  package var count: Int {
    var count = 0
    for index in 0..<Self.capacity where digests[index] != 0 { count += 1 }
    return count
  }

  /// The oldest first.
  func forEach(_ body: (UInt64) -> Void) {
    for index in 0..<Self.capacity where digests[index] != 0 { body(digests[index]) }
  }

  package var oldestFirst: [UInt64] {
    (0..<Self.capacity).map { digests[$0] }.filter { $0 != 0 }
  }

  package static func == (left: Self, right: Self) -> Bool { left.oldestFirst == right.oldestFirst }
  package func hash(into hasher: inout Hasher) { hasher.combine(oldestFirst) }
}
