import TokenStore

/// A provider's JWT, taken apart and not yet believed.
///
/// Read once for each text (verified ones are remembered, see ``VerifiedTokenCache``), so it may allocate.
package struct ProviderToken: Equatable, Sendable {
  /// JWTs measure about 200 bytes; more than this is not looked at.
  package static let maximumBytes = 2048

  /// `kid`
  package let keyID: String
  /// `iss`
  package let team: String
  /// `iat`: UNIX seconds, a fraction cut off.
  package let issuedAt: Int64
  /// What the signature covers, as a range of the JWT's bytes.
  package let signingInput: Range<Int>
  /// ES256 as raw R‖S (64 bytes) or DER; APNs takes both.
  package let signature: [UInt8]

  /// The JWT's place in an `authorization` value. The scheme may be written in any case (RFC 9110 §11.1).
  package static func range(inAuthorization value: UnsafeRawBufferPointer) throws(ProviderTokenFault) -> Range<Int> {
    let schemeCount = 6
    let isBearer =
      value.count >= schemeCount
      && UnsafeRawBufferPointer(rebasing: value[..<schemeCount]).equalsIgnoringCase("bearer")
    var start = schemeCount
    var end = value.count
    while start < end, value[start] == 0x20 { start += 1 }
    while start < end, value[end - 1] == 0x20 { end -= 1 }
    if isBearer, start == end { throw .absent }
    guard isBearer, start > schemeCount else {
      if value.allSatisfy({ $0 == 0x20 }) { throw .absent }
      throw .notBearer
    }
    return start..<end
  }

  package init(_ text: UnsafeRawBufferPointer) throws(ProviderTokenFault) {
    guard text.count <= Self.maximumBytes else { throw .tooLong }
    let dots = text.indices.filter { text[$0] == 0x2E }
    guard dots.count == 2, let first = dots.first, let second = dots.last else { throw .notThreeParts }
    let header = try Self.members(of: UnsafeRawBufferPointer(rebasing: text[..<first]), part: .header)
    let claims = try Self.members(of: UnsafeRawBufferPointer(rebasing: text[(first + 1)..<second]), part: .claims)
    let signaturePart = UnsafeRawBufferPointer(rebasing: text[(second + 1)...])
    guard let signature = Base64.decode(signaturePart), !signature.isEmpty else { throw .notBase64(.signature) }

    guard case .text(let algorithm)? = header.algorithm else { throw .missing(.algorithm) }
    guard algorithm == "ES256" else { throw .wrongAlgorithm(algorithm) }
    guard case .text(let keyID)? = header.keyID, !keyID.isEmpty else { throw .missing(.keyID) }
    guard case .text(let team)? = claims.team, !team.isEmpty else { throw .missing(.team) }
    guard let issued = claims.issuedAt else { throw .missing(.issuedAt) }
    guard let issuedAt = issued.seconds else { throw .malformedIssuedAt }
    self.keyID = keyID
    self.team = team
    self.issuedAt = issuedAt
    self.signingInput = 0..<second
    self.signature = signature
  }

  private static func members(
    of part: UnsafeRawBufferPointer, part name: ProviderTokenFault.Part
  ) throws(ProviderTokenFault) -> TokenMembers {
    guard let json = Base64.decode(part) else { throw .notBase64(name) }
    let read = json.withUnsafeBytes { bytes in
      Result { () throws(JSONFault) in try TokenMembers(reading: bytes) }
    }
    switch read {
    case .success(let members?): return members
    case .success(nil): throw .notAnObject(name)
    case .failure(let fault): throw .notJSON(name, fault)
    }
  }
}

/// The members of a JWT's header or claims that matter, of equal ones the last.
private struct TokenMembers {
  enum Value {
    case text(String)
    case number(String)
    case other

    /// UNIX seconds from what libraries send: an integer, a float (PyAPNs2) or either as text (APNSwift).
    var seconds: Int64? {
      let digits: String
      switch self {
      case .text(let text), .number(let text): digits = text
      case .other: return nil
      }
      if let whole = Int64(digits) { return abs(whole.clamped(to: Self.range)) == Self.limit ? nil : whole }
      // Double(_:) also takes hexadecimal, `inf` and `nan`; JSON's alphabet rules them out.
      guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(digits),
        number.magnitude < Double(Self.limit)
      else { return nil }
      return Int64(number)
    }

    /// Far beyond any date, and exact as a Double.
    private static let limit: Int64 = 1 << 52
    private static let range = -limit...limit
  }

  var algorithm: Value?
  var keyID: Value?
  var team: Value?
  var issuedAt: Value?

  /// - Returns: nil when the JSON is no object.
  init?(reading bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    var scanner = try JSONScanner(bytes)
    guard try scanner.peekKind() == .object else { return nil }
    var more = try scanner.enterObject()
    while more {
      let key = try scanner.key()
      let kind = try scanner.peekKind()
      let start = scanner.offset
      let value: Value
      if kind == .text {
        value = .text(try scanner.text().string(in: bytes))
      } else {
        try scanner.skipValue(depth: 1)
        value = kind == .number ? .number(String(decoding: bytes[start..<scanner.offset], as: UTF8.self)) : .other
      }
      if key.equals("alg", in: bytes) {
        algorithm = value
      } else if key.equals("kid", in: bytes) {
        keyID = value
      } else if key.equals("iss", in: bytes) {
        team = value
      } else if key.equals("iat", in: bytes) {
        issuedAt = value
      }
      more = try scanner.nextMember()
    }
    try scanner.finish()
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
