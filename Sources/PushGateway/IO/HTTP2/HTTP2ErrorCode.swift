/// An error code as RST_STREAM and GOAWAY carry it (RFC 9113 §7). Open: a peer may send any number.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let noError = Self(rawValue: 0x0)
  package static let protocolError = Self(rawValue: 0x1)
  package static let internalError = Self(rawValue: 0x2)
  package static let flowControlError = Self(rawValue: 0x3)
  package static let streamClosed = Self(rawValue: 0x5)
  package static let frameSizeError = Self(rawValue: 0x6)
  package static let refusedStream = Self(rawValue: 0x7)
  package static let cancel = Self(rawValue: 0x8)
  package static let compressionError = Self(rawValue: 0x9)
  package static let enhanceYourCalm = Self(rawValue: 0xb)
}
