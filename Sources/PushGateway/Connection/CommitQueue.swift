import GatewayCore
import TokenStore

/// Holds back what a batch lets out until that batch is durable: the one place that makes sure of "nothing leaves
/// before it is durable".
struct CommitQueue {
  private struct Waiting {
    var sequence: UInt64
    var appendedAt: Int64
    var output: PendingOutput
  }

  /// What arises now; it belongs to the batch that is being gathered.
  private(set) var current = PendingOutput()
  private var waiting: [Waiting] = []
  private var spare: [PendingOutput] = []

  var isEmpty: Bool { waiting.isEmpty && current.isEmpty }
  var count: Int { waiting.count }

  /// The batch was handed to the journal.
  mutating func appended(_ batch: StoreBatch, at now: Int64) {
    waiting.append(Waiting(sequence: batch.sequence, appendedAt: now, output: current))
    current = spare.popLast() ?? PendingOutput()
  }

  /// There was nothing to commit. What arose may leave with the last batch under way, or at once.
  /// - Returns: what may leave now. Give it back with ``recycle(_:)``.
  mutating func nothingToCommit() -> PendingOutput? {
    guard !current.isEmpty else { return nil }
    if let last = waiting.last {
      last.output.append(current)
      current.removeAll()
      return nil
    }
    let output = current
    current = spare.popLast() ?? PendingOutput()
    return output
  }

  /// - Returns: the next output that may leave and when its batch was appended (boot nanoseconds); nil when nothing
  ///   up to `sequence` is left.
  mutating func nextDurable(upTo sequence: UInt64) -> (output: PendingOutput, appendedAt: Int64)? {
    guard let first = waiting.first, first.sequence <= sequence else { return nil }
    waiting.removeFirst()
    return (first.output, first.appendedAt)
  }

  /// Takes out what can be asked again; the rest waits for its commit.
  mutating func takeReads() -> [PendingOutput.Answer] {
    var reads: [PendingOutput.Answer] = []
    for output in waiting.map(\.output) + [current] {
      reads += output.answers.filter(\.isRead)
      output.answers.removeAll(where: \.isRead)
    }
    return reads
  }

  mutating func recycle(_ output: PendingOutput) {
    output.removeAll()
    if spare.count < 16 { spare.append(output) }
  }
}
