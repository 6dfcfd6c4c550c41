/// A GOAWAY frame of our own making (RFC 9113 §6.8), where nghttp2 cannot be asked for one: of a connection that it has
/// given up, and the first of an orderly end, to which it would add no debug data.
enum GoAwayFrame {
  static func bytes(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: [UInt8] = []) -> [UInt8] {
    let length = 8 + debugData.count
    var bytes: [UInt8] = [
      UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
      UInt8(truncatingIfNeeded: length), 0x7, 0, 0, 0, 0, 0,
    ]
    for number in [UInt32(bitPattern: lastStreamID) & 0x7FFF_FFFF, code.rawValue] {
      for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes + debugData
  }
}
