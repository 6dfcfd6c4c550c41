import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

/// What providers do.
extension Simulation {
  func push() throws -> Effect {
    let push = anyPush()
    guard let key = anyAccount(), let account = book.accounts[key], !random.oneIn(10) else {
      return try strayPush(push)
    }
    if random.oneIn(12), let other = Self.apps.first(where: { $0 != account.app }) {
      tell("push to registration \(key) with another app's topic")
      let verdict = ledger.accept(push, for: account.token, in: account.environment, bundleID: other, at: now)
      try hold(verdict == .denied(.tokenForOtherTopic), .answer, "a push for another topic was answered \(verdict)")
      return Effect()
    }
    return try send(push, to: key)
  }

  func anyPush() -> IncomingPush {
    var storage = IncomingPush.Storage.until(.distantFuture)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: storage = .once
    case 1: storage = .until(now.advanced(byMilliseconds: -5))
    case 2, 3: storage = .until(now.advanced(byMilliseconds: .random(in: 1...90_000_000, using: &random)))
    default: break
    }
    var id = freshID()
    if random.oneIn(6), let old = recentIDs.suffix(12).randomElement(using: &random) { id = old }
    return IncomingPush(
      id: id, payload: random.oneIn(3) ? [UInt8](repeating: 0x7B, count: Int.random(in: 1...40, using: &random)) : nil,
      storage: storage, priority: RefreshPriority.allCases.randomElement(using: &random) ?? .immediate)
  }

  private func freshID() -> PushID {
    let id = PushID(CanonicalUUID(high: 5, low: nextPush))
    nextPush += 1
    recentIDs.append(id)
    if recentIDs.count > 40 { recentIDs.removeFirst(20) }
    return id
  }

  private func send(_ push: IncomingPush, to key: UInt64) throws -> Effect {
    guard let account = book.accounts[key] else { return Effect() }
    tell(
      "push \(push.id.uuid.low) to registration \(key), priority \(push.priority), \(words(push.storage))"
    )
    let verdict = ledger.accept(push, for: account.token, in: account.environment, bundleID: account.app, at: now)
    try checkVerdict(verdict, of: push, to: key, account)
    switch verdict {
    case .accepted(_, let number):
      book.accounts[key]?.accepted = (account.accepted + [push.id]).suffix(8)
      if isKept(push) {
        line.gather(
          .answer(promises.list(of: key), WidgetSet(first: account.widgets.count), number: number))
      }
    case .denied(.overBudget(let exhaustion)):
      if random.oneIn(2) {
        let until = now.advanced(byMilliseconds: Int64(exhaustion.retryAfter) * 1000)
        patience = (key, until)
        goal = until
      }
    default: break
    }
    return Effect(pushed: (key, push, verdict))
  }

  func isKept(_ push: IncomingPush) -> Bool {
    guard case .until(let date) = push.storage else { return false }
    return date > now
  }

  func words(_ storage: IncomingPush.Storage) -> String {
    switch storage {
    case .once: "one try"
    case .until(.distantFuture): "no expiration"
    case .until(let date): "for \(date.milliseconds(since: now)) ms"
    }
  }

  /// To a token that may be nobody's.
  private func strayPush(_ push: IncomingPush) throws -> Effect {
    guard let token = Self.tokens.randomElement(using: &random), let app = Self.apps.first else { return Effect() }
    let environment: GatewayEnvironment = random.oneIn(2) ? .production : .development
    guard !book.accounts.values.contains(where: { $0.isActive && $0.token == token && $0.environment == environment })
    else { return Effect() }
    let old = book.retired[RetiredToken.Key(token: token, environment: environment)].map { $0.forgotten > now } ?? false
    tell("push to a token of nobody")
    let verdict = ledger.accept(push, for: token, in: environment, bundleID: app, at: now)
    switch verdict {
    case .denied(.unregistered): try hold(old, .token, "an unknown token was answered 410")
    case .denied(.unknownToken): try hold(!old, .token, "a retired token was answered as unknown")
    default: throw finding(.token, "a token of nobody was answered \(verdict)")
    }
    count(old ? "unregistered" : "unknown token")
    return Effect()
  }

  // MARK: Several senders at once

  func startRush() -> Effect {
    guard let key = anyAccount() else { return Effect() }
    rush = (key, Int.random(in: 2...6, using: &random))
    count("rush")
    return Effect()
  }

  /// Two senders that do not know of each other, and clients that send again because no answer has come yet.
  func pushInRush() throws -> Effect {
    guard let current = rush, book.accounts[current.registration]?.isActive == true else {
      rush = nil
      return Effect()
    }
    rush = current.pushes > 1 ? (current.registration, current.pushes - 1) : nil
    return try send(anyPush(), to: current.registration)
  }

  // MARK: Waiting as told

  /// The client that waited exactly `retry-after` passes; nobody else has pushed meanwhile.
  func pushPatiently(_ waiting: (registration: UInt64, until: LedgerTime)) throws -> Effect {
    patience = nil
    guard waiting.until == now, let account = book.accounts[waiting.registration] else { return Effect() }
    let push = IncomingPush(id: freshID(), storage: .until(.distantFuture))
    let effect = try send(push, to: waiting.registration)
    if case .denied(.overBudget(let exhaustion))? = effect.pushed?.verdict {
      throw finding(
        .answer, "\(account.app) waited as it was told and was told to wait \(exhaustion.retryAfter) s more")
    }
    count("patient client")
    return effect
  }
}
