/// The last frame of a connection that nghttp2 has given up: it cannot be asked for a GOAWAY any more.
enum GoAwayFrame {
  static func bytes(lastStreamID: Int32, code: HTTP2ErrorCode) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 8, 0x7, 0, 0, 0, 0, 0]
    for number in [UInt32(bitPattern: lastStreamID) & 0x7FFF_FFFF, code.rawValue] {
      for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes
  }
}
