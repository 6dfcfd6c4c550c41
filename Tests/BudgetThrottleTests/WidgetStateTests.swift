import BudgetThrottle
import Testing

/// Protects the rule that everything else rests on: a push is a level, a mark joins, and a hand-over happens when and
/// only when mark, device and budget allow it.
@Suite("One widget's state") struct WidgetStateTests {
  private static let policy = BudgetPolicy.limit(50)
  private static let far = LedgerTime.at(day)

  private static func mark(
    _ number: UInt64, expires: LedgerTime = far, first: LedgerTime = .at(0), priority: RefreshPriority = .immediate
  ) -> Mark {
    Mark(number: number, expires: expires, first: first, priority: priority)
  }

  private static func state(_ mark: Mark? = nil, level: Int64 = 4 * token) -> WidgetState {
    let cell = BudgetCell(level: level, settledAt: .at(0), chargedAt: .at(0))
    return WidgetState(WidgetAccount(cell: cell, policy: 0), mark: mark)
  }

  // MARK: Marks join

  @Test("Joined marks keep the newest number, the latest expiration, the highest priority and the first time")
  func joins() {
    let older = Self.mark(7, expires: .at(9000), first: .at(10), priority: .immediate)
    let newer = Self.mark(8, expires: .at(5000), first: .at(20), priority: .power)
    let joined = Mark(number: 8, expires: .at(9000), first: .at(10), priority: .immediate)
    #expect(older.joined(with: newer) == joined)
    #expect(newer.joined(with: older) == joined, "the order in which they come is no matter")
    #expect(older.joined(with: older) == older, "saying it twice adds nothing")
    #expect(older.renewed(by: newer) == joined)
  }

  @Test("A dead mark lends a newer push neither its priority nor its time, also before it is buried")
  func deadMarkJoinsNothing() {
    let older = Self.mark(7, expires: .at(100), first: .at(0), priority: .immediate)
    let newer = Self.mark(8, expires: .at(9000), first: .at(100), priority: .power)
    #expect(older.renewed(by: newer) == newer)
  }

  @Test("A push of one try lets the expiration of an older mark stand")
  func onceKeepsOlderExpiration() {
    let renewed = Self.mark(7, expires: .at(9000)).renewed(by: Self.mark(8, expires: .distantPast, first: .at(50)))
    #expect(renewed.number == 8)
    #expect(renewed.expires == .at(9000))
  }

  // MARK: Decisions

  struct Situation: CustomStringConvertible {
    var priority: RefreshPriority
    var isAsleep: Bool
    var isExempt: Bool
    var isBypassed: Bool
    var mode: BudgetPolicy.Mode
    var hasBudget: Bool
    /// Past the low-priority window.
    var isOld: Bool

    static let all: [Situation] = RefreshPriority.allCases.flatMap { priority in
      BudgetPolicy.Mode.allCases.flatMap { mode in
        (0..<32).map { bits in
          Situation(
            priority: priority, isAsleep: bits & 1 != 0, isExempt: bits & 2 != 0, isBypassed: bits & 4 != 0,
            mode: mode, hasBudget: bits & 8 != 0, isOld: bits & 16 != 0)
        }
      }
    }

    /// What design §3 and §4 say, in their words.
    var wanted: RefreshDecision {
      if priority == .power && isAsleep { return .wait(until: .distantFuture, cause: .asleep) }
      let toll: RefreshDecision.Toll =
        isExempt
        ? .exempt
        : isBypassed ? .bypassed : mode == .enforce ? .charged : mode == .shadow ? .counted : .uncounted
      if toll == .charged && !hasBudget { return .wait(until: .at(1_878_261), cause: .budget) }
      if priority != .immediate && !isOld { return .wait(until: .at(2000), cause: .lowPriority) }
      return .handOver(toll)
    }

    var description: String {
      "\(priority)\(isAsleep ? " asleep" : "")\(isExempt ? " exempt" : "")\(isBypassed ? " bypassed" : "") \(mode)"
        + (hasBudget ? "" : " without budget") + (isOld ? " old" : "")
    }
  }

  @Test("Each situation has its one decision", arguments: Situation.all)
  func decides(situation: Situation) {
    let state = Self.state(
      Self.mark(1, priority: situation.priority), level: situation.hasBudget ? 4 * token : 0)
    let conditions = DeliveryConditions(
      isExempt: situation.isExempt, isBypassed: situation.isBypassed, isAsleep: situation.isAsleep)
    let policy = BudgetPolicy.limit(50, mode: situation.mode)
    let now = LedgerTime.at(situation.isOld ? 2000 : 0)
    #expect(state.decide(at: now, under: policy, given: conditions) == situation.wanted)
  }

  @Test("Without a mark there is nothing to decide; a mark dies at its expiration, to the millisecond")
  func expires() {
    let conditions = DeliveryConditions()
    #expect(Self.state().decide(at: .at(0), under: Self.policy, given: conditions) == .none)
    let state = Self.state(Self.mark(1, expires: .at(100)))
    #expect(state.decide(at: .at(99), under: Self.policy, given: conditions) == .handOver(.charged))
    #expect(state.decide(at: .at(100), under: Self.policy, given: conditions) == .expire)
  }

  @Test("The minimum interval is waited for and named, and lifted with the budget")
  func spacing() {
    let policy = BudgetPolicy.limit(50, interval: 300_000)
    let state = Self.state(Self.mark(1))
    #expect(
      state.decide(at: .at(0), under: policy, given: DeliveryConditions())
        == .wait(until: .at(300_000), cause: .minimumInterval))
    #expect(
      state.decide(at: .at(0), under: policy, given: DeliveryConditions(isBypassed: true)) == .handOver(.bypassed))
    #expect(state.cell.returns(at: .at(0), under: policy, given: DeliveryConditions()) == .at(300_000))
    #expect(state.cell.returns(at: .at(0), under: policy, given: DeliveryConditions(isExempt: true)) == nil)
  }

  @Test("The low-priority window counts from the first mark, so that pushes in a row do not put it off")
  func windowFromFirst() {
    let state = Self.state(
      Self.mark(1, first: .at(0), priority: .grouped)
        .renewed(by: Self.mark(2, first: .at(1999), priority: .grouped)))
    let conditions = DeliveryConditions(lowPriorityWindow: 2000)
    #expect(
      state.decide(at: .at(1999), under: Self.policy, given: conditions)
        == .wait(until: .at(2000), cause: .lowPriority))
    #expect(state.decide(at: .at(2000), under: Self.policy, given: conditions) == .handOver(.charged))
  }

  // MARK: Hand-over and receipt

  @Test("A hand-over keeps the later expiration of its mark and of what it takes the place of")
  func handsOver() {
    let first = InFlight(of: Self.mark(3, expires: .at(9000)), epoch: 2, sequence: 10, after: nil)
    #expect(first == InFlight(epoch: 2, sequence: 10, number: 3, expires: .at(9000)))
    let second = InFlight(of: Self.mark(4, expires: .distantPast), epoch: 2, sequence: 11, after: first)
    #expect(second == InFlight(epoch: 2, sequence: 11, number: 4, expires: .at(9000)))
  }

  @Test(
    "A receipt ends what is in flight up to its sequence, of its own epoch only",
    arguments: [
      (2, 10, true), (2, 11, true), (2, UInt64.max, true), (2, 9, false), (1, 10, false), (3, 10, false),
      (1, UInt64.max, false),
    ] as [(UInt64, UInt64, Bool)])
  func receipts(epoch: UInt64, sequence: UInt64, clears: Bool) {
    let flight = InFlight(of: Self.mark(3), epoch: 2, sequence: 10, after: nil)
    #expect(flight.isConfirmed(by: epoch, upTo: sequence) == clears)
  }
}
