import BudgetThrottle
import GatewayCore
import TokenStore

/// What the ledger alone costs: a budget decision, a push, a wake, and the memory of a registration with two widgets
/// and the device that it is on.
///
///     swift run -c release LedgerBenchmark [registrations]
@main
enum LedgerBenchmark {
  static func main() {
    let registrations = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    DecisionBenchmark.run()
    let memory = MemoryBenchmark(registrations)
    memory.register()
    memory.push()
    memory.wake()
    print("peak resident memory: \(Memory.peak >> 20) MiB")
  }
}
