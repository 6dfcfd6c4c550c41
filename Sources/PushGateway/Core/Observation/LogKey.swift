/// The fields that a log line may have. One list, so that a field is spelled alike wherever it stands.
public enum LogKey: String, CaseIterable, Sendable {
  case address, app, cause, connection, count, device, environment, epoch, listener, path, peer, reason, seconds
  case version, who, why
}
