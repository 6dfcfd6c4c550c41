import GatewayCore
import Testing
import TokenStore

/// Protects that a retry is charged once: the last eight accepted ids, no more and no fewer.
@Suite("Recent pushes") struct RecentPushesTests {
  private static func id(_ number: UInt64, isUpperCase: Bool = false) -> PushID {
    PushID(CanonicalUUID(high: 1, low: number, isUpperCase: isUpperCase))
  }

  @Test("The last eight are known, and the ninth makes the first unknown")
  func eight() {
    var recent = RecentPushes()
    let digests = (UInt64(0)..<20).map { RecentPushes.digest(of: Self.id($0)) }
    for (count, digest) in digests.enumerated() {
      #expect(!recent.contains(digest))
      recent.insert(digest)
      for (other, old) in digests.enumerated() {
        #expect(recent.contains(old) == (count - 7...count).contains(other))
      }
      #expect(recent.oldestFirst == Array(digests[max(0, count - 7)...count]))
    }
  }

  @Test("They come back from the store in their order, wherever the ring stood", arguments: 0...20)
  func stored(count: UInt64) {
    var recent = RecentPushes()
    for number in 0..<count { recent.insert(RecentPushes.digest(of: Self.id(number))) }
    var read = RecentPushes(oldestFirst: recent.oldestFirst)
    #expect(read == recent)
    #expect(read.hashValue == recent.hashValue)
    // Both forget in the same order from here on.
    read.insert(77)
    recent.insert(77)
    #expect(read.oldestFirst == recent.oldestFirst)
  }

  @Test("The same id in another spelling is the same id, and no id is an empty place")
  func digests() {
    #expect(RecentPushes.digest(of: Self.id(10)) == RecentPushes.digest(of: Self.id(10, isUpperCase: true)))
    #expect(RecentPushes.digest(of: PushID(CanonicalUUID(high: 0, low: 0))) != 0)
    #expect(!RecentPushes().contains(RecentPushes.digest(of: Self.id(0))))
    let many = Set((UInt64(0)..<10_000).map { RecentPushes.digest(of: Self.id($0)) })
    #expect(many.count == 10_000)
  }
}
