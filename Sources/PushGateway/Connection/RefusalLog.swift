import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// One line for a refused push, that a human can act on: what was wrong, what to change, and whose push it was. Names
/// device token and `kid` by their digests; of what the client sent it quotes nothing else, except a bundle ID that its
/// key is for. Owned by one loop; accepted pushes never come here.
struct RefusalLog {
  private static let level = GatewayConfiguration.LogLevel.info

  private var rate = RefusalLogRate()
  private let digest: LogDigest

  /// - Parameter digest: one for all loops, so that they name a token alike.
  init(digest: LogDigest) { self.digest = digest }

  mutating func record(
    _ refusal: Refusal, of stream: HTTP2Stream, session: ProviderSession, environment: GatewayEnvironment,
    on connection: HTTPConnection, at now: LedgerTime, to log: any GatewayLog
  ) {
    guard log.isRecording(Self.level), let suppressed = rate.admit(refusal.reason, at: now) else { return }
    var fields: [(LogKey, String)] = [(.reason, refusal.reason.rawValue)]
    if let detail = refusal.detail { fields.append((.cause, detail)) }
    fields.append((.environment, environment.rawValue))
    let path = stream.headers.withValue(of: .path) { PushPath($0) } ?? nil
    if case .token(let token)? = path {
      fields.append((.token, digest.name(of: token.bytes)))
    }
    let keyID = Self.keyID(in: stream.headers)
    if let keyID {
      fields.append((.keyID, digest.name(of: keyID.utf8)))
    }
    if let grant = session.provenGrant(naming: keyID) {
      if let team = session.team { fields.append((.team, team)) }
      let standard = path == nil ? nil : grant.standard
      if let app = Self.app(in: stream.headers) ?? standard, grant.allows(app) { fields.append((.app, "\(app)")) }
    }
    fields.append((.connection, "\(connection.id)"))
    fields.append((.peer, "\(connection.peer.address)"))
    if suppressed > 0 { fields.append((.suppressed, "\(suppressed)")) }
    log.record(Self.level, "a push was refused", fields)
  }

  /// A connection that ends before any push, for its certificate. Quotes nothing of that: anybody can write one.
  mutating func record(
    _ refusal: Refusal, ofCertificateOn connection: HTTPConnection, environment: GatewayEnvironment,
    at now: LedgerTime, to log: any GatewayLog
  ) {
    guard log.isRecording(Self.level), let suppressed = rate.admit(refusal.reason, at: now) else { return }
    var fields: [(LogKey, String)] = [(.reason, refusal.reason.rawValue)]
    if let detail = refusal.detail { fields.append((.cause, detail)) }
    fields.append((.environment, environment.rawValue))
    fields.append((.connection, "\(connection.id)"))
    fields.append((.peer, "\(connection.peer.address)"))
    if suppressed > 0 { fields.append((.suppressed, "\(suppressed)")) }
    log.record(Self.level, "a client certificate was refused", fields)
  }

  /// The end of a flood, which no later line tells.
  mutating func reportSuppressed(to log: any GatewayLog) {
    for (reason, count) in rate.takeSuppressed() {
      log.record(
        Self.level, "more pushes were refused, of which no line was written",
        [(.reason, reason.rawValue), (.count, "\(count)")])
    }
  }

  /// Of a JWT that can be read, whoever signed it.
  private static func keyID(in headers: borrowing HeaderBlock) -> String? {
    let read: String?? = headers.withValue(of: .authorization) { value in
      guard let range = try? ProviderToken.range(inAuthorization: value) else { return nil }
      return try? ProviderToken(UnsafeRawBufferPointer(rebasing: value[range])).keyID
    }
    return read ?? nil
  }

  private static func app(in headers: borrowing HeaderBlock) -> BundleID? {
    headers.withValue(of: .apnsTopic) { WidgetTopic.bundleID(of: $0) } ?? nil
  }
}
