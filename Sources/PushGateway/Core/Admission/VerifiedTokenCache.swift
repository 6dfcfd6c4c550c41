/// Provider tokens that were found genuine, by their exact bytes: one signature check for each text and not one for
/// each connection. Only genuine tokens get in, so nobody without a key can fill it.
///
/// Owned by one loop, for one environment.
package struct VerifiedTokenCache {
  package static let defaultCapacity = 1024

  private let capacity: Int
  private var credentials: [[UInt8]: ProviderCredential] = [:]

  package init(capacity: Int = Self.defaultCapacity) { self.capacity = max(1, capacity) }

  package var count: Int { credentials.count }

  package func credential(for text: UnsafeRawBufferPointer, generation: UInt32) -> ProviderCredential? {
    guard let credential = credentials[Array(text)], credential.generation == generation else { return nil }
    return credential
  }

  /// When full, what another generation vouched for goes first, then the token issued first.
  package mutating func insert(_ credential: ProviderCredential, for text: UnsafeRawBufferPointer) {
    let bytes = Array(text)
    if credentials.count >= capacity, credentials[bytes] == nil {
      let order: (ProviderCredential) -> (Int, Int64) = {
        ($0.generation == credential.generation ? 1 : 0, $0.issuedAt)
      }
      if let oldest = credentials.min(by: { order($0.value) < order($1.value) }) {
        credentials[oldest.key] = nil
      }
    }
    credentials[bytes] = credential
  }

  package mutating func removeAll() { credentials.removeAll() }
}
