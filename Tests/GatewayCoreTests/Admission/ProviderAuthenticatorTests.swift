import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

private let firstIssued: Int64 = 1_700_000_000

private func bearer(
  kid: String = "ABCDEFGHIJ", team: String = "TEAM000001", issued: Int64 = firstIssued, key: Int = 0,
  alphabet: JWT.Alphabet = .url, signatureCount: Int = 64
) -> String {
  "bearer "
    + JWT(
      header: #"{"alg":"ES256","kid":"\#(kid)"}"#, claims: #"{"iss":"\#(team)","iat":\#(issued)}"#, alphabet: alphabet,
      signedBy: key, signatureCount: signatureCount
    ).text
}

/// Protects who may send, for how long one proof counts, and that a proof costs one signature check.
@Suite("Provider authenticator") struct ProviderAuthenticatorTests {
  private static let bundleID = BundleID("com.example.caffeine")

  private static func keys(_ extra: [ProviderKeyring.Key] = []) -> [ProviderKeyring.Key] {
    let topics = [BundlePattern("com.example.*")].compactMap(\.self)
    return [
      .init(keyID: "ABCDEFGHIJ", team: "TEAM000001", environment: .development, topics: topics),
      .init(keyID: "KEY0000002", team: "TEAM000002", environment: .development, topics: topics),
      .init(keyID: "KEY0000003", team: "TEAM000001", environment: .production, topics: topics),
      .init(keyID: "BOTHWORLDS", team: "TEAM000001", environment: .production, topics: topics),
      .init(keyID: "BOTHWORLDS", team: "TEAM000001", environment: .development, topics: topics),
      .init(keyID: "TOPICKEY_A", team: "TEAM000001", environment: .development, scope: .topics, topics: topics),
      .init(keyID: "TOPICKEY_B", team: "TEAM000001", environment: .development, scope: .topics, topics: topics),
      .init(keyID: "TOPICKEY_C", team: "TEAM000001", environment: .development, scope: .topics, topics: []),
    ] + extra
  }

  /// A loop with one connection, on a time of its own.
  private struct Door {
    let authenticator = ProviderAuthenticator(
      environment: .development, keyring: ProviderKeyring(keys: keys(), generation: 1), cacheCapacity: 4)
    var session = ProviderSession()
    let verifier = ChecksumVerifier()
    var clock: Int64 = 10

    mutating func show(_ authorization: String?) -> Refusal? {
      let header = HeaderBlock()
      if let authorization {
        withBytes("authorization") { name in withBytes(authorization) { _ = header.append(name: name, value: $0) } }
      }
      do throws(Refusal) {
        let grant = try authenticator.authenticate(
          header, session: session, now: UnixTime(seconds: firstIssued + clock),
          ledgerNow: LedgerTime(milliseconds: clock * 1000), signatures: verifier)
        return bundleID.map(grant.allows) == true ? nil : Refusal(.internalServerError)
      } catch {
        return error
      }
    }
  }

  @Test("A genuine token lets in, and its repetition costs no further signature check")
  func repetition() {
    var door = Door()
    #expect(!door.session.isAuthenticated)
    for _ in 0..<5 { #expect(door.show(bearer()) == nil) }
    #expect(door.verifier.questions == 1)
    #expect(door.session.isAuthenticated)
  }

  @Test("Another connection with the same token costs no further signature check either")
  func sharedToken() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.session = ProviderSession()
    #expect(door.show(bearer()) == nil)
    #expect(door.verifier.questions == 1)
  }

  @Test(
    "Each reason not to believe a token has its answer",
    arguments: [
      (nil, RejectionReason.missingProviderToken),
      ("", .missingProviderToken),
      ("bearer x", .invalidProviderToken),
      (bearer(kid: "UNKNOWNKEY"), .invalidProviderToken),
      (bearer(kid: "KEY0000003"), .badEnvironmentKeyIDInToken),
      (bearer(team: "TEAM000002"), .invalidProviderToken),
      (bearer(key: 1), .invalidProviderToken),
      (bearer(issued: firstIssued - 3591), .expiredProviderToken),
      (bearer(issued: firstIssued + 71), .invalidProviderToken),
    ] as [(String?, RejectionReason)])
  func reasons(authorization: String?, expected: RejectionReason) {
    var door = Door()
    #expect(door.show(authorization)?.reason == expected)
    #expect(!door.session.isAuthenticated)
    #expect(door.show(bearer()) == nil)
  }

  @Test("A key that is listed for both environments is found in this one")
  func bothEnvironments() {
    var door = Door()
    #expect(door.show(bearer(kid: "BOTHWORLDS", key: 4)) == nil)
    #expect(door.show(bearer(kid: "BOTHWORLDS", key: 3))?.reason == .invalidProviderToken)
  }

  @Test("A token that was accepted expires at its hour, on the same connection and out of the cache")
  func expiry() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.clock = 3600
    #expect(door.show(bearer()) == nil)
    door.clock = 3601
    #expect(door.show(bearer())?.reason == .expiredProviderToken)
    door.session = ProviderSession()
    #expect(door.show(bearer())?.reason == .expiredProviderToken)
    #expect(door.verifier.questions == 1)
  }

  @Test("A token dies with its key when the keys are reloaded, on the same connection and out of the cache")
  func reload() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.authenticator.replaceKeyring(ProviderKeyring(keys: Array(Self.keys().dropFirst()), generation: 2))
    #expect(door.show(bearer())?.reason == .invalidProviderToken)
    door.session = ProviderSession()
    #expect(door.show(bearer())?.reason == .invalidProviderToken)
  }

  @Test("A token whose key is still there after a reload is checked anew and goes on")
  func reloadKeepsKey() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.authenticator.replaceKeyring(ProviderKeyring(keys: Self.keys(), generation: 2))
    #expect(door.show(bearer()) == nil)
    #expect(door.verifier.questions == 2)
  }

  @Test("A reload that brings the key lets in what was refused for the lack of it")
  func reloadBringsKey() {
    var door = Door()
    let new = bearer(kid: "NEWKEY0001", key: 8)
    #expect(door.show(new)?.reason == .invalidProviderToken)
    let key = ProviderKeyring.Key(keyID: "NEWKEY0001", team: "TEAM000001", environment: .development, topics: [])
    door.authenticator.replaceKeyring(ProviderKeyring(keys: Self.keys([key]), generation: 2))
    #expect(door.show(new)?.reason == .internalServerError, "the key is believed, and its grant is empty")
  }

  @Test("A reload that takes the key away frees its client from the twenty minutes")
  func reloadFreesFromRate() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.authenticator.replaceKeyring(ProviderKeyring(keys: Self.keys(), generation: 2))
    #expect(door.show(bearer(kid: "BOTHWORLDS", key: 4)) == nil)
  }

  @Test("A client that insists on a bad signature costs one check, until it shows something else")
  func badSignatureRepeated() {
    var door = Door()
    for _ in 0..<5 { #expect(door.show(bearer(key: 7))?.reason == .invalidProviderToken) }
    #expect(door.verifier.questions == 1)
    #expect(door.show(bearer()) == nil)
  }

  @Test("A token that differs in its last byte is not taken for the accepted one")
  func lastByte() {
    var door = Door()
    let good = bearer()
    #expect(door.show(good) == nil)
    let last = good.last == "A" ? "Q" : "A"
    #expect(door.show(good.dropLast() + last)?.reason == .invalidProviderToken)
    #expect(door.show(good + "AAAA")?.reason == .invalidProviderToken)
    #expect(door.show(good) == nil)
  }

  @Test("A connection belongs to the team of its first token")
  func team() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.clock += 1200
    let other = bearer(kid: "KEY0000002", team: "TEAM000002", key: 1)
    #expect(door.show(other)?.reason == .invalidProviderToken)
    #expect(door.show(bearer()) == nil)
    door.session = ProviderSession()
    #expect(door.show(other) == nil)
  }

  @Test(
    "A new token within 20 minutes is too early, with the time to wait; half a minute is forgiven",
    arguments: [(Int64(0), 1170), (1, 1169), (1169, 1), (1170, nil), (1200, nil)] as [(Int64, Int?)])
  func rate(after: Int64, wait: Int?) {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.clock += after
    let refusal = door.show(bearer(issued: firstIssued + 1))
    #expect(refusal?.reason == (wait == nil ? nil : .tooManyProviderTokenUpdates))
    #expect(refusal?.retryAfter == wait)
    #expect((door.show(bearer()) == nil) == (wait != nil), "the token in use stays the one in use")
  }

  @Test("A client that waits exactly as long as it was told gets through")
  func retryAfter() throws {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.clock += 17
    let wait = try #require(door.show(bearer(issued: firstIssued + 1))?.retryAfter)
    door.clock += Int64(wait)
    #expect(door.show(bearer(issued: firstIssued + 1)) == nil)
  }

  @Test(
    "Another text of the same token is no new token: padding, the signature's form and a second signature change nothing"
  )
  func sameTokenOtherText() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    door.clock += 30
    #expect(door.show(bearer(alphabet: .standardPadded)) == nil)
    #expect(door.show(bearer(signatureCount: 70)) == nil)
    #expect(door.show("Bearer   " + bearer().dropFirst(7)) == nil)
    #expect(door.verifier.questions == 3)
    // The twenty minutes count from the token's first text.
    door.clock += 1140
    #expect(door.show(bearer(issued: firstIssued + 1)) == nil)
  }

  @Test(
    "What kid, iss and iat tell costs no signature check",
    arguments: [
      bearer(kid: "UNKNOWNKEY"), bearer(kid: "KEY0000003"), bearer(team: "TEAM000002"),
      bearer(issued: firstIssued - 3591, key: 9), bearer(issued: firstIssued + 71, key: 9),
    ])
  func cheapQuestionsFirst(authorization: String) {
    var door = Door()
    for _ in 0..<3 { #expect(door.show(authorization) != nil) }
    #expect(door.verifier.questions == 0)
  }

  @Test("A token from the future is not refused for good: it is taken when its time has come")
  func futureComes() {
    var door = Door()
    let early = bearer(issued: firstIssued + 100)
    let refusal = door.show(early)
    #expect(refusal?.reason == .invalidProviderToken)
    #expect(refusal?.detail?.contains("90 s in the future") == true)
    #expect(refusal?.detail?.contains("60 s") == true)
    door.clock += 30
    #expect(door.show(early) == nil)
  }

  @Test("A client that shows a new text each time runs out of signature checks, and its good token works all the while")
  func boundedChecks() throws {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    var refusals: [RejectionReason?] = []
    for key in 10..<30 {
      refusals.append(door.show(bearer(key: key))?.reason)
      #expect(door.show(bearer()) == nil)
    }
    #expect(door.verifier.questions == Int(ProviderSession.signatureAllowance.burst))
    let checked = Int(ProviderSession.signatureAllowance.burst) - 1
    #expect(refusals.prefix(checked).allSatisfy { $0 == .invalidProviderToken })
    #expect(refusals.dropFirst(checked).allSatisfy { $0 == .tooManyProviderTokenUpdates })

    // Nothing is held against a text that could not be checked: whoever waits is answered.
    let wait = try #require(door.show(bearer(key: 29))?.retryAfter)
    door.clock += Int64(wait)
    #expect(door.show(bearer(key: 29))?.reason == .invalidProviderToken)
    // Another connection has its own.
    door.session = ProviderSession()
    #expect(door.show(bearer(key: 30))?.reason == .invalidProviderToken)
  }

  @Test(
    "A connection that began with one key takes another of its scope, and topic-specific ones only for the same topics",
    arguments: [
      ("ABCDEFGHIJ", "BOTHWORLDS", nil), ("BOTHWORLDS", "ABCDEFGHIJ", nil),
      ("ABCDEFGHIJ", "TOPICKEY_A", .unrelatedKeyIDInToken), ("TOPICKEY_A", "ABCDEFGHIJ", .unrelatedKeyIDInToken),
      ("TOPICKEY_A", "TOPICKEY_A", nil), ("TOPICKEY_A", "TOPICKEY_B", nil),
      ("TOPICKEY_A", "TOPICKEY_C", .unrelatedKeyIDInToken), ("TOPICKEY_A", "KEY0000003", .badEnvironmentKeyIDInToken),
      ("ABCDEFGHIJ", "KEY0000003", .badEnvironmentKeyIDInToken),
    ] as [(String, String, RejectionReason?)])
  func relatedKeys(first: String, second: String, expected: RejectionReason?) {
    func token(_ name: String, issued: Int64) -> String {
      let key = Self.keys().lastIndex { $0.keyID == name } ?? 0
      return bearer(kid: name, issued: issued, key: key)
    }
    var door = Door()
    #expect(door.show(token(first, issued: firstIssued)) == nil)
    door.clock += 1200
    #expect(door.show(token(second, issued: firstIssued + 1200))?.reason == expected)
    // A new connection may begin with it.
    door.session = ProviderSession()
    let alone = door.show(token(second, issued: firstIssued + 1200))?.reason
    #expect(
      alone
        == (expected == .badEnvironmentKeyIDInToken ? expected : second == "TOPICKEY_C" ? .internalServerError : nil))
  }

  @Test("An unrelated key is said before a token that comes too early, and a bad signature before both")
  func orderOfCredentialChecks() {
    var door = Door()
    #expect(door.show(bearer()) == nil)
    #expect(door.show(bearer(kid: "TOPICKEY_A", key: 5))?.reason == .unrelatedKeyIDInToken)
    #expect(door.show(bearer(kid: "TOPICKEY_A", key: 6))?.reason == .invalidProviderToken)
    #expect(door.show(bearer(kid: "BOTHWORLDS", key: 4))?.reason == .tooManyProviderTokenUpdates)
  }

  @Test("A grant allows what its patterns say, few or many", arguments: [1, 8, 9, 400])
  func grants(count: Int) throws {
    let patterns = (0..<count).compactMap { BundlePattern("com.example.app\($0)") }
    let grant = TopicGrant(patterns + [BundlePattern("org.example.*")].compactMap(\.self))
    let last = try #require(BundleID("com.example.app\(count - 1)"))
    let beyond = try #require(BundleID("com.example.app\(count)"))
    #expect(grant.allows(last))
    #expect(!grant.allows(beyond))
    #expect(grant.allows(try #require(BundleID("org.example.anything"))))
    #expect(!grant.allows(try #require(BundleID("org.example"))))
    #expect(!TopicGrant([]).allows(last))
  }
}
