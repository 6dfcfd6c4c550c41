import GatewayCore
import TokenStore

/// Holds back what a batch lets out until that batch is durable: the one place that makes sure of "nothing leaves
/// before it is durable".
struct CommitQueue {
  private struct Waiting {
    var sequence: UInt64
    var appendedAt: Int64
    var newestBefore: UInt64
    var output: PendingOutput
    var byteCount: Int
  }

  /// What may leave now.
  struct Durable {
    var output: PendingOutput
    /// When its batch was handed to the journal; boot nanoseconds.
    var appendedAt: Int64
    /// The newest push before that batch's own.
    var newestBefore: UInt64
  }

  /// What arises now; it belongs to the batch that is being gathered.
  private(set) var current = PendingOutput()
  private var waiting: [Waiting] = []
  private var spare: [PendingOutput] = []

  var isEmpty: Bool { waiting.isEmpty && current.isEmpty }
  var count: Int { waiting.count }
  /// What the outputs that wait take in memory, roughly. A disk that does not answer holds back also what writes nothing.
  private(set) var byteCount = 0

  /// The batch was handed to the journal. Pushes above `newestBefore` came with it.
  mutating func appended(_ batch: StoreBatch, at now: Int64, after newestBefore: UInt64) {
    let bytes = current.byteCount
    byteCount += bytes
    waiting.append(
      Waiting(
        sequence: batch.sequence, appendedAt: now, newestBefore: newestBefore, output: current, byteCount: bytes))
    current = spare.popLast() ?? PendingOutput()
  }

  /// There was nothing to commit. What arose may leave with the last batch under way, or at once.
  /// - Returns: what may leave now. Give it back with ``recycle(_:)``.
  mutating func nothingToCommit() -> PendingOutput? {
    guard !current.isEmpty else { return nil }
    if let last = waiting.indices.last {
      let bytes = current.byteCount
      byteCount += bytes
      waiting[last].byteCount += bytes
      waiting[last].output.append(current)
      current.removeAll()
      return nil
    }
    let output = current
    current = spare.popLast() ?? PendingOutput()
    return output
  }

  /// - Returns: the next output that may leave; nil when nothing up to `sequence` is left.
  mutating func nextDurable(upTo sequence: UInt64) -> Durable? {
    guard let first = waiting.first, first.sequence <= sequence else { return nil }
    waiting.removeFirst()
    byteCount -= first.byteCount
    return Durable(output: first.output, appendedAt: first.appendedAt, newestBefore: first.newestBefore)
  }

  /// Takes out what can be asked again; the rest waits for its commit.
  mutating func takeReads() -> [PendingOutput.Answer] {
    var reads: [PendingOutput.Answer] = []
    func take(from output: PendingOutput) {
      reads += output.answers.filter(\.isRead)
      output.answers.removeAll(where: \.isRead)
    }
    for index in waiting.indices {
      take(from: waiting[index].output)
      byteCount -= waiting[index].byteCount
      waiting[index].byteCount = waiting[index].output.byteCount
      byteCount += waiting[index].byteCount
    }
    take(from: current)
    return reads
  }

  mutating func recycle(_ output: PendingOutput) {
    output.removeAll()
    if spare.count < 16 { spare.append(output) }
  }
}
