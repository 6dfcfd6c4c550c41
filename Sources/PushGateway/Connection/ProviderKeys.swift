import GatewayCore
import GatewayIO

/// The provider keys themselves, under the indexes of their keyring.
struct ProviderKeys: SignatureVerifying {
  private let keys: [ES256PublicKey]

  /// - Throws: what is wrong with which key, without its content.
  init(_ configured: [GatewayConfiguration.ProviderKey]) throws(GatewayError) {
    var keys: [ES256PublicKey] = []
    for key in configured {
      do throws(TLSError) {
        keys.append(try ES256PublicKey(pem: key.pem.revealed))
      } catch {
        throw GatewayError("provider key \(key.keyID): \(error)")
      }
    }
    self.keys = keys
  }

  func verifies(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, key: Int) -> Bool {
    keys[key].verify(signature: signature, of: message)
  }
}
