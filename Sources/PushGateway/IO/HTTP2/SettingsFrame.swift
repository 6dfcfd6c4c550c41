/// A SETTINGS frame in its bytes (RFC 9113 §6.5), as far as we change it.
enum SettingsFrame {
  /// True for a whole frame with settings in it, false for their acknowledgement.
  static func isRequest(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count >= 9 && frame[3] == 0x4 && frame[4] & 0x1 == 0
  }

  /// The same frame with another MAX_CONCURRENT_STREAMS.
  static func announcing(_ streams: UInt32, in frame: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes = Array(frame)
    for entry in stride(from: 9, to: bytes.count - 5, by: 6) where bytes[entry] == 0 && bytes[entry + 1] == 0x3 {
      for place in 0..<4 { bytes[entry + 2 + place] = UInt8(truncatingIfNeeded: streams >> UInt32(24 - 8 * place)) }
    }
    return bytes
  }
}
