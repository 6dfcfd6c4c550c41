import COpenSSL

/// Bytes that nobody can guess: keys, tokens, device secrets.
package enum SecureRandom {
  package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
    var done = 0
    while done < buffer.count {
      let count = min(buffer.count - done, 1 << 20)
      guard RAND_bytes((base + done).assumingMemoryBound(to: UInt8.self), Int32(count)) == 1 else {
        preconditionFailure("the system gives no randomness, and a secret without it would be none")
      }
      done += count
    }
  }

  package static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { fill($0) }
    return bytes
  }
}
