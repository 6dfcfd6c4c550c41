/// A provider token whose signature was found right. Says nothing about its age, which changes by itself.
package struct ProviderCredential: Equatable, Sendable {
  /// Index in the keyring of this ``generation``.
  package let key: Int
  /// UNIX seconds.
  package let issuedAt: Int64
  /// The keyring that vouched for it. Credentials of another generation count for nothing.
  package let generation: UInt32

  package init(key: Int, issuedAt: Int64, generation: UInt32) {
    self.key = key
    self.issuedAt = issuedAt
    self.generation = generation
  }
}
