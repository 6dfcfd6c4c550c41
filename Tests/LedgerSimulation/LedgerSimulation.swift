import Foundation

/// Plays seeds, on every core, and says how far it is; the first invariant that breaks ends it with the seed, the
/// step and the command that plays it again.
///
///     make simulate SEEDS=10000        make simulate SEED=42
@main
enum LedgerSimulation {
  static func main() {
    guard let arguments = CommandLineArguments(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(Data((CommandLineArguments.usage + "\n").utf8))
      exit(2)
    }
    exit(play(arguments) ? 0 : 1)
  }

  private static func play(_ arguments: CommandLineArguments) -> Bool {
    let run = SeedRun(arguments)
    let cores = arguments.seeds == 1 ? 1 : ProcessInfo.processInfo.activeProcessorCount
    DispatchQueue.concurrentPerform(iterations: cores) { _ in run.work() }
    let outcome = run.outcome
    if let finding = outcome.finding {
      print("simulation: an invariant is broken\n\(finding)")
      return false
    }
    let missing = outcome.missing
    guard missing.isEmpty || arguments.seeds < 100 else {
      print("simulation: nothing is broken, and never was reached: \(missing.joined(separator: ", "))")
      return false
    }
    print(outcome.summary)
    return true
  }
}
