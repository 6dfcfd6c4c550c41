import GatewayIO
import Testing

/// Protects start and reload: a wrong file is a sentence that names the mend, and never shows what is in it.
@Suite("TLS context") struct TLSContextTests {
  @Test(
    "A certificate file without a certificate says what was expected",
    arguments: [
      "", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    ])
  func noCertificate(text: String) throws {
    let error = refusal(certificate: Array(text.utf8), key: try TestAuthority.shared.get().serverKey)
    #expect(error?.problem.contains("has no certificate in it") == true)
  }

  @Test("A damaged certificate is told by its place in the chain")
  func damagedCertificate() throws {
    let identity = try TestAuthority.shared.get()
    let damaged =
      identity.serverCertificate
      + Array("-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n".utf8)
    #expect(
      refusal(certificate: damaged, key: identity.serverKey)?.problem
        == "certificate number 2 of the certificate file is damaged")
  }

  @Test("A key file without a key says what was expected", arguments: ["", "hello"])
  func noKey(text: String) throws {
    let error = refusal(certificate: try TestAuthority.shared.get().serverCertificate, key: Array(text.utf8))
    #expect(error?.problem.contains("has no private key in it") == true)
  }

  @Test("A key of another certificate is told")
  func otherKey() throws {
    let error = refusal(
      certificate: try TestAuthority.shared.get().serverCertificate, key: try ES256SigningKey().pem())
    #expect(error?.problem.contains("does not match") == true)
  }

  @Test("A key with a passphrase is told with the way out, and nobody is asked for it")
  func encryptedKey() throws {
    let error = refusal(
      certificate: try TestAuthority.shared.get().serverCertificate, key: Array(KeyFixtures.encrypted.utf8))
    #expect(error?.problem.contains("is encrypted") == true)
    #expect(error?.problem.contains("openssl pkey") == true)
  }

  @Test("A damaged key shows nothing of itself")
  func damagedKey() throws {
    let text = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0c2VjcmV0c2VjcmV0\n-----END PRIVATE KEY-----\n"
    let error = refusal(certificate: try TestAuthority.shared.get().serverCertificate, key: Array(text.utf8))
    #expect(error != nil)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.contains("c2Vj") == false)
  }

  @Test("A chain of several certificates is sent whole")
  func chain() throws {
    let identity = try TestAuthority.shared.get()
    let context = try TLSContext.server(
      certificateChain: identity.serverCertificate + identity.caCertificate, privateKey: identity.serverKey)
    #expect(try TransportPair(server: context).handshake().client.isDone)
  }

  @Test("A CA file without certificates is an error")
  func noAuthority() {
    #expect(throws: TLSError.self) { try TLSContext.client(trust: .certificates(Array("nothing".utf8))) }
  }

  private func refusal(certificate: [UInt8], key: [UInt8]) -> TLSError? {
    do throws(TLSError) {
      _ = try TLSContext.server(certificateChain: certificate, privateKey: key)
      return nil
    } catch {
      return error
    }
  }
}
