import GatewayCore
import GatewayIO
import TokenStore

/// The pace of fan-outs, and those who watch them.
extension LoopWorker {
  /// How often those who watch a fan-out hear of it; milliseconds.
  private static let watchPeriod: Int64 = 250
  /// How many commits may be under way while fan-outs go on: they follow the disk's pace, and a push that comes between
  /// waits for no more than these.
  private static let commitsAhead = 2

  func makeFanOutID() -> CanonicalUUID {
    CanonicalUUID(randomHigh: random.next(), randomLow: random.next(), isUpperCase: false)
  }

  /// One slice. When commits are behind, the next one that is durable starts another turn.
  func advanceFanOuts() -> Bool {
    guard ledger.fanOuts.runningCount > 0, phase == .serving, isStoreReady, commits.count < Self.commitsAhead else {
      return false
    }
    return ledger.advanceFanOuts(at: now)
  }

  func watch(on connection: ConnectionID) {
    if watching.isEmpty { loop.schedule(after: Self.watchPeriod, self, token: Timer.watch) }
    watching.insert(connection)
  }

  func tellWatchers() {
    for id in watching {
      guard let connection = connections[id], case .provider(let provider) = connection.role,
        provider.tellWatchers(on: connection)
      else {
        watching.remove(id)
        continue
      }
    }
    if !watching.isEmpty { loop.schedule(after: Self.watchPeriod, self, token: Timer.watch) }
  }
}
