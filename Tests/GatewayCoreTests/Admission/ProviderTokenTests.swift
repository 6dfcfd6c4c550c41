import GatewayCore
import Testing
import TokenStore

/// Protects that every shape of provider token which real client libraries send is read, and nothing else.
@Suite("Provider token") struct ProviderTokenTests {
  private func read(_ text: String) -> Result<ProviderToken, ProviderTokenFault> {
    withBytes(text) { bytes in Result { () throws(ProviderTokenFault) in try ProviderToken(bytes) } }
  }

  private func fault(_ text: String) -> ProviderTokenFault? {
    guard case .failure(let fault) = read(text) else { return nil }
    return fault
  }

  @Test("Key, team and time are read, and the signature's range is the first two parts")
  func parts() throws {
    let text = JWT().text
    let token = try read(text).get()
    #expect(token.keyID == "ABCDEFGHIJ")
    #expect(token.team == "TEAM000001")
    #expect(token.issuedAt == 1_700_000_000)
    let input = Array(Array(text.utf8)[token.signingInput])
    #expect(String(decoding: input, as: UTF8.self) == text.split(separator: ".").prefix(2).joined(separator: "."))
    #expect(token.signature == ChecksumVerifier.signature(of: input, key: 0))
  }

  @Test(
    "iat is read as integer, as float and as either in text",
    arguments: [
      "1700000000", "1700000000.75", "1.7e9", "\"1700000000\"", "\"1700000000.75\"", "17E8",
    ])
  func issuedAt(written: String) throws {
    let token = try read(JWT(claims: #"{"iss":"T","iat":\#(written)}"#).text).get()
    #expect(token.issuedAt == 1_700_000_000)
  }

  @Test(
    "iat that is no time is refused and traps nothing",
    arguments: [
      "null", "true", "[]", "{}", "\"\"", "\"soon\"", "\"0x10\"", "\"inf\"", "\"nan\"", "\"-\"", "1e300", "-1e300",
      "9223372036854775807", "-9223372036854775808", "99999999999999999999", "\" 1700000000\"",
    ])
  func malformedIssuedAt(written: String) {
    #expect(fault(JWT(claims: #"{"iss":"T","iat":\#(written)}"#).text) == .malformedIssuedAt)
  }

  @Test(
    "Both alphabets are read, with and without padding, whatever the length of a part",
    arguments: [JWT.Alphabet.url, .standardPadded], 0..<4)
  func alphabets(alphabet: JWT.Alphabet, spaces: Int) throws {
    let text = JWT(
      claims: #"{"iss":"TEAM>>>???","iat":1"# + String(repeating: " ", count: spaces) + "}", alphabet: alphabet
    ).text
    let token = try read(text).get()
    #expect(token.team == "TEAM>>>???")
  }

  @Test("JSON over several lines, with spaces and members that nobody asked for, is read; the last of equals counts")
  func looseJSON() throws {
    let token = try read(
      JWT(
        header: "{\n  \"typ\": \"JWT\",\n  \"alg\" : \"ES256\",\n  \"kid\": \"K\\u0031\"\n}\n",
        claims: #"{"kid":"K1","iss":"A","iss":"B","iat":1,"more":{"iat":[2]}}"#
      ).text
    ).get()
    #expect(token.keyID == "K1")
    #expect(token.team == "B")
    #expect(token.issuedAt == 1)
  }

  @Test("A DER signature is as good as a raw one", arguments: [8, 64, 70, 71, 72])
  func signatureLength(count: Int) throws {
    #expect(try read(JWT(signatureCount: count).text).get().signature.count == count)
  }

  @Test(
    "Each defect is named",
    arguments: [
      ("", ProviderTokenFault.notThreeParts), ("a.b", .notThreeParts), ("a.b.c.d", .notThreeParts),
      ("e!.e30.AAAA", .notBase64(.header)), ("A.e30.AAAA", .notBase64(.header)),
      ("e30=.W10.AAAA", .notAnObject(.claims)),
      ("e30==.e30.AAAA", .notBase64(.header)), ("e31.e30.AAAA", .notBase64(.header)),
      ("e30.e30.", .notBase64(.signature)), ("e30.e30.====", .notBase64(.signature)),
    ])
  func shape(text: String, expected: ProviderTokenFault) {
    #expect(fault(text) == expected)
  }

  @Test(
    "Each missing or wrong member is named",
    arguments: [
      (JWT(header: #"{"kid":"K"}"#), ProviderTokenFault.missing(.algorithm)),
      (JWT(header: #"{"alg":"ES512","kid":"K"}"#), .wrongAlgorithm("ES512")),
      (JWT(header: #"{"alg":"none","kid":"K"}"#), .wrongAlgorithm("none")),
      (JWT(header: #"{"alg":"es256","kid":"K"}"#), .wrongAlgorithm("es256")),
      (JWT(header: #"{"alg":"ES256"}"#), .missing(.keyID)),
      (JWT(header: #"{"alg":"ES256","kid":""}"#), .missing(.keyID)),
      (JWT(header: #"{"alg":"ES256","kid":7}"#), .missing(.keyID)),
      (JWT(claims: #"{"iat":1}"#), .missing(.team)),
      (JWT(claims: #"{"iss":"T"}"#), .missing(.issuedAt)),
      (JWT(claims: #"["iss"]"#), .notAnObject(.claims)),
      (JWT(header: "{\"alg\":\"ES256\",}"), .notJSON(.header, JSONFault(.trailingComma, at: 14))),
      (JWT(claims: ""), .notJSON(.claims, JSONFault(.unexpectedEnd, at: 0))),
      (JWT(signatureCount: 0), .notBase64(.signature)),
      (JWT(claims: #"{"iss":""# + String(repeating: "x", count: 2000) + #"","iat":1}"#), .tooLong),
    ])
  func members(jwt: JWT, expected: ProviderTokenFault) {
    #expect(fault(jwt.text) == expected)
    #expect(expected.refusal.reason == .invalidProviderToken)
    #expect(expected.refusal.detail?.contains(jwt.text.prefix(12)) == false)
  }

  @Test(
    "The scheme may be written in any case, with more than one space",
    arguments: ["bearer x.y.z", "Bearer x.y.z", "BEARER   x.y.z", "bearer x.y.z "])
  func scheme(value: String) throws {
    let range = try withBytes(value) { try ProviderToken.range(inAuthorization: $0) }
    #expect(String(decoding: Array(value.utf8)[range], as: UTF8.self) == "x.y.z")
  }

  @Test(
    "Another scheme or none is an invalid token, an empty value is a missing one",
    arguments: [
      ("", ProviderTokenFault.absent), ("  ", .absent), ("bearer", .absent), ("Bearer  ", .absent),
      ("x.y.z", .notBearer), ("Basic dTpw", .notBearer), ("bearerx.y.z", .notBearer), ("bear", .notBearer),
    ])
  func otherSchemes(value: String, expected: ProviderTokenFault) {
    let result = withBytes(value) { bytes in
      Result { () throws(ProviderTokenFault) in try ProviderToken.range(inAuthorization: bytes) }
    }
    #expect(result == .failure(expected))
    #expect(expected.refusal.reason == (expected == .absent ? .missingProviderToken : .invalidProviderToken))
  }

  @Test(
    "A token counts for one hour after it was issued, and for a minute before",
    arguments: [
      (Int64(0), nil), (3600, nil), (3601, RejectionReason.expiredProviderToken), (-60, nil),
      (-61, .invalidProviderToken), (.max, .expiredProviderToken),
    ] as [(Int64, RejectionReason?)])
  func age(seconds: Int64, expected: RejectionReason?) {
    let issued: Int64 = seconds == .max ? -1_000_000_000_000 : 1_700_000_000
    let now = seconds == .max ? UnixTime(seconds: 0) : UnixTime(seconds: issued + seconds)
    var refusal: Refusal?
    do throws(Refusal) { try ProviderTokenAge.check(issuedAt: issued, now: now) } catch { refusal = error }
    #expect(refusal?.reason == expected)
  }

  @Test("An iat in milliseconds is named as such")
  func milliseconds() {
    #expect(throws: Refusal(.invalidProviderToken, "The JWT's iat looks like milliseconds; it must be UNIX seconds.")) {
      try ProviderTokenAge.check(issuedAt: 1_700_000_000_000, now: UnixTime(seconds: 1_700_000_000))
    }
  }
}
