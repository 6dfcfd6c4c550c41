import GatewayIO
import Testing

/// Protects stored device keys and cached tokens: the hash is the standard's, and comparing gives nothing away.
@Suite("Digests and randomness") struct TLSDigestTests {
  @Test(
    "SHA-256 gives the standard's values",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
  func knownDigests(text: String, hex: String) {
    #expect(SHA256Digest.of(text).description == hex)
    #expect(SHA256Digest.of(Array(text.utf8)) == SHA256Digest.of(text))
  }

  @Test("A digest comes back from its bytes, equal and with the same hash; other lengths do not")
  func bytes() throws {
    let digest = SHA256Digest.of("device key")
    let back = try #require(SHA256Digest(bytes: digest.bytes))
    #expect(back == digest)
    #expect(Set([digest, back]).count == 1)
    #expect(digest != SHA256Digest.of("another key"))
    #expect(SHA256Digest(bytes: Array(digest.bytes.dropLast())) == nil)
    #expect(SHA256Digest(bytes: []) == nil)
  }

  @Test(
    "Equal in constant time means equal",
    arguments: [
      ([], [], true), ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false), ([1, 2], [1, 2, 3], false),
      ([], [0], false),
    ] as [([UInt8], [UInt8], Bool)])
  func constantTime(left: [UInt8], right: [UInt8], equal: Bool) {
    #expect(constantTimeEqual(left, right) == equal)
  }

  @Test("Secure bytes have the length asked for and never repeat")
  func secure() {
    #expect(SecureRandom.bytes(0).isEmpty)
    let all = Set((0..<200).map { _ in SecureRandom.bytes(32) })
    #expect(all.count == 200)
    #expect(all.allSatisfy { $0.count == 32 })
  }

  @Test("The fast generator gives its authors' sequence for a seed, and another for each start")
  func fast() {
    var seeded = FastRandom(seed: 42)
    var again = FastRandom(seed: 42)
    #expect((0..<100).allSatisfy { _ in seeded.next() == again.next() })
    var first = FastRandom()
    var second = FastRandom()
    #expect(first.next() != second.next())
  }
}
