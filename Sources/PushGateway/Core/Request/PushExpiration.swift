package import TokenStore

/// `apns-expiration`: until when a push may be delivered.
package enum PushExpiration: Hashable, Sendable {
  /// No field: as long as the gateway keeps things (`delivery.retention`).
  case none
  /// `0`: one try now, never stored.
  case neverStored
  /// Nothing is delivered from this moment on. May lie in the past.
  case date(UnixTime)

  /// Why a value is no expiration.
  package enum Fault: Error, Equatable, Sendable { case empty, negative, fraction, milliseconds, notANumber }

  /// Seconds from here on (year 5138) are taken for milliseconds, which is what JavaScript's clock gives.
  private static let firstMillisecondLike = 100_000_000_000

  /// Reads whole UNIX seconds.
  package init(_ text: UnsafeRawBufferPointer) throws(Fault) {
    guard let first = text.first else { throw .empty }
    var seconds = 0
    for (index, byte) in text.enumerated() {
      guard byte >= 0x30, byte <= 0x39 else {
        if first == 0x2D, index == 0, text.count > 1 { throw .negative }
        if byte == 0x2E, index > 0 { throw .fraction }
        throw .notANumber
      }
      seconds = seconds * 10 + Int(byte - 0x30)
      if seconds >= Self.firstMillisecondLike { throw .milliseconds }
    }
    self = seconds == 0 ? .neverStored : .date(UnixTime(seconds: Int64(seconds)))
  }
}

extension PushExpiration.Fault {
  package var detail: String {
    switch self {
    case .empty: "apns-expiration is empty; leave it out, or send UNIX seconds or 0."
    case .negative: "apns-expiration is negative; send UNIX seconds, or 0 for one try now."
    case .fraction: "apns-expiration has a fraction; send whole UNIX seconds."
    case .milliseconds: "apns-expiration looks like milliseconds; send UNIX seconds."
    case .notANumber: "apns-expiration is not a number; send UNIX seconds, or 0 for one try now."
    }
  }
}
