import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

/// Protects the door of the device listener: who may come in, for what, and how many of them.
@Suite("Device credentials") struct DeviceCredentialTests {
  @Test("A bearer key is read whatever the scheme's case", arguments: ["Bearer k3y", "bearer k3y", "BEARER   k3y"])
  func bearer(field: String) throws {
    #expect(try BearerCredential.extract(from: Array(field.utf8)).revealed == Array("k3y".utf8))
    #expect(try BearerCredential.extract(from: fields([field])).revealed == Array("k3y".utf8))
  }

  @Test(
    "Another scheme is no credential, and a key that cannot be one is a wrong one",
    arguments: [
      ("", .missingCredential), ("Bearer", .missingCredential), ("Basic k3y", .missingCredential),
      ("Bearerk3y", .missingCredential), ("[earer k3y", .missingCredential), ("Bearer ", .badCredential),
      ("Bearer a b", .badCredential), ("Bearer k\u{7F}", .badCredential), ("Bearer ключ", .badCredential),
      ("Bearer " + String(repeating: "k", count: 513), .badCredential),
    ] as [(String, DeviceError)])
  func noBearer(field: String, expected: DeviceError) {
    let error = #expect(throws: DeviceRefusal.self) { try BearerCredential.extract(from: Array(field.utf8)) }
    #expect(error?.error == expected)
  }

  @Test("A request without the field lacks a credential, and one with two of them has a wrong one")
  func fieldCount() {
    #expect(throws: DeviceRefusal(.missingCredential)) { try BearerCredential.extract(from: fields([])) }
    #expect(throws: DeviceRefusal(.badCredential, "authorization comes more than once")) {
      try BearerCredential.extract(from: fields(["Bearer a", "Bearer a"]))
    }
  }

  @Test("A device key comes back from its own text, in either case, and never shows itself")
  func deviceKey() throws {
    let key = DeviceKey(randomBytes: (0..<32).map { $0 * 8 + 3 })
    let text = key.revealedText
    #expect(text.utf8.count == 64)
    #expect(try DeviceKey(Secret(Array(text.utf8))).bytes == key.bytes)
    #expect(try DeviceKey(Secret(Array(text.uppercased().utf8))).bytes == key.bytes)
    for shown in ["\(key)", String(reflecting: key), String(describing: [key])] { #expect(!shown.contains(text)) }
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.contains("11"))
  }

  @Test(
    "What is no device key is refused like a wrong one",
    arguments: ["", "ab", String(repeating: "a", count: 63), String(repeating: "g", count: 64)])
  func noDeviceKey(text: String) {
    #expect(throws: DeviceRefusal(.badCredential)) { try DeviceKey(Secret(Array(text.utf8))) }
  }

  @Test(
    "A registration must be within the scope of the key that enrolled the device",
    arguments: [
      ("com.example.caffeine", .development, nil),
      ("com.example.caffeine", .production, .environmentNotAllowed),
      ("org.other.app", .development, nil),
      ("com.example", .development, .appNotAllowed),
      ("com.examples.caffeine", .development, .appNotAllowed),
      ("net.else.app", .production, .appNotAllowed),
    ] as [(String, GatewayEnvironment, DeviceError?)])
  func scope(app: String, environment: GatewayEnvironment, expected: DeviceError?) throws {
    let patterns = ["com.example.*", "org.other.app"].compactMap { BundlePattern($0) }
    let scope = DeviceScope(
      GatewayConfiguration.Enrolment(key: Secret("k"), bundleIDs: patterns, environments: [.development]),
      keyFingerprint: 1)
    #expect(scope.refusal(of: try #require(BundleID(app)), in: environment)?.error == expected)
  }

  @Test("A scope's refusal names what is not allowed")
  func scopeDetail() throws {
    let scope = DeviceScope(
      keyFingerprint: 1, bundleIDs: [try #require(BundlePattern("*"))], environments: [.production])
    let app = try #require(BundleID("com.example"))
    #expect(
      scope.refusal(of: app, in: .development)?.detail
        == "the key that enrolled this device is not for development")
    #expect(
      DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: [.production]).refusal(of: app, in: .production)?
        .detail
        == "the key that enrolled this device is not for the app com.example")
  }

  @Test("A minute's allowance may come at once, and then one device at a time")
  func quotaRate() {
    var quota = EnrolmentQuota(maximumDevices: 1000, perMinute: 20, now: time(0))
    for _ in 0..<20 { #expect(quota.admit(enrolled: 0, now: time(0)) == nil) }
    #expect(quota.admit(enrolled: 0, now: time(0)) == DeviceRefusal(.enrolmentLimit, retryAfter: 3))
    #expect(quota.admit(enrolled: 0, now: time(2999)) == DeviceRefusal(.enrolmentLimit, retryAfter: 1))
    #expect(quota.admit(enrolled: 0, now: time(3000)) == nil)
    #expect(quota.admit(enrolled: 0, now: time(3000)) == DeviceRefusal(.enrolmentLimit, retryAfter: 3))
  }

  @Test("Who waits exactly as long as retry-after says comes in", arguments: [1, 7, 59, 6000, 999_983])
  func quotaRetry(perMinute: Int) {
    var quota = EnrolmentQuota(maximumDevices: .max, perMinute: perMinute, now: time(0))
    var now = time(0)
    for _ in 0..<perMinute { _ = quota.admit(enrolled: 0, now: now) }
    for _ in 0..<5 {
      guard let refusal = quota.admit(enrolled: 0, now: now), let seconds = refusal.retryAfter else { continue }
      #expect(seconds >= 1)
      now = now.advanced(byMilliseconds: Int64(seconds) * 1000)
      #expect(quota.admit(enrolled: 0, now: now) == nil)
    }
  }

  @Test("A long pause gives no more than one minute's allowance")
  func quotaPause() {
    var quota = EnrolmentQuota(maximumDevices: 1000, perMinute: 2, now: time(0))
    _ = quota.admit(enrolled: 0, now: time(0))
    for _ in 0..<2 { #expect(quota.admit(enrolled: 0, now: time(.max)) == nil) }
    #expect(quota.admit(enrolled: 0, now: time(.max))?.error == .enrolmentLimit)
    #expect(quota.admit(enrolled: 0, now: time(0))?.error == .enrolmentLimit)
  }

  @Test("A full key lets nobody in, and refusals use nothing up")
  func quotaFull() {
    var quota = EnrolmentQuota(maximumDevices: 2, perMinute: 1, now: time(0))
    #expect(quota.admit(enrolled: 2, now: time(0)) == DeviceRefusal(.enrolmentFull))
    #expect(quota.admit(enrolled: 1, now: time(0)) == nil)
  }

  @Test("No rate and absurd rates are taken as they are", arguments: [0, -5, Int.max])
  func quotaExtremes(perMinute: Int) {
    var quota = EnrolmentQuota(maximumDevices: 10, perMinute: perMinute, now: time(.min))
    for _ in 0..<100 { #expect(quota.admit(enrolled: 0, now: time(.max)) == nil) }
  }

  @Test("One address uses up its own share of a key and nobody else's; refusals count for nothing")
  func addressQuota() {
    var quotas = AddressQuotas()
    quotas.replace(rates: [1: 2, 2: 0])
    for _ in 0..<2 {
      #expect(quotas.refusal(of: "192.0.2.7", key: 1, at: time(0)) == nil)
      quotas.count("192.0.2.7", key: 1, at: time(0))
    }
    for _ in 0..<3 {
      let refusal = quotas.refusal(of: "192.0.2.7", key: 1, at: time(0))
      #expect(refusal?.error == .enrolmentLimit && refusal?.retryAfter == 30)
      #expect(refusal?.detail.contains("address") == true)
    }
    #expect(quotas.refusal(of: "192.0.2.8", key: 1, at: time(0)) == nil)
    #expect(quotas.refusal(of: "192.0.2.7", key: 2, at: time(0)) == nil)
    #expect(quotas.refusal(of: "192.0.2.7", key: 1, at: time(30_000)) == nil)
    quotas.replace(rates: [1: 2, 2: 0])
    #expect(
      quotas.refusal(of: "192.0.2.7", key: 1, at: time(0)) != nil, "a reload that changes nothing forgives nothing")
    quotas.replace(rates: [1: 3])
    #expect(quotas.refusal(of: "192.0.2.7", key: 1, at: time(0)) == nil)
  }

  @Test("Addresses that count for nothing any more are forgotten")
  func addressesForgotten() {
    var quotas = AddressQuotas()
    quotas.replace(rates: [1: 60])
    for number in 0..<20_000 {
      quotas.count("\(number)", key: 1, at: time(Int64(number) * 10))
    }
    #expect(quotas.addressCount < 2500)
  }

  private func time(_ milliseconds: Int64) -> LedgerTime { LedgerTime(milliseconds: milliseconds) }

  private func fields(_ authorizations: [String]) -> HeaderBlock {
    let block = HeaderBlock()
    for value in authorizations {
      Array("authorization".utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { _ = block.append(name: name, value: $0) }
      }
    }
    return block
  }
}
