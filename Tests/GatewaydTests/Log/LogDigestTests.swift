import GatewayCore
import Testing

/// Protects device tokens from being read out of a log, and the log from being useless for that.
@Suite("Log digest") struct LogDigestTests {
  private let token: [UInt8] = Array(0..<32)

  @Test("The same token has the same name, another one another") func stable() {
    let digest = LogDigest(key: (1, 2))
    #expect(digest.name(of: token) == digest.name(of: token))
    #expect(digest.name(of: token) != digest.name(of: token.dropLast()))
    #expect(digest.name(of: token).count == 12)
    #expect(digest.name(of: token).allSatisfy { $0.isHexDigit })
  }

  @Test("Another key gives other names, so two runs cannot be joined") func keyed() {
    #expect(LogDigest(key: (1, 2)).name(of: token) != LogDigest(key: (1, 3)).name(of: token))
    #expect(LogDigest(key: (1, 2)).name(of: token) != LogDigest(key: (2, 2)).name(of: token))
  }
}
