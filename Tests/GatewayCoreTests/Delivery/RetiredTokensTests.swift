import BudgetThrottle
import Testing
import TokenStore

@testable import GatewayCore

/// Protects the 410 of a token that was retired lately, and memory and the loop's time from very many of them.
@Suite("Retired tokens") struct RetiredTokensTests {
  private static func token(_ number: UInt8, forgottenAt: Int64 = 1000) throws -> RetiredToken {
    RetiredToken(
      token: try SampleLedger.token(number), environment: .development, bundleID: try SampleLedger.bundleID(),
      owner: DeviceID(CanonicalUUID(high: 1, low: 1)), retiredAt: UnixTime(milliseconds: 0),
      forgottenAt: LedgerTime(milliseconds: forgottenAt))
  }

  private static func now(_ milliseconds: Int64) -> LedgerTime { LedgerTime(milliseconds: milliseconds) }

  @Test("The oldest go first, as many as were looked at, when their time is over or there are too many")
  func forgetting() throws {
    var tokens = RetiredTokens()
    for number in UInt8(1)...9 { _ = tokens.insert(try Self.token(number, forgottenAt: Int64(number) * 10)) }
    #expect(tokens.forget(at: Self.now(0), beyond: 9, limit: 100).isEmpty)
    #expect(!tokens.isDue(at: Self.now(0), beyond: 9))
    #expect(tokens.forget(at: Self.now(0), beyond: 6, limit: 2) == [1, 2])
    #expect(tokens.isDue(at: Self.now(0), beyond: 6))
    #expect(tokens.forget(at: Self.now(50), beyond: 9, limit: 100) == [3, 4, 5])
    #expect(tokens.count == 4)
    #expect(tokens[try Self.token(5).key] == nil)
    #expect(tokens[try Self.token(6).key] != nil)
  }

  @Test("A token that was revived is forgotten by nobody, and one that is retired again has its place at the end")
  func revived() throws {
    var tokens = RetiredTokens()
    for number in UInt8(1)...3 { _ = tokens.insert(try Self.token(number)) }
    #expect(tokens.remove(try Self.token(1).key) == 1)
    #expect(tokens.remove(try Self.token(1).key) == nil)
    let again = tokens.insert(try Self.token(1))
    #expect(again.row == 4 && again.earlier == nil)
    let twice = tokens.insert(try Self.token(2))
    #expect(twice.row == 5 && twice.earlier == 2, "its row in the store is to go")
    #expect(tokens.forget(at: Self.now(0), beyond: 1, limit: 100) == [3, 4])
    #expect(tokens.all.keys.map(\.token) == [try SampleLedger.token(2)])
  }

  @Test("Reviving and retiring one token for ever takes no more memory than one")
  func noise() throws {
    var tokens = RetiredTokens()
    for _ in 0..<10_000 {
      _ = tokens.insert(try Self.token(1))
      _ = tokens.remove(try Self.token(1).key)
    }
    #expect(tokens.places < 200)
    #expect(tokens.forget(at: Self.now(5000), beyond: 0, limit: 1000).isEmpty)
  }
}
