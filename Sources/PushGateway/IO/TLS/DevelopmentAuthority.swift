import COpenSSL

/// What a laptop and a test need to speak TLS with the gateway.
package struct DevelopmentIdentity: Sendable {
  /// PEM; for clients to trust.
  package let caCertificate: [UInt8]
  /// PEM; the server's certificate alone, since clients have the authority's.
  package let serverCertificate: [UInt8]
  /// PEM, PKCS#8. A secret: mode 0600.
  package let serverKey: [UInt8]
}

/// A certificate authority that lives for the length of one call: it issues one server certificate, and then its key is
/// gone. So whoever trusts it trusts that one certificate; even a stolen authority could issue nothing. What it may vouch
/// for is narrowed besides (RFC 5280 §4.2.1.10).
package enum DevelopmentAuthority {
  /// Names for the server's certificate: this machine, and Apple's push hosts for rigs that redirect them.
  package static let names = [
    "localhost", "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
  ]
  package static let addresses = ["127.0.0.1", "::1"]
  /// Apple's platforms refuse a server's certificate that lives for more than 825 days (support.apple.com/103769).
  package static let validDays = 824

  /// `wallSeconds` is now, in seconds since 1970. Validity begins an hour earlier, for machines whose clocks differ.
  package static func issue(wallSeconds: Int64) throws(TLSError) -> DevelopmentIdentity {
    ERR_clear_error()
    let authorityKey = try makeKey()
    let serverKey = try makeKey()

    let authority = try Certificate()
    try authority.fill(
      subject: "gatewayd development authority", key: authorityKey, from: wallSeconds - 3600, days: validDays)
    try authority.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: authority)
    try authority.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: authority)
    try authority.add(NID_subject_key_identifier, "hash", issuer: authority)
    try authority.add(NID_authority_key_identifier, "keyid:always", issuer: authority)
    try authority.add(
      NID_name_constraints,
      "critical,permitted;DNS:localhost,permitted;DNS:push.apple.com,permitted;IP:127.0.0.0/255.0.0.0,"
        + "permitted;IP:0:0:0:0:0:0:0:1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", issuer: authority)
    try authority.sign(by: authority, key: authorityKey)

    let server = try Certificate()
    try server.fill(
      subject: "gatewayd development server", key: serverKey, from: wallSeconds - 3600, days: validDays)
    try server.add(NID_basic_constraints, "critical,CA:FALSE", issuer: authority)
    try server.add(NID_key_usage, "critical,digitalSignature", issuer: authority)
    try server.add(NID_ext_key_usage, "serverAuth", issuer: authority)
    try server.add(NID_subject_key_identifier, "hash", issuer: authority)
    try server.add(NID_authority_key_identifier, "keyid:always", issuer: authority)
    let alternatives = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
    try server.add(NID_subject_alt_name, alternatives.joined(separator: ","), issuer: authority)
    try server.sign(by: authority, key: authorityKey)

    guard let key = PEM.text({ PEM_write_bio_PKCS8PrivateKey($0, serverKey.raw, nil, nil, 0, nil, nil) }) else {
      throw .drain("the server's key cannot be written as PEM")
    }
    return DevelopmentIdentity(
      caCertificate: try authority.pem(), serverCertificate: try server.pem(), serverKey: key)
  }

  private static func makeKey() throws(TLSError) -> P256Key {
    guard let raw = gateway_generate_p256() else { throw .drain("OpenSSL made no key") }
    return try P256Key(taking: raw, named: "new key")
  }

  /// Owns one X509 while it is put together.
  private struct Certificate: ~Copyable {
    private let raw: OpaquePointer

    init() throws(TLSError) {
      guard let raw = X509_new() else { throw .drain("OpenSSL gave no certificate") }
      self.raw = raw
    }

    deinit { X509_free(raw) }

    borrowing func fill(
      subject: String, key: borrowing P256Key, from seconds: Int64, days: Int
    ) throws(TLSError) {
      var serial = SecureRandom.bytes(16)
      // Positive and not zero (RFC 5280 §4.1.2.2).
      serial[0] = serial[0] & 0x7F | 0x40
      let number = BN_bin2bn(serial, Int32(serial.count), nil)
      defer { BN_free(number) }
      guard X509_set_version(raw, 2) == 1,  // counted from 0: version 3
        BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw)) != nil,
        ASN1_TIME_set(X509_getm_notBefore(raw), Int(seconds)) != nil,
        ASN1_TIME_set(X509_getm_notAfter(raw), Int(seconds) + days * 86400) != nil,
        X509_NAME_add_entry_by_txt(
          X509_get_subject_name(raw), "CN", gateway_utf8_string, Array(subject.utf8), Int32(subject.utf8.count), -1, 0)
          == 1,
        X509_set_pubkey(raw, key.raw) == 1
      else { throw .drain("the certificate cannot be made") }
    }

    borrowing func add(_ nid: Int32, _ value: String, issuer: borrowing Certificate) throws(TLSError) {
      guard gateway_add_extension(raw, issuer.raw, nid, value) == 1 else {
        throw .drain("the extension \(value) cannot be added")
      }
    }

    borrowing func sign(by issuer: borrowing Certificate, key: borrowing P256Key) throws(TLSError) {
      guard X509_set_issuer_name(raw, X509_get_subject_name(issuer.raw)) == 1,
        X509_sign(raw, key.raw, SHA256Digest.Algorithm.shared.raw) > 0
      else { throw .drain("the certificate cannot be signed") }
    }

    borrowing func pem() throws(TLSError) -> [UInt8] {
      guard let text = PEM.text({ PEM_write_bio_X509($0, raw) }) else {
        throw .drain("the certificate cannot be written as PEM")
      }
      return text
    }
  }
}
