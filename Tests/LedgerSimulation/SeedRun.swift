import Foundation
import Synchronization

/// Gives seeds to whoever works, and gathers what came of them.
final class SeedRun: Sendable {
  struct Outcome: Sendable {
    var seeds: UInt64 = 0
    var days = 0.0
    var steps = 0
    var seconds = 0.0
    var reached: [String: Int] = [:]
    /// Of the lowest seed that had one.
    var finding: Finding?

    var pace: String {
      let perSecond = seconds > 0 ? days / seconds : 0
      return "\(Int(days)) simulated days, \(steps) steps, \(Int(perSecond)) simulated days a second"
    }

    var missing: [String] { Reach.wanted.filter { reached[$0] == nil } }

    var summary: String {
      let times = Reach.wanted.map { "\($0) \(reached[$0] ?? 0)" }.joined(separator: ", ")
      let rounded = (seconds * 10).rounded() / 10
      return """
        reached: \(times)
        simulation: \(seeds) seeds held all \(Invariant.allCases.count) invariants after each step: \(pace) (\(rounded) s)
        """
    }
  }

  private struct State {
    var next: UInt64
    var outcome = Outcome()
    var told = 0.0
  }

  private let arguments: CommandLineArguments
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  init(_ arguments: CommandLineArguments) {
    self.arguments = arguments
    state = Mutex(State(next: arguments.first))
  }

  var outcome: Outcome { state.withLock { $0.outcome } }

  /// Until no seed is left, or one has failed.
  func work() {
    while let seed = takeSeed() {
      let simulation = Simulation(seed: seed, isTraced: arguments.isTraced)
      var finding: Finding?
      do {
        try simulation.play(days: arguments.days)
      } catch {
        finding = (error as? Finding) ?? simulation.finding(.durable, "\(error)")
      }
      note(simulation, finding)
    }
  }

  private func takeSeed() -> UInt64? {
    state.withLock { state in
      guard state.outcome.finding == nil, state.next < arguments.first + arguments.seeds else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func note(_ simulation: Simulation, _ finding: Finding?) {
    state.withLock { state in
      state.outcome.seeds += 1
      state.outcome.days += simulation.simulatedDays
      state.outcome.steps += simulation.steps
      state.outcome.seconds = (ContinuousClock.now - start) / .seconds(1)
      state.outcome.reached.merge(simulation.reached) { $0 + $1 }
      if let finding, finding.seed < state.outcome.finding?.seed ?? .max { state.outcome.finding = finding }
      if state.outcome.seconds - state.told >= 5 {
        state.told = state.outcome.seconds
        print("  \(state.outcome.seeds) of \(arguments.seeds) seeds: \(state.outcome.pace)")
        fflush(nil)
      }
    }
  }
}
