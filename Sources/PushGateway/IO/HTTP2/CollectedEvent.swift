/// An ``HTTP2Event`` that is not yet told. Its streams are borrowed, from the list of open streams or from the last event
/// of the same stream, which comes later; that one keeps its stream until it is taken.
enum CollectedEvent {
  case responseHeaded(HTTP2Stream.Keeper)
  case bodyExceededLimit(HTTP2Stream.Keeper)
  case requestEnded(HTTP2Stream.Keeper)
  case dataReceived(HTTP2Stream.Keeper)
  case responseEnded(HTTP2Stream.Keeper)
  case streamClosed(HTTP2Stream.Keeper, code: HTTP2ErrorCode)
  case outputDrained(HTTP2Stream.Keeper)
  case peerGoingAway(lastStreamID: Int32, code: HTTP2ErrorCode)
  case settingsReceived
  case pingAcknowledged

  var told: HTTP2Event {
    switch self {
    case .responseHeaded(let stream): .responseHeaded(stream.takeUnretainedValue())
    case .bodyExceededLimit(let stream): .bodyExceededLimit(stream.takeUnretainedValue())
    case .requestEnded(let stream): .requestEnded(stream.takeUnretainedValue())
    case .dataReceived(let stream): .dataReceived(stream.takeUnretainedValue())
    case .responseEnded(let stream): .responseEnded(stream.takeUnretainedValue())
    case .streamClosed(let stream, let code): .streamClosed(stream.takeUnretainedValue(), code: code)
    case .outputDrained(let stream): .outputDrained(stream.takeUnretainedValue())
    case .peerGoingAway(let last, let code): .peerGoingAway(lastStreamID: last, code: code)
    case .settingsReceived: .settingsReceived
    case .pingAcknowledged: .pingAcknowledged
    }
  }
}
