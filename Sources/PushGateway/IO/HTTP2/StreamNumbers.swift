/// The numbers that a client has used for its streams, as far as is needed to know a wrong one: a number below the highest
/// that was never used is closed for good (RFC 9113 §5.1.1). nghttp2 ignores such a request, which would leave its client
/// without an answer for ever.
final class StreamNumbers {
  /// What is kept of a client that leaves numbers out; later gaps are not held against it.
  private static let maximumGaps = 16

  private var highest: Int32 = -1
  private var gaps: [ClosedRange<Int32>] = []

  /// - Returns: false for HEADERS on a stream that can no longer be opened and never was. Those on a stream that has been
  ///   used are late, or trailers, and no fault.
  func admit(_ stream: Int32) -> Bool {
    guard stream > highest else { return gaps.isEmpty || !gaps.contains { $0.contains(stream) } }
    if stream - highest > 2, gaps.count < Self.maximumGaps { gaps.append(highest + 1...stream - 1) }
    highest = stream
    return true
  }
}
