import GatewayCore
import TokenStore

/// What the ledger tells a loop at once, since it speaks of nothing that waits for a commit.
enum LoopReply: Sendable {
  case pushRefused(RequestPlace, PushID?, Refusal, PushVerdict.Exhaustion?)
  case deviceRefused(RequestPlace, DeviceRefusal, isEarly: Bool)
  /// An answer that can be asked for again will not leave for long, as the store cannot commit.
  case answerDenied(PendingOutput.Answer)
  /// The device hears of refreshes from here on. Its events come behind this.
  case streamOpened(RequestPlace, SessionID)
  case watcherOpened(RequestPlace)

  var connection: ConnectionID {
    switch self {
    case .pushRefused(let place, _, _, _), .deviceRefused(let place, _, _), .streamOpened(let place, _),
      .watcherOpened(let place):
      place.connection
    case .answerDenied(let answer): answer.place.connection
    }
  }
}
