/// A fast generator for names that must be different and need not be secret: `apns-id`s, jitter. Owned by one loop.
///
/// xoshiro256** (Blackman and Vigna, 2018), seeded from the kernel. Its output lets an observer compute what follows, so
/// tokens and keys come from ``SecureRandom``.
package struct FastRandom: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Seeded by the kernel; each call begins a sequence of its own.
  package init() {
    var kernel = SystemRandomNumberGenerator()
    self.init(seed: kernel.next())
    state.0 ^= kernel.next()
    state.1 ^= kernel.next()
    state.2 ^= kernel.next()
  }

  /// The same sequence for the same seed, for tests. The state is spread from the seed by SplitMix64, as the authors
  /// advise.
  package init(seed: UInt64) {
    var spread = seed
    func word() -> UInt64 {
      spread &+= 0x9E37_79B9_7F4A_7C15
      var word = spread
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
    state = (word(), word(), word(), word())
  }

  package mutating func next() -> UInt64 {
    let result = rotated(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = rotated(state.3, by: 45)
    return result
  }

  private func rotated(_ word: UInt64, by count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
}
