/// Makes JWTs as APNs providers send them: ES256 over team, key ID and time (Apple: Establishing a token-based
/// connection to APNs).
package struct ProviderTokenSigner {
  private let team: String
  private let keyID: String
  private let key: ES256SigningKey

  /// - Parameters:
  ///   - team: as `iss` names it; like `keyID` ten letters and digits, which JSON need not escape.
  ///   - key: of the `.p8` file.
  package init(team: String, keyID: String, key: ES256SigningKey) {
    self.team = team
    self.keyID = keyID
    self.key = key
  }

  /// - Parameter seconds: since 1970; the token is good for an hour from then.
  package func token(issuedAt seconds: Int64) throws(TLSError) -> String {
    let header = Self.base64URL(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
    let claims = Self.base64URL(Array(#"{"iss":"\#(team)","iat":\#(seconds)}"#.utf8))
    let signed = header + "." + claims
    return signed + "." + Self.base64URL(try key.sign(Array(signed.utf8)))
  }

  /// RFC 4648 §5, without padding (RFC 7515 §2).
  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * place)) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
