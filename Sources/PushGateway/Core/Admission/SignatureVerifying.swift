/// Checks ES256 signatures with the keys of a ``ProviderKeyring``. Core knows no cryptography; whoever owns the keys
/// brings it.
package protocol SignatureVerifying {
  /// - Parameters:
  ///   - signature: raw R‖S when it has 64 bytes, DER otherwise.
  ///   - message: the JWT's first two parts and the dot between them.
  ///   - key: index in the keyring.
  func verifies(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, key: Int) -> Bool
}
