import BudgetThrottle
import Testing

/// Protects the arithmetic of one widget's budget: exact, and rounded against the widget.
@Suite("A budget cell") struct BudgetCellTests {
  @Test("A full cell gives its burst at once and then nothing", arguments: [(50, 4), (2, 1), (3, 2), (10, 9), (1, 1)])
  func burst(limit: Int, burst: Int) {
    let policy = BudgetPolicy.limit(limit, burst: burst)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    #expect(cell.remaining(at: .at(0), under: policy) == burst)
    #expect(cell.spend(at: .at(0), under: policy) == burst)
    #expect(cell.remaining(at: .at(0), under: policy) == 0)
  }

  @Test(
    "The next token is there at the announced millisecond and not one earlier", arguments: [1, 2, 3, 7, 50, 86_404])
  func exactReturn(limit: Int) throws {
    let policy = BudgetPolicy.limit(limit)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    _ = cell.spend(at: .at(0), under: policy)
    for _ in 0..<50 {
      let now = cell.settledAt
      let (at, isSpacing) = cell.admission(at: now, under: policy)
      #expect(!isSpacing)
      #expect(at > now)
      #expect(at == cell.nextToken(at: now, under: policy))
      let before = at.advanced(byMilliseconds: -1)
      #expect(cell.admission(at: before, under: policy).at == at)
      #expect(cell.remaining(at: before, under: policy) == 0)
      #expect(cell.remaining(at: at, under: policy) == 1)
      cell.charge(at: at, under: policy)
    }
  }

  @Test("What is left of a millisecond's refill is kept, so that a long run is exact")
  func exactOverTime() {
    // 46 tokens a day do not divide a day into whole milliseconds; over a day the sum does.
    let policy = BudgetPolicy.limit(50)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    #expect(cell.spend(at: .at(0), under: policy) == 4)
    var now = LedgerTime.at(0)
    for _ in 0..<46 {
      now = cell.admission(at: now, under: policy).at
      cell.charge(at: now, under: policy)
    }
    #expect(now == .at(day), "the 50th refresh comes exactly 24 h after the first")
    #expect(cell.level == 0)
  }

  @Test("A limit of one admits the second hand-over more than 24 h after the first")
  func one() {
    let policy = BudgetPolicy.limit(1)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    cell.charge(at: .at(0), under: policy)
    #expect(cell.admission(at: .at(0), under: policy).at == .at(day + 1))
    #expect(cell.admission(at: .at(day), under: policy).at == .at(day + 1))
    #expect(cell.admission(at: .at(day + 1), under: policy).at == .at(day + 1))
  }

  @Test("A cell never holds more than its burst, however long it waits")
  func capacity() {
    let policy = BudgetPolicy.limit(50)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    cell.charge(at: .at(0), under: policy)
    #expect(cell.level(at: .at(1000 * day), under: policy) == 4 * token)
    #expect(cell.nextToken(at: .at(1000 * day), under: policy) == nil)
    #expect(cell.full(at: .at(1000 * day), under: policy) == .at(1000 * day))
    #expect(cell.full(at: .at(0), under: policy) == .at(1_878_261))
  }

  @Test("The minimum interval spaces charged hand-overs, and is named as the cause only when it is the later one")
  func minimumInterval() {
    let policy = BudgetPolicy.limit(50, interval: 300_000)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    #expect(cell.admission(at: .at(0), under: policy).at == .at(0), "a cell that was never charged waits for nothing")
    cell.charge(at: .at(0), under: policy)
    #expect(cell.admission(at: .at(0), under: policy) == (.at(300_000), true))
    #expect(cell.admission(at: .at(299_999), under: policy) == (.at(300_000), true))
    #expect(cell.admission(at: .at(300_000), under: policy) == (.at(300_000), false))
    let tight = BudgetPolicy.limit(2, interval: 300_000)
    var empty = BudgetCell.full(under: tight, at: .at(0))
    empty.charge(at: .at(0), under: tight)
    #expect(empty.admission(at: .at(0), under: tight) == (.at(day), false))
  }

  @Test("Going over to another policy keeps the tokens, cut to the new capacity, and starts the new rate now")
  func adopts() {
    let (wide, narrow) = (BudgetPolicy.limit(50), BudgetPolicy.limit(10))
    var cell = BudgetCell.full(under: wide, at: .at(0))
    cell.charge(at: .at(0), under: wide)
    cell.adopt(narrow, from: wide, at: .at(1000))
    #expect(cell.level == token)
    cell.adopt(wide, from: narrow, at: .at(1000))
    #expect(cell.level == token, "there and back mints nothing")
    #expect(cell.level(at: .at(2000), under: wide) == token + 46_000)
    #expect(cell.chargedAt == .at(0), "the minimum interval goes on counting")
  }

  @Test("Going to a limit of one and back mints nothing, however often")
  func adoptsOne() {
    let (one, two) = (BudgetPolicy.limit(1), BudgetPolicy.limit(2))
    var cell = BudgetCell.full(under: one, at: .at(0))
    cell.adopt(two, from: one, at: .at(0))
    #expect(cell.level == token)
    cell.adopt(one, from: two, at: .at(0))
    #expect(cell.admission(at: .at(0), under: one).at == .at(1), "one unit short of the token of L = 1")
    cell.adopt(two, from: one, at: .at(0))
    #expect(cell.remaining(at: .at(0), under: two) == 0, "what was no token there is none here")
    var empty = BudgetCell(level: 0, settledAt: .at(0), chargedAt: .at(0))
    empty.adopt(two, from: one, at: .at(0))
    #expect(empty.level == 0)
  }

  @Test("Below one token a count ends at zero, never below")
  func counted() {
    let policy = BudgetPolicy.limit(2, mode: .shadow)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    for offset in Int64(0)..<5 { cell.charge(at: .at(offset), under: policy) }
    #expect(cell.level == 0)
    #expect(cell.chargedAt == .at(4))
  }

  @Test("Time that goes back earns nothing and is not earned twice afterwards")
  func backwards() {
    let policy = BudgetPolicy.limit(50)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    cell.charge(at: .at(0), under: policy)
    #expect(cell.level(at: .at(-day), under: policy) == 3 * token)
    cell.charge(at: .at(-day), under: policy)
    #expect(cell.settledAt == .at(0))
    cell.charged(to: token, at: .at(-day))
    #expect(cell.settledAt == .at(0))
    #expect(cell.level(at: .at(0), under: policy) == token)
    cell.adopt(.limit(70), from: policy, at: .at(-day))
    #expect(cell.settledAt == .at(0))
  }

  @Test("A replayed charge and a live one leave the same cell")
  func replayed() {
    let policy = BudgetPolicy.limit(50)
    var live = BudgetCell.full(under: policy, at: .at(0))
    var replayed = live
    live.charge(at: .at(17), under: policy)
    replayed.charged(to: live.level, at: .at(17))
    #expect(live == replayed)
  }

  @Test("A cell may be forgotten when it is full and its last charge is out of every window with a new one")
  func forgettable() {
    let policy = BudgetPolicy.limit(50)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    #expect(cell.isForgettable(at: .at(0), under: policy))
    cell.charge(at: .at(0), under: policy)
    #expect(!cell.isForgettable(at: .at(1_878_260), under: policy))
    #expect(!cell.isForgettable(at: .at(day), under: policy))
    #expect(cell.isForgettable(at: .at(day + 1), under: policy))
  }

  @Test(
    "The far ends of time saturate and never trap",
    arguments: [BudgetPolicy.limit(1), .limit(50, interval: .max), .limit(1_000_000, burst: 999_999, interval: 1)])
  func extremes(policy: BudgetPolicy) {
    let ends: [LedgerTime] = [.distantPast, LedgerTime(milliseconds: -1), .at(0), .distantFuture]
    for start in ends {
      for now in ends {
        var cell = BudgetCell.full(under: policy, at: start)
        _ = cell.admission(at: now, under: policy)
        cell.charge(at: now, under: policy)
        #expect(cell.level >= 0)
        #expect(cell.level(at: .distantFuture, under: policy) <= BudgetRate(policy).capacity)
        #expect(cell.admission(at: now, under: policy).at >= now)
        #expect(cell.full(at: now, under: policy) >= now)
        _ = cell.nextToken(at: now, under: policy)
        _ = cell.isForgettable(at: now, under: policy)
        cell.adopt(.limit(2), from: policy, at: now)
        #expect(cell.level <= token)
      }
    }
  }
}
