import BudgetThrottle

/// What one widget's decision costs, budget included.
enum DecisionBenchmark {
  private static let rounds = 20_000_000

  static func run() {
    let policy = BudgetPolicy(refreshesPerDay: 50, minimumInterval: 300_000)
    let start = LedgerTime(milliseconds: 1_772_000_000_000)
    var state = WidgetState(WidgetAccount(cell: .full(under: policy, at: start), policy: 0))
    state.mark = Mark(number: 1, expires: .distantFuture, first: start, priority: .immediate)
    let conditions = DeliveryConditions()
    var (handOvers, now) = (0, start)
    let decision = Stopwatch.nanoseconds(each: rounds) {
      // Something of everything: admitted, spaced, and out of tokens.
      now = now.advanced(byMilliseconds: 97)
      guard case .handOver = state.decide(at: now, under: policy, given: conditions) else { return }
      state.cell.charge(at: now, under: policy)
      handOvers += 1
    }
    var levels: Int64 = 0
    let peek = Stopwatch.nanoseconds(each: rounds) {
      now = now.advanced(byMilliseconds: 97)
      levels &+= state.cell.level(at: now, under: policy)
    }
    print(
      "a budget decision: \(decision.rounded1) ns (\(handOvers) of \(rounds) hand-overs charged); a peek: "
        + "\(peek.rounded1) ns\(levels == 0 ? "!" : "")")
  }
}
