import HTTPMessage

/// What nghttp2's callbacks write to. It has no reference to the connection, so no callback can act: sending or
/// receiving on nghttp2's own stack frees streams under its feet. (To queue a frame frees nothing.)
///
/// Owned by the session's handle, which frees the session first; the session's pointer to it is unretained.
final class EventCollector {
  struct Rejection: BitwiseCopyable {
    var id: Int32
    var code: HTTP2ErrorCode
  }

  let role: HTTP2Role
  let settings: HTTP2Settings
  let pool: HTTP2StreamPool

  /// Events not yet taken begin at `nextEventIndex`; the list keeps its room.
  private let events = PlainList<CollectedEvent>()
  private var nextEventIndex = 0

  /// Keeps every stream that nghttp2 points to.
  let open = PlainList<HTTP2Stream.Keeper>()
  /// The stream whose frames are arriving: header blocks are contiguous and bodies nearly so, which saves a look-up
  /// for every field and frame. Borrowed from `open`, and nil again before it leaves that.
  var current: HTTP2Stream.Keeper?
  /// Its number.
  var currentID: Int32 = 0
  /// The stream whose own header block is arriving; nil during trailers, which are not merged into it. Set for each
  /// block, so a field costs no look-up and no question. Borrowed as `current` is.
  private var headed: HTTP2Stream.Keeper?
  /// Size so far of a header block that is nobody's: trailers, or a refused request.
  var unheadedSize = 0
  /// What a header block may come to before it is read no further.
  let headerListBound: Int

  /// Milliseconds, set before bytes are fed.
  var now: UInt64 = 0
  private var resets: FrameAllowance
  private var controlFrames: FrameAllowance
  var flood: HTTP2Flood?
  /// The peer broke a rule that nghttp2 leaves to us: this ends the connection.
  var isViolated = false
  /// Octets of the requests that open streams hold, and how many there may be.
  private(set) var requestBytes = 0
  var requestMemory: Int
  private let streamNumbers = StreamNumbers()
  /// Streams to be reset once nghttp2 has returned.
  let rejected = PlainList<Rejection>()
  /// Streams whose early answer is framed; RST_STREAM(NO_ERROR) may follow now.
  let answeredEarly = PlainList<Int32>()
  /// The stream whose last written octets are in the frame that `drainOutput` is taking. Borrowed as `current` is.
  private var framed: HTTP2Stream.Keeper?
  /// A stream has closed since this was last cleared.
  var hasClosedStream = false
  var pingsInFlight = 0
  var peerDebugData: [UInt8] = []

  init(role: HTTP2Role, settings: HTTP2Settings, pool: HTTP2StreamPool) {
    self.role = role
    self.settings = settings
    self.pool = pool
    requestMemory = settings.requestMemory
    headerListBound = settings.headerListLimit.multipliedReportingOverflow(by: settings.headerListCutOff).partialValue
    resets = FrameAllowance(burst: settings.resetBurst, perSecond: settings.resetsPerSecond)
    controlFrames = FrameAllowance(burst: settings.controlFrameBurst, perSecond: settings.controlFramesPerSecond)
  }

  // MARK: Events

  func report(_ event: CollectedEvent) { events.append(event) }

  /// A ``CollectedEvent/streamClosed(_:code:)`` hands its stream over.
  func takeEvent() -> CollectedEvent? {
    guard nextEventIndex < events.count else {
      if nextEventIndex > 0 {
        events.removeAll()
        nextEventIndex = 0
      }
      return nil
    }
    let event = events[nextEventIndex]
    nextEventIndex += 1
    return event
  }

  // MARK: Open streams

  func open(_ id: Int32) -> HTTP2Stream.Keeper {
    let stream = pool.takeStream()
    let slot = open.count
    stream._withUnsafeGuaranteedRef {
      $0.number = id
      $0.state.begunAt = now
      $0.slot = slot
    }
    open.append(stream)
    return stream
  }

  /// As above, for a request whose header block arrives next.
  func open(headedBy id: Int32) -> HTTP2Stream.Keeper {
    let stream = open(id)
    current = stream
    currentID = id
    headed = stream
    return stream
  }

  func forgetCurrent() {
    current = nil
    headed = nil
  }

  /// A header block arrives on a stream that is open already, or on none of ours.
  func headersFollow(on stream: HTTP2Stream.Keeper?, id: Int32) {
    current = stream
    currentID = id
    let isHeaded = stream?._withUnsafeGuaranteedRef { $0.state.isHeaded } ?? true
    headed = isHeaded ? nil : stream
  }

  /// Takes a stream out of the list; its last event keeps it until the owner has seen it.
  func close(_ stream: HTTP2Stream.Keeper, code: HTTP2ErrorCode) {
    guard remove(stream) else { return }
    hasClosedStream = true
    report(.streamClosed(stream, code: code))
  }

  /// Takes back a stream that never was.
  func discard(_ stream: HTTP2Stream.Keeper) {
    if remove(stream) { pool.giveBack(stream) }
  }

  /// Guards against an answer to a stream that nghttp2 has already closed and whose last event is not yet told.
  func isOpen(_ stream: HTTP2Stream) -> Bool {
    let slot = stream.slot
    return slot < open.count && open[slot].toOpaque() == Unmanaged.passUnretained(stream).toOpaque()
  }

  private func remove(_ stream: HTTP2Stream.Keeper) -> Bool {
    let (slot, held) = stream._withUnsafeGuaranteedRef {
      (isOpen($0) ? $0.slot : -1, $0.bodyCount + $0.state.headerBytes)
    }
    guard slot >= 0 else { return false }
    guard let last = open.popLast() else { return false }
    if slot < open.count {
      open[slot] = last
      last._withUnsafeGuaranteedRef { $0.slot = slot }
    }
    if role == .server { requestBytes -= held }
    let address = stream.toOpaque()
    if current?.toOpaque() == address { current = nil }
    if headed?.toOpaque() == address { headed = nil }
    if framed?.toOpaque() == address { framed = nil }
    return true
  }

  /// Gives all streams back to the pool, those of events that nobody takes any more too; the session is gone.
  func abandonStreams() {
    forgetCurrent()
    framed = nil
    while let stream = open.popLast() { pool.giveBack(stream) }
    while let event = takeEvent() {
      if case .streamClosed(let stream, _) = event { pool.giveBack(stream) }
    }
  }

  func headersBegan(on stream: Int32) {
    if role == .server, !streamNumbers.admit(stream) { isViolated = true }
  }

  // MARK: Messages received

  /// - Returns: what the header block has come to.
  func receivedField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Int {
    guard let headed else {
      unheadedSize += name.count + value.count + 32
      return unheadedSize
    }
    return headed._withUnsafeGuaranteedRef { stream in
      stream.headers.append(name: name, value: value, limit: settings.headerListLimit)
    }
  }

  /// A header block is whole: the message's own, or its trailers.
  func receivedHeaders(on stream: HTTP2Stream, isEnd: Bool) {
    if !stream.state.isHeaded {
      if role == .server { receivedRequestHead(on: stream) } else { receivedResponseHead(on: stream) }
    }
    if isEnd { receivedEnd(of: stream) }
  }

  private func receivedRequestHead(on stream: HTTP2Stream) {
    stream.state.isHeaded = true
    controlFrames.refund()
    stream.state.headerBytes = stream.headers.listSize
    requestBytes += stream.state.headerBytes
    refuseIfTooMuchIsHeld(stream)
  }

  private func receivedResponseHead(on stream: HTTP2Stream) {
    // An interim response (1xx) is followed by another header block (RFC 9113 §8.1).
    if stream.headers.withValue(of: .status, { $0.first }) == UInt8(ascii: "1") {
      stream.headers.removeAll()
      return
    }
    stream.state.isHeaded = true
    if stream.headers.isOverLimit {
      reject(stream, .enhanceYourCalm)
    } else {
      report(.responseHeaded(.passUnretained(stream)))
    }
  }

  /// Many requests that never end would otherwise hold a body each.
  private func refuseIfTooMuchIsHeld(_ stream: HTTP2Stream) {
    guard requestBytes > requestMemory, !stream.state.isRejected else { return }
    reject(stream, .refusedStream)
  }

  /// Gives a request's body back, as a rule before its stream closes; a stream that has closed was taken out of the sum
  /// with its body.
  func releaseBody(of stream: HTTP2Stream) {
    if role == .server, isOpen(stream) { requestBytes -= stream.bodyCount }
    pool.giveBackBody(of: stream)
  }

  /// Streams whose requests have begun before `time` and are not whole.
  func overdue(begunBefore time: UInt64) -> [HTTP2Stream] {
    open.elements.map { $0.takeUnretainedValue() }.filter {
      $0.state.begunAt < time && !$0.state.isRemoteEnded && !$0.state.isAnswered && !$0.state.isRejected
    }
  }

  private func reject(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
    stream.state.isRejected = true
    rejected.append(Rejection(id: stream.number, code: code))
    countReset()
  }

  func received(_ data: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
    guard !stream.state.isBodyOverLimit, !stream.state.isRejected else { return }
    guard
      data.count <= settings.bodyLimit - stream.bodyCount || data.count <= bodyLimit(of: stream) - stream.bodyCount
    else {
      stream.state.isBodyOverLimit = true
      releaseBody(of: stream)
      report(.bodyExceededLimit(.passUnretained(stream)))
      return
    }
    let body = stream.received ?? pool.lendBody(to: stream)
    body._withUnsafeGuaranteedRef { $0.append(data) }
    switch role {
    case .server:
      requestBytes += data.count
      refuseIfTooMuchIsHeld(stream)
    case .client:
      guard !stream.state.hasReportedData else { return }
      stream.state.hasReportedData = true
      report(.dataReceived(.passUnretained(stream)))
    }
  }

  /// The limit with its exceptions, which is looked up only for bodies that exceed the usual one.
  private func bodyLimit(of stream: HTTP2Stream) -> Int {
    for exception in settings.bodyLimitExceptions {
      let prefix = UnsafeBufferPointer(
        start: exception.pathPrefix.utf8Start, count: exception.pathPrefix.utf8CodeUnitCount)
      if stream.headers.withValue(of: .path, { $0.starts(with: prefix) }) == true { return exception.bytes }
    }
    return settings.bodyLimit
  }

  func receivedEnd(of stream: HTTP2Stream) {
    stream.state.isRemoteEnded = true
    guard !stream.state.isRejected else { return }
    let borrowed = HTTP2Stream.Keeper.passUnretained(stream)
    report(role == .server ? .requestEnded(borrowed) : .responseEnded(borrowed))
  }

  // MARK: Abuse

  /// A stream was reset by the peer, or must be reset by us for its fault.
  func countReset() {
    guard role == .server, !resets.spend(at: now) else { return }
    flood = flood ?? .resets
  }

  /// A frame that asks for nothing.
  func countControlFrame() {
    guard role == .server, !controlFrames.spend(at: now) else { return }
    flood = flood ?? .controlFrames
  }

  // MARK: Messages sent

  /// Moves octets that were written into nghttp2's frame.
  /// - Returns: how many, and whether they are the message's last; nil when there are none yet.
  func frame(_ stream: HTTP2Stream, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool)? {
    let count = min(stream.unframedOutput, buffer.count)
    guard count > 0 || stream.state.isOutgoingEnded else {
      stream.state.isOutgoingDeferred = true
      return nil
    }
    let start = stream.state.outgoingTaken
    stream.outgoing.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
    }
    stream.state.outgoingTaken = start + count
    let isEmpty = stream.unframedOutput == 0
    if isEmpty { framed = .passUnretained(stream) }
    let isLast = isEmpty && stream.state.isOutgoingEnded
    if isLast, stream.state.resetsWhenSent { answeredEarly.append(stream.number) }
    return (count, isLast)
  }

  /// The frame in question has been taken whole.
  func frameTaken() {
    guard let stream = framed else { return }
    framed = nil
    stream._withUnsafeGuaranteedRef {
      guard $0.unframedOutput == 0, $0.state.owesDrained else { return }
      $0.state.owesDrained = false
      report(.outputDrained(stream))
    }
  }

  /// The last octets of that stream are in a frame that is only partly taken.
  func isFramed(_ stream: HTTP2Stream) -> Bool {
    framed?.toOpaque() == Unmanaged.passUnretained(stream).toOpaque()
  }
}
