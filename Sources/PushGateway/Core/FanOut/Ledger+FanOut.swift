package import BudgetThrottle
package import TokenStore

extension Ledger {
  package enum FanOutVerdict {
    case accepted(FanOut)
    /// The same `apns-id`, team and app again: the fan-out that there is.
    case known(FanOut)
    /// As many as can be remembered are running.
    case tooMany
  }

  /// Takes a fan-out on. It has its push number from now on; ``advanceFanOuts(at:limit:)`` does the marking.
  /// - Parameter id: unique; the caller's, since chance is not the ledger's.
  package func begin(_ order: FanOutOrder, id: CanonicalUUID, at now: LedgerTime) -> FanOutVerdict {
    if let known = fanOuts.find(order.key) { return .known(known) }
    switch fanOuts.makeRoom() {
    case .free: break
    case .freed(let forgotten): batch.write(.fanOut, id: forgotten.number, nil)
    case .none: return .tooMany
    }
    let fanOut = FanOut(id: id, order: order, number: takeNumber(), end: nextRegistrationID, acceptedAt: now)
    fanOuts.insert(fanOut)
    fanOuts.touch(fanOut)
    counts.fanOutsAccepted += 1
    return .accepted(fanOut)
  }

  /// Marks no more; what is marked stays so. Nothing happens to one that has ended.
  package func cancel(_ fanOut: FanOut) {
    guard fanOut.state == .running else { return }
    end(fanOut, as: .cancelled)
  }

  /// Goes on with the running fan-outs, one slice for one of them; apps take turns.
  /// - Parameter limit: widgets after which a slice marks no other registration. It makes sixteen times as many comparisons
  ///   with registrations of other apps and widgets of other kinds.
  /// - Returns: whether any is still running.
  package func advanceFanOuts(at now: LedgerTime, limit: Int = 512) -> Bool {
    guard let fanOut = fanOuts.takeTurn() else { return false }
    fanOuts.touch(fanOut)
    var marked = 0
    var compared = 0
    while marked < limit, compared < limit * 16 {
      guard let registration = fanOut.walk.next(in: registrations), registration.id < fanOut.end else {
        end(fanOut, as: .done)
        break
      }
      compared += 1
      guard isMeant(registration, by: fanOut.order) else { continue }
      compared += fanOut.order.filter.cost(of: registration)
      marked += mark(registration, for: fanOut, at: now)
    }
    return fanOuts.runningCount > 0
  }

  private func isMeant(_ registration: RegistrationState, by order: FanOutOrder) -> Bool {
    registration.isActive && registration.environment == order.environment
      && registration.app.bundleID == order.bundleID
  }

  /// - Returns: how many widgets of the registration are the fan-out's.
  private func mark(_ registration: RegistrationState, for fanOut: FanOut, at now: LedgerTime) -> Int {
    let order = fanOut.order
    let matching = order.filter.matching(registration)
    guard !matching.isEmpty else { return 0 }
    fanOut.counts.matched += matching.count
    var fresh = WidgetSet()
    if !registration.hasSeen(RecentPushes.digest(of: order.push.id)) {
      for position in matching where registration.accounts[position].lastNumber < fanOut.number {
        fresh.insert(position)
      }
    }
    fanOut.counts.skipped += matching.subtracting(fresh).count
    guard !fresh.isEmpty else { return matching.count }
    refreshPolicies(of: registration, at: now)
    fanOut.counts.marked += fresh.count
    _ = mark(
      fresh, of: registration, with: order.push, number: fanOut.number,
      given: conditions(of: registration, at: now), at: now)
    return matching.count
  }

  private func end(_ fanOut: FanOut, as state: FanOut.State) {
    fanOut.state = state
    fanOuts.stopRunning(fanOut)
    fanOuts.touch(fanOut)
  }

  /// Forgets what has ended longer ago than marks live.
  func tidyFanOuts(at now: LedgerTime) {
    for fanOut in fanOuts.all
    where fanOut.state != .running && fanOut.acceptedAt.advanced(byMilliseconds: rules.retention) <= now {
      fanOuts.remove(fanOut)
      batch.write(.fanOut, id: fanOut.number, nil)
    }
  }

  /// Rows of what changed since the last batch, the fan-out's counts beside the marks that they count.
  func writeFanOuts() {
    for fanOut in fanOuts.takeDirty() { batch.write(.fanOut, id: fanOut.number, fanOut.encode()) }
  }
}
