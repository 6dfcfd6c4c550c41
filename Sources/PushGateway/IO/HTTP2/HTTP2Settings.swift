/// What one end of a connection says about itself and holds its peer to. The defaults are what APNs was seen to send
/// (header table 4096, window 65535, frames of 16384, header lists of 8000).
package struct HTTP2Settings: Sendable {
  /// A path prefix whose requests may have bodies of another size.
  package struct BodyLimit: Sendable {
    package let pathPrefix: StaticString
    package let bytes: Int

    package init(pathPrefix: StaticString, bytes: Int) {
      self.pathPrefix = pathPrefix
      self.bytes = bytes
    }
  }

  /// Streams that are served at the same time; one more is answered with REFUSED_STREAM, never with a connection error.
  package var maximumStreams = 1000
  /// Streams that the first SETTINGS frame admits to. Less than ``maximumStreams`` only until
  /// ``HTTP2Connection/raiseAnnouncedStreams(to:)``: surplus streams are served all the same (design §5).
  package var announcedStreams = 1
  /// In octets, counted as RFC 9113 §10.5.1 does: name + value + 32 a field. A longer list is not kept, and its request
  /// is reported with `isOverLimit`.
  package var headerListLimit = 8000
  /// A list of so many times the limit is read no further: its stream is reset. One octet of HPACK can stand for a field
  /// of four thousand, each of which would be checked anew.
  package var headerListCutOff = 8
  package var headerTableSize = 4096
  /// Octets that the peer may send on a stream before we have read them.
  package var initialWindow = 65_535
  package var maximumFrameSize = 16_384
  /// Octets of a message's body that are kept; the rest is read and thrown away.
  package var bodyLimit = 4096
  /// Exceptions to ``bodyLimit``, asked only when a body exceeds it. The first that fits counts.
  package var bodyLimitExceptions: [BodyLimit] = []
  /// Octets of header lists and bodies of all open streams together; a stream that would exceed it, and whose request is
  /// not whole, is refused. ``HTTP2Connection/requestMemory`` changes it.
  package var requestMemory = 8 << 20
  /// Resets (by the peer, or forced by its faults) that are borne: this many at once …
  package var resetBurst = 1000
  /// … and this many a second in the long run.
  package var resetsPerSecond = 33
  /// PING, SETTINGS and empty DATA frames that are borne at once; every request gives one back.
  package var controlFrameBurst = 500
  package var controlFramesPerSecond = 100
  /// CONTINUATION frames that one header block may have.
  package var maximumContinuations = 8
  /// Frames that may wait in our output, on top of four a stream, before the peer counts as not reading.
  package var unreadFrames = 2000
  /// False: the peer's window is opened only by ``HTTP2Connection/credit(_:to:)``. For clients that play a slow reader.
  package var creditsAutomatically = true
  /// Client role: streams that the server is taken to admit before its first SETTINGS.
  package var assumedPeerStreams = 100

  package init() {}
}
