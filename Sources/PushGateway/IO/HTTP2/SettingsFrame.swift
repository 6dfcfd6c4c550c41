/// A SETTINGS frame in its bytes (RFC 9113 §6.5), as far as we change it.
enum SettingsFrame {
  /// True for a whole frame with settings in it, false for their acknowledgement.
  static func isRequest(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count >= 9 && frame[3] == 0x4 && frame[4] & 0x1 == 0
  }

  /// The same frame with another MAX_CONCURRENT_STREAMS, and without NO_RFC7540_PRIORITIES: that one is said to nghttp2
  /// alone, as APNs' SETTINGS do not have it and a peer's priorities may be ignored without a word (RFC 9113 §5.3.1).
  static func announcing(_ streams: UInt32, in frame: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes = Array(frame.prefix(9))
    for entry in stride(from: 9, to: frame.count - 5, by: 6) {
      let setting = UInt16(frame[entry]) << 8 | UInt16(frame[entry + 1])
      guard setting != 0x9 else { continue }
      bytes += frame[entry..<entry + 2]
      if setting == 0x3 {
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: streams >> UInt32($0)) }
      } else {
        bytes += frame[entry + 2..<entry + 6]
      }
    }
    let length = bytes.count - 9
    bytes.replaceSubrange(0..<3, with: [16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
    return bytes
  }
}
