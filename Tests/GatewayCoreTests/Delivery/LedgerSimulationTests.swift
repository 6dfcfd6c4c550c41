import LedgerSimulation
import SeededRandom
import Testing

/// Protects the state model as a whole, with a few of the seeds that `make simulate` plays: what was answered 200 is
/// never lost, no budget is overdrawn, no production hand-over is bypassed, nothing goes to a stream that cannot take
/// it, nobody waits for nothing, and what a crash leaves is what was durable. GATEWAYD_SEED replays one seed,
/// GATEWAYD_SEEDS plays more.
@Suite("The ledger, simulated") struct LedgerSimulationTests {
  @Test("Whatever happens in whatever order, the ledger keeps its promises", arguments: Seeds.usual(12))
  func plays(seed: UInt64) throws {
    try Simulation(seed: seed).play(days: 21)
  }

  @Test("A finding names its seed, its step, the invariant and the command that plays it again")
  func finding() {
    let finding = Finding(
      seed: 42, step: 7, day: 1.234, invariant: .mint, detail: "two tokens of one", trail: ["6: reload", "7: register"])
    let text = finding.description
    for part in ["seed 42", "step 7", "day 1.23", "two tokens of one", Invariant.mint.rawValue, "SEED=42", "6: reload"]
    {
      #expect(text.contains(part), "\(part)")
    }
  }
}
