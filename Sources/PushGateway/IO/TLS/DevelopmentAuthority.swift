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
  package static let validDays: Int64 = 824
  private static let validSeconds = validDays * 86400

  /// `wallSeconds` is now, in seconds since 1970. Validity begins an hour earlier, for machines whose clocks differ.
  package static func issue(wallSeconds: Int64) throws(TLSError) -> DevelopmentIdentity {
    ERR_clear_error()
    let authorityKey = try P256Key()
    let serverKey = try P256Key()

    let authority = try CertificateDraft()
    try authority.fill(
      subject: [("CN", "gatewayd development authority")], key: authorityKey, from: wallSeconds - 3600,
      for: validSeconds)
    try authority.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: authority)
    try authority.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: authority)
    try authority.add(NID_subject_key_identifier, "hash", issuer: authority)
    try authority.add(NID_authority_key_identifier, "keyid:always", issuer: authority)
    try authority.add(
      NID_name_constraints,
      "critical,permitted;DNS:localhost,permitted;DNS:push.apple.com,permitted;IP:127.0.0.0/255.0.0.0,"
        + "permitted;IP:0:0:0:0:0:0:0:1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", issuer: authority)
    try authority.sign(by: authority, key: authorityKey)

    let server = try CertificateDraft()
    try server.fill(
      subject: [("CN", "gatewayd development server")], key: serverKey, from: wallSeconds - 3600, for: validSeconds)
    try server.add(NID_basic_constraints, "critical,CA:FALSE", issuer: authority)
    try server.add(NID_key_usage, "critical,digitalSignature", issuer: authority)
    try server.add(NID_ext_key_usage, "serverAuth", issuer: authority)
    try server.add(NID_subject_key_identifier, "hash", issuer: authority)
    try server.add(NID_authority_key_identifier, "keyid:always", issuer: authority)
    let alternatives = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
    try server.add(NID_subject_alt_name, alternatives.joined(separator: ","), issuer: authority)
    try server.sign(by: authority, key: authorityKey)

    return DevelopmentIdentity(
      caCertificate: try authority.pem(), serverCertificate: try server.pem(), serverKey: try serverKey.pem())
  }
}
