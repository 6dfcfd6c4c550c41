import COpenSSL

/// Compares secrets in a time that says nothing about where they differ. The lengths are not secret.
package func constantTimeEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard let first = left.baseAddress, let second = right.baseAddress else { return true }
  return CRYPTO_memcmp(first, second, left.count) == 0
}

/// The same for arrays.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { left in right.withUnsafeBytes { constantTimeEqual(left, $0) } }
}
