import GatewayCore
import GatewayIO
import TokenStore

/// The pace of fan-outs, and those who watch them.
extension LoopWorker {
  /// How often those who watch a fan-out hear of it; milliseconds.
  private static let watchPeriod: Int64 = 250
  /// How many commits may be under way while fan-outs go on: they follow the disk's pace. With two, one slice is decided
  /// while the other is written. A push that comes meanwhile would wait for both, so that while there are pushes each
  /// slice waits for the one before.
  private static let commitsAhead = 2
  private static let commitsAheadBesidePushes = 1
  /// How long after a push there are pushes; milliseconds.
  private static let pushesLast: Int64 = 100

  func makeFanOutID() -> CanonicalUUID {
    CanonicalUUID(randomHigh: random.next(), randomLow: random.next(), isUpperCase: false)
  }

  /// One slice. When commits are behind, the next one that is durable starts another turn.
  func advanceFanOuts() -> Bool {
    guard ledger.fanOuts.runningCount > 0, phase == .serving, isStoreReady else { return false }
    if counters.accepted != fanOutPace.accepted {
      fanOutPace = FanOutPace(accepted: counters.accepted, since: loop.now.bootMilliseconds)
    }
    let hasPushes = loop.now.bootMilliseconds - fanOutPace.since < Self.pushesLast
    guard commits.count < (hasPushes ? Self.commitsAheadBesidePushes : Self.commitsAhead) else { return false }
    return ledger.advanceFanOuts(at: now)
  }

  /// Pushes that were accepted when a slice was last thought of, and since when; boot milliseconds.
  struct FanOutPace {
    var accepted: UInt64 = 0
    var since: Int64 = .min / 2
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
