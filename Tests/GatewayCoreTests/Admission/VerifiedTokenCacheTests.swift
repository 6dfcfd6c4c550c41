import GatewayCore
import SeededRandom
import Testing

/// Protects the loop from checking a token twice that is in use, and memory from tokens that are not.
@Suite("Cache of verified tokens") struct VerifiedTokenCacheTests {
  private func insert(_ name: Int, into cache: inout VerifiedTokenCache, generation: UInt32 = 1) {
    withBytes("token \(name)") {
      cache.insert(ProviderCredential(key: name, issuedAt: Int64(-name), generation: generation), for: $0)
    }
  }

  private func find(_ name: Int, in cache: inout VerifiedTokenCache, generation: UInt32 = 1) -> Int? {
    withBytes("token \(name)") { cache.credential(for: $0, generation: generation)?.key }
  }

  @Test("When it is full, the token goes that was not shown for the longest time, whenever it was issued")
  func leastRecentlyUsed() {
    var cache = VerifiedTokenCache(capacity: 3)
    for name in 0..<3 { insert(name, into: &cache) }
    #expect(find(0, in: &cache) == 0)
    insert(3, into: &cache)
    #expect(cache.count == 3)
    #expect((0..<4).map { find($0, in: &cache) } == [0, nil, 2, 3])
    insert(2, into: &cache)
    insert(4, into: &cache)
    #expect((0..<5).map { find($0, in: &cache) } == [nil, nil, 2, 3, 4])
  }

  @Test("What another keyring vouched for is not found, until it is vouched for anew")
  func generations() {
    var cache = VerifiedTokenCache(capacity: 2)
    insert(1, into: &cache)
    #expect(find(1, in: &cache, generation: 2) == nil)
    insert(1, into: &cache, generation: 2)
    #expect(find(1, in: &cache, generation: 2) == 1)
    #expect(cache.count == 1)
    cache.removeAll()
    #expect(cache.count == 0)
    #expect(find(1, in: &cache, generation: 2) == nil)
  }

  @Test("It does what a list in the order of use would do", arguments: [1, 2, 3, 8])
  func againstAList(capacity: Int) {
    var cache = VerifiedTokenCache(capacity: capacity)
    var random = SeededGenerator(seed: UInt64(capacity))
    var order: [Int] = []
    for _ in 0..<3000 {
      let name = Int.random(in: 0..<(2 * capacity + 1), using: &random)
      if Bool.random(using: &random) {
        #expect(find(name, in: &cache) == (order.contains(name) ? name : nil))
        guard order.contains(name) else { continue }
      } else {
        insert(name, into: &cache)
      }
      order.removeAll { $0 == name }
      order.append(name)
      if order.count > capacity { order.removeFirst() }
      #expect(cache.count == order.count)
    }
    for name in order { #expect(find(name, in: &cache) == name) }
  }
}
