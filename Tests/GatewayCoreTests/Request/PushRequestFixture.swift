import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

/// One valid push, to be broken one thing at a time, and the whole order of checks to show it to.
struct PushRequestFixture {
  private static let authorization = "bearer " + JWT().text

  var fields: [(name: String, value: String)] = [
    (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + String(repeating: "0f", count: 32)),
    ("host", "localhost"), ("authorization", Self.authorization),
    ("apns-id", "123e4567-e89b-12d3-a456-4266554400a0"), ("apns-expiration", "1700003600"), ("apns-priority", "5"),
    ("apns-collapse-id", "espresso"), ("apns-push-type", "widgets"),
    ("apns-topic", "com.example.caffeine.push-type.widgets"), ("content-type", "application/x-www-form-urlencoded"),
  ]
  var payload = #"{"aps":{"content-changed":true}}"#
  var checks = GatewayConfiguration.Checks()
  /// The token that the connection used half a minute earlier, if it did.
  var earlierToken: String?
  /// What became of the registration before the push came.
  var isRemoved = false
  /// How many pushes went before this one; the third in a minute is one too many.
  var earlierPushes = 0

  /// Replaces a field's value, or removes the field.
  mutating func set(_ name: String, to value: String?) {
    fields.removeAll { $0.name == name }
    if let value { fields.append((name, value)) }
  }

  mutating func repeatField(_ name: String) {
    guard let field = fields.first(where: { $0.name == name }) else { return }
    fields.append(field)
  }

  var header: HeaderBlock {
    let block = HeaderBlock()
    for field in fields {
      withBytes(field.name) { name in withBytes(field.value) { _ = block.append(name: name, value: $0) } }
    }
    return block
  }

  struct Verdict: Equatable {
    let head: PushHead
    let token: DeviceToken
    let payload: PayloadAcceptance
  }

  private static let keys: [ProviderKeyring.Key] = [
    .init(
      keyID: "ABCDEFGHIJ", team: "TEAM000001", environment: .development,
      topics: [BundlePattern("com.example.*")].compactMap(\.self)),
    .init(
      keyID: "PRODUCTION", team: "TEAM000001", environment: .production,
      topics: [BundlePattern("com.example.*")].compactMap(\.self)),
    .init(
      keyID: "ONETOPIC01", team: "TEAM000001", environment: .development, scope: .topics,
      topics: [BundlePattern("com.example.caffeine")].compactMap(\.self)),
  ]

  /// The checks that a request alone decides.
  func judge() -> Result<Verdict, Refusal> {
    let authenticator = ProviderAuthenticator(
      environment: .development, keyring: ProviderKeyring(keys: Self.keys, generation: 1))
    let session = ProviderSession()
    var topics = TopicTable(seed: 1)
    let validator = PushValidator(checks: checks)
    let header = self.header
    return Result { () throws(Refusal) in
      if let earlierToken {
        let earlier = Array(earlierToken.utf8)
        _ = try earlier.withUnsafeBytes { bytes in
          Result { () throws(Refusal) in
            try authenticator.authenticate(
              bytes, session: session, now: UnixTime(seconds: 1_700_000_010),
              ledgerNow: LedgerTime(milliseconds: 10_000), signatures: ChecksumVerifier())
          }
        }.get()
      }
      let head = try validator.head.validate(header, topics: &topics) { () throws(Refusal) in
        try authenticator.authenticate(
          header, session: session, now: UnixTime(seconds: 1_700_000_040),
          ledgerNow: LedgerTime(milliseconds: 40_000), signatures: ChecksumVerifier())
      }
      let rest = try withBytes(payload) { body in
        Result { () throws(Refusal) in try validator.complete(head, payload: body) }
      }.get()
      return Verdict(head: head, token: rest.token, payload: rest.payload)
    }
  }

  /// The whole order of checks, with a ledger that holds one registration, of com.example.caffeine.
  func judgeWhole() throws -> Result<PushVerdict.Tally, Refusal> {
    let verdict: Verdict
    switch judge() {
    case .success(let judged): verdict = judged
    case .failure(let refusal): return .failure(refusal)
    }
    let sample = SampleLedger(LedgerRules(pushesPerTokenPerMinute: 2))
    let registration = try sample.register(SampleLedger.widgets("espresso"), on: sample.device(), fresh: 0x0F)
    for _ in 0..<earlierPushes { sample.push(to: registration) }
    if isRemoved { sample.ledger.remove(registration, at: sample.now, wall: sample.wall) }
    let answer = sample.ledger.accept(
      IncomingPush(id: verdict.head.id ?? SampleLedger.pushID(1), storage: .until(.distantFuture)),
      for: verdict.token, in: .development, bundleID: verdict.head.bundleID, at: sample.now)
    if case .denied(let denial) = answer { return .failure(denial.refusal(in: .development)) }
    return .success(try #require(answer.tally))
  }
}
