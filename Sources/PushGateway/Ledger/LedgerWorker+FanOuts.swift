import GatewayCore
import GatewayIO
import TokenStore

/// The pace of fan-outs, and those who watch them.
extension LedgerWorker {
  /// How often those who watch a fan-out hear of it; milliseconds.
  static let watchPeriod: Int64 = 250
  private static let watchersPerConnection = 16
  /// How many commits may be under way while fan-outs go on: they follow the disk's pace. With two, one slice is decided
  /// while the other is written. A push that comes meanwhile would wait for both, so that while there are pushes each
  /// slice waits for the one before.
  private static let commitsAhead = 2
  private static let commitsAheadBesidePushes = 1
  /// How long after a push there are pushes; milliseconds.
  private static let pushesLast: Int64 = 100

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

  // MARK: Requests

  func serve(_ call: FanOutCall) {
    do throws(Refusal) {
      switch call.wish {
      case .begin(let order): try begin(order, at: call.place)
      case .report(let id):
        let fanOut = try find(id, for: call)
        answer(200, fanOut, isRead: true, at: call.place)
      case .watch(let id): try watch(try find(id, for: call), at: call.place)
      case .cancel(let id):
        let fanOut = try find(id, for: call)
        ledger.cancel(fanOut)
        answer(200, fanOut, at: call.place)
      }
    } catch {
      loops.tell(.pushRefused(call.place, nil, error, nil))
    }
  }

  /// Another team's is as good as none.
  private func find(_ id: CanonicalUUID, for call: FanOutCall) throws(Refusal) -> FanOut {
    guard let fanOut = ledger.fanOuts.find(id), fanOut.order.team == call.team,
      fanOut.order.environment == call.environment
    else { throw Refusal(.badPath, "This team has no such fan-out here, or it was long ago.") }
    guard isStoreReady else { throw .storeUnavailable }
    return fanOut
  }

  private func begin(_ order: FanOutOrder, at place: RequestPlace) throws(Refusal) {
    guard isStoreReady else { throw .storeUnavailable }
    switch ledger.begin(order, id: makeUUID(), at: now) {
    case .accepted(let fanOut), .known(let fanOut): answer(202, fanOut, at: place)
    case .tooMany:
      throw Refusal(
        .tooManyRequests, "\(FanOutTable.capacity) fan-outs are running; wait until one ends.", retryAfter: 1)
    }
  }

  private func answer(_ status: Int, _ fanOut: FanOut, isRead: Bool = false, at place: RequestPlace) {
    commits.current.answers.append(
      PendingOutput.Answer(
        place: place, status: status, body: FanOutAnswer.body(of: fanOut),
        part: .fanOut(fanOut.order.push.id, location: status == 202 ? FanOutAnswer.path(of: fanOut) : nil),
        isRead: isRead))
  }

  // MARK: Watching

  private func watch(_ fanOut: FanOut, at place: RequestPlace) throws(Refusal) {
    let same = watchers.count { $0.place.connection == place.connection }
    guard same < Self.watchersPerConnection else {
      throw Refusal(
        .tooManyRequests, "One connection watches at most \(Self.watchersPerConnection) fan-outs.", retryAfter: 1)
    }
    watchers.append(FanOutWatcher(place: place, fanOut: fanOut))
    // Behind it, since a loop that has no use for the stream says so at once.
    loops.tell(.watcherOpened(place))
    tellWatchers()
  }

  /// Tells each watcher what is new; with the end of its fan-out its stream ends.
  func tellWatchers() {
    for index in watchers.indices { tellWatcher(index) }
    watchers.removeAll(where: \.isDone)
    if !watchers.isEmpty { tellWatchersAgain() }
  }

  private func tellWatcher(_ index: Int) {
    guard let fanOut = watchers[index].takeNews() else { return }
    commits.current.answers.append(
      PendingOutput.Answer(
        place: watchers[index].place, status: 200, body: FanOutAnswer.event(of: fanOut),
        part: .event(isLast: fanOut.state != .running)))
  }

  func watcherEmptied(_ place: RequestPlace) {
    guard let index = watchers.firstIndex(where: { $0.place == place }) else { return }
    watchers[index].isTold = true
  }
}
