/// What one side of a connection shows, and proves to be its own.
package struct CertificateAndKey: Sendable {
  /// PEM: the certificate, then its chain.
  package let certificateChain: [UInt8]
  /// PEM, without passphrase. A secret.
  package let privateKey: [UInt8]

  package init(certificateChain: [UInt8], privateKey: [UInt8]) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }
}
