/// The fields that a log line may have. One list, so that a field is spelled alike wherever it stands.
public enum LogKey: String, CaseIterable, Sendable {
  case address, app, cause, connection, count, device, environment, epoch, key, line, listener, path, peer, push
  case reason, seconds, subject, suppressed, team, topic, uid, until, version, who, why
  /// Of a device token; a ``LogDigest``, never the token.
  case token
  /// The `kid` of a provider token; a ``LogDigest`` too, since a stranger may write anything there.
  case keyID = "kid"
}
