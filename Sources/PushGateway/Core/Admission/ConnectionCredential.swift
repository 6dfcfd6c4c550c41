/// What a connection was let in with: a client certificate, which stands for all its requests, or the `authorization`
/// value that it last got through with. Nearly every request repeats that, and then costs one comparison of bytes.
package struct ConnectionCredential {
  private enum Proof {
    case none
    case token(ProviderCredential)
    case certificate(CertificateCredential)
  }

  private var proof = Proof.none
  /// The accepted `authorization`. Beside the proof and not in it, so that no request copies it in order to look.
  private var text: [UInt8] = []

  package init() {}

  package init(_ certificate: CertificateCredential) { proof = .certificate(certificate) }

  /// Whether any was ever accepted.
  package var isPresent: Bool { if case .none = proof { false } else { true } }

  package var certificate: CertificateCredential? {
    if case .certificate(let certificate) = proof { certificate } else { nil }
  }

  private var token: ProviderCredential? { if case .token(let credential) = proof { credential } else { nil } }

  package var generation: UInt32? { token?.generation }

  /// UNIX seconds.
  package var issuedAt: Int64? { token?.issuedAt }

  /// The credential, when `authorization` is byte for byte the accepted one and the same keyring still stands.
  @inline(__always)
  package func matching(_ authorization: UnsafeRawBufferPointer, generation: UInt32) -> ProviderCredential? {
    guard let token, token.generation == generation else { return nil }
    return text.withUnsafeBytes { $0.hasSameBytes(as: authorization) } ? token : nil
  }

  package mutating func accept(_ credential: ProviderCredential, for authorization: UnsafeRawBufferPointer) {
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: authorization)
    proof = .token(credential)
  }
}
