/// The `authorization` value that a connection last got through with. Nearly every request repeats it, and then costs
/// one comparison of bytes.
package struct ConnectionCredential {
  private var text: [UInt8] = []
  private var credential: ProviderCredential?

  package init() {}

  /// Whether any was ever accepted.
  package var isPresent: Bool { credential != nil }

  package var generation: UInt32? { credential?.generation }

  /// UNIX seconds.
  package var issuedAt: Int64? { credential?.issuedAt }

  /// The credential, when `authorization` is byte for byte the accepted one and the same keyring still stands.
  @inline(__always)
  package func matching(_ authorization: UnsafeRawBufferPointer, generation: UInt32) -> ProviderCredential? {
    guard let credential, credential.generation == generation else { return nil }
    return text.withUnsafeBytes { $0.hasSameBytes(as: authorization) } ? credential : nil
  }

  package mutating func accept(_ credential: ProviderCredential, for authorization: UnsafeRawBufferPointer) {
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: authorization)
    self.credential = credential
  }
}
