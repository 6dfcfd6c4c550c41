import GatewayCore

/// How a provider's connection is ended without losing a push: a first GOAWAY says "open no more", a second names the
/// last stream that counts (RFC 9113 §6.8).
///
/// Clients over Python's h2 take any frame but another GOAWAY after the first for an error, and lose with it what they
/// have read in the same piece. For their sake the first is sent when nothing is on its way in either direction: no push
/// is under way, and none has come while a PING went there and back and a moment longer. A client that pushes without such a pause gets it
/// right behind the answer that leaves none open; one that always has some open gets it in their midst, as the RFC has
/// it. Times are boot milliseconds.
struct Farewell {
  /// What the connection looks like now.
  struct View {
    /// The first GOAWAY has been sent.
    var hasAnnounced: Bool
    /// No stream is open.
    var isQuiet: Bool
    /// The last stream that the client has opened.
    var lastStream: Int32
  }

  enum Step: Equatable {
    case wait
    case ping
    /// Say the first GOAWAY: now, or behind the next answer that leaves nothing open.
    case announce(whenQuiet: Bool)
    /// Say the second.
    case leave
    /// Whoever has been silent for so long has left without a word.
    case end(silence: Int64)
  }

  /// A PING that looks for a pause: sent in silence, with nothing come since if it found one.
  private struct Ping {
    var sentAt: Int64
    var acknowledgedAt: Int64?
    var lastStream: Int32
  }

  /// How often ``next(_:at:)`` is asked.
  static let period: Int64 = 25
  /// What a client may take from an answer to its next push without making a pause.
  private static let thinking: Int64 = 25
  private static let pauseWait: Int64 = 500
  private static let quietWait: Int64 = 1000
  /// What the second GOAWAY waits after the first: two round trips, within these bounds.
  private static let shortestWait: Int64 = 20
  private static let longestWait: Int64 = 1000
  private static let silence: Int64 = 2000
  private static let patience: Int64 = 10_000

  let reason: Refusal
  private let begunAt: Int64
  private var ping: Ping?
  private var roundTrip: Int64?
  private var announcedAt: Int64?
  private var leftAt: Int64?

  init(_ reason: Refusal, at now: Int64) {
    self.reason = reason
    begunAt = now
  }

  mutating func pingAcknowledged(at now: Int64) {
    guard let sentAt = ping?.sentAt, ping?.acknowledgedAt == nil else { return }
    ping?.acknowledgedAt = now
    roundTrip = now - sentAt
  }

  mutating func next(_ view: View, at now: Int64) -> Step {
    if let leftAt { return .end(silence: now - leftAt < Self.patience ? Self.silence : 0) }
    guard view.hasAnnounced else { return unannounced(view, at: now) }
    guard let announcedAt else {
      announcedAt = now
      return .wait
    }
    let wait = roundTrip.map { min(max(2 * $0, Self.shortestWait), Self.longestWait) } ?? Self.longestWait
    guard now - announcedAt >= wait else { return .wait }
    leftAt = now
    return .leave
  }

  private mutating func unannounced(_ view: View, at now: Int64) -> Step {
    if now - begunAt >= Self.quietWait { return .announce(whenQuiet: false) }
    if now - begunAt >= Self.pauseWait { return .announce(whenQuiet: true) }
    if let ping {
      guard let acknowledgedAt = ping.acknowledgedAt else { return .wait }
      if view.isQuiet, view.lastStream == ping.lastStream {
        return now - acknowledgedAt < Self.thinking ? .wait : .announce(whenQuiet: false)
      }
    }
    guard view.isQuiet || roundTrip == nil else { return .wait }
    ping = Ping(sentAt: now, lastStream: view.lastStream)
    return .ping
  }
}
