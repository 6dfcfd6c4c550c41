import GatewayIO
import Testing

/// Protects the door's lock: a provider token counts only if its key signed it.
@Suite("ES256 signatures") struct TLSSignatureTests {
  private static let message = Array("header.claims".utf8)

  @Test("What a key signs, its public half accepts, from each form of PEM and in both forms of signature")
  func roundTrip() throws {
    let key = try ES256SigningKey()
    let raw = try key.sign(Self.message)
    let der = try key.signDER(Self.message)
    #expect(raw.count == 64)
    for pem in [try key.pem(), try key.publicPEM()] {
      let verifier = try ES256PublicKey(pem: pem)
      #expect(verifier.verify(signature: raw, of: Self.message))
      #expect(verifier.verify(signature: der, of: Self.message))
    }
    let again = try ES256SigningKey(pem: try key.pem())
    #expect(try ES256PublicKey(pem: key.publicPEM()).verify(signature: again.sign(Self.message), of: Self.message))
    #expect(String(decoding: try key.pem(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  @Test(
    "A signature by another program is accepted, with its SEC1 key and its public key",
    arguments: [KeyFixtures.sec1, KeyFixtures.sec1Public])
  func foreign(pem: String) throws {
    let verifier = try ES256PublicKey(pem: Array(pem.utf8))
    let signature = bytes(hex: KeyFixtures.signatureHex)
    #expect(verifier.verify(signature: signature, of: Array(KeyFixtures.message.utf8)))
    #expect(!verifier.verify(signature: signature, of: Self.message))
  }

  @Test("Hundreds of signatures survive the way between the two forms, short numbers included")
  func manySignatures() throws {
    let key = try ES256SigningKey()
    let verifier = try ES256PublicKey(pem: try key.publicPEM())
    // About one in 128 has a number with a leading zero byte.
    for index in 0..<600 {
      let message = Array("message \(index)".utf8)
      #expect(verifier.verify(signature: try key.sign(message), of: message))
    }
  }

  @Test("A changed bit anywhere in signature or message is refused, and the kept context goes on working")
  func changedBits() throws {
    let key = try ES256SigningKey()
    let verifier = try ES256PublicKey(pem: try key.publicPEM())
    let signature = try key.sign(Self.message)
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(!verifier.verify(signature: changed, of: Self.message))
    }
    #expect(!verifier.verify(signature: signature, of: Self.message + [0]))
    #expect(!verifier.verify(signature: signature, of: []))
    #expect(verifier.verify(signature: signature, of: Self.message))
  }

  @Test(
    "What is no signature is refused without a trap",
    arguments: [
      [], [0x30], [0x30, 0x00], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64),
      [UInt8](repeating: 0, count: 63), [UInt8](repeating: 0x30, count: 65), [UInt8](repeating: 1, count: 72),
      [UInt8](repeating: 0x30, count: 10_000), [0x30, 62] + [UInt8](repeating: 2, count: 62),
      [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01], [0x30, 0x80, 0x02, 0x7F, 0x01, 0x02, 0x01, 0x01],
    ] as [[UInt8]])
  func noSignature(signature: [UInt8]) throws {
    let verifier = try ES256PublicKey(pem: Array(KeyFixtures.sec1Public.utf8))
    #expect(!verifier.verify(signature: signature, of: Self.message))
  }

  @Test("Random bytes of every length up to 100 are refused without a trap")
  func randomSignatures() throws {
    var random = FastRandom(seed: 3)
    let verifier = try ES256PublicKey(pem: Array(KeyFixtures.sec1Public.utf8))
    for count in 0...100 {
      var signature = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(!verifier.verify(signature: signature, of: Self.message))
      if count >= 2 { (signature[0], signature[1]) = (0x30, UInt8(count - 2)) }
      #expect(!verifier.verify(signature: signature, of: Self.message))
    }
  }

  @Test("A key of another kind is refused with the curve's name", arguments: [KeyFixtures.p384, KeyFixtures.ed25519])
  func otherKinds(pem: String) {
    let error = #expect(throws: TLSError.self) { try ES256PublicKey(pem: Array(pem.utf8)) }
    #expect(error?.problem.contains("P-256") == true)
    #expect(throws: TLSError.self) { try ES256SigningKey(pem: Array(pem.utf8)) }
  }

  @Test("A key with written-out parameters is accepted only if it is P-256")
  func explicitParameters() throws {
    let key = try ES256SigningKey(pem: Array(KeyFixtures.explicit.utf8))
    let verifier = try ES256PublicKey(pem: Array(KeyFixtures.explicit.utf8))
    #expect(verifier.verify(signature: try key.sign(Self.message), of: Self.message))
  }

  @Test(
    "An encrypted key and a text that is no key are told apart",
    arguments: [
      (KeyFixtures.encrypted, "encrypted"), ("no key", "no private key"), ("", "no private key"),
    ])
  func unreadable(pem: String, words: String) {
    let error = #expect(throws: TLSError.self) { try ES256PublicKey(pem: Array(pem.utf8)) }
    #expect(error?.problem.contains(words) == true)
  }

  private func bytes(hex: String) -> [UInt8] {
    var rest = Substring(hex)
    var bytes: [UInt8] = []
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
