/// What a file that the configuration names is for, and so what it must hold.
enum SecretPurpose {
  case certificate
  case privateKey
  case providerKey
  /// An enrolment key or the admin token: one line that can travel as a bearer token.
  case bearer

  /// Whether others must not read such a file with these bytes.
  func isSecret(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .certificate: false
    case .privateKey, .bearer: true
    case .providerKey: Self.holds("PRIVATE KEY-----", bytes)
    }
  }

  /// What was expected, if `bytes` are plainly something else. Parsing them is the work of `check` and of the start.
  func fault(in bytes: [UInt8]) -> String? {
    switch self {
    case .certificate:
      Self.holds("-----BEGIN CERTIFICATE-----", bytes)
        ? nil : "expected a PEM certificate (-----BEGIN CERTIFICATE-----)"
    case .privateKey:
      Self.holds("PRIVATE KEY-----", bytes) ? nil : "expected a PEM private key (-----BEGIN PRIVATE KEY-----)"
    case .providerKey:
      Self.holds("PRIVATE KEY-----", bytes) || Self.holds("-----BEGIN PUBLIC KEY-----", bytes)
        ? nil : "expected a .p8 file (-----BEGIN PRIVATE KEY-----) or a PEM public key"
    case .bearer:
      bytes.isEmpty
        ? "expected a key in it, but it is empty"
        : bytes.allSatisfy { (0x21...0x7E).contains($0) }
          ? nil : "expected one line of visible ASCII characters without spaces"
    }
  }

  /// The bytes as they are used: a bearer key without the line's end that every editor leaves.
  func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    guard case .bearer = self else { return bytes }
    var end = bytes.endIndex
    while end > bytes.startIndex, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    return Array(bytes[..<end])
  }

  private static func holds(_ needle: StaticString, _ bytes: [UInt8]) -> Bool {
    let pattern = needle.withUTF8Buffer { Array($0) }
    guard bytes.count >= pattern.count else { return false }
    return (0...(bytes.count - pattern.count)).contains { bytes[$0..<($0 + pattern.count)].elementsEqual(pattern) }
  }
}
