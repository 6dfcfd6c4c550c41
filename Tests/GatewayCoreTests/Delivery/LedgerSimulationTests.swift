import SeededRandom
import Testing

/// Protects the state model as a whole: what was answered 200 is never lost, no budget is overdrawn, no production
/// hand-over is bypassed, nothing goes to a stream that cannot take it, nobody waits for nothing, and what the store
/// holds is at every commit what the ledger holds. GATEWAYD_SEED replays one seed, GATEWAYD_SEEDS plays more.
@Suite("The ledger, simulated") struct LedgerSimulationTests {
  @Test("Whatever happens in whatever order, the ledger keeps its promises", arguments: Seeds.usual(60))
  func plays(seed: UInt64) throws {
    let simulation = LedgerSimulation(seed: seed)
    try simulation.play(steps: 400)
  }

  @Test("The simulation reaches what it is there for")
  func reaches() throws {
    var reached: [String: Int] = [:]
    for seed in UInt64(1)...40 {
      let simulation = LedgerSimulation(seed: seed)
      try simulation.play(steps: 400)
      reached.merge(simulation.reached) { $0 + $1 }
    }
    let wanted = [
      "registered", "replaced", "removed", "left", "forgotten app", "token in use", "attached", "second stream",
      "receipt", "sent again", "handed over", "charged", "counted", "uncounted", "exempt", "bypassed", "accepted",
      "duplicate", "flood", "over budget", "deferred", "dropped", "expired", "unregistered", "unknown token",
      "rules changed", "developer mode", "restarted", "replayed", "waited for budget", "waited for minimumInterval",
      "waited for lowPriority", "waited for asleep",
    ]
    for what in wanted { #expect((reached[what] ?? 0) >= 2, "\(what): \(reached[what] ?? 0)") }
  }
}
