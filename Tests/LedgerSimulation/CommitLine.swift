import BudgetThrottle
import GatewayCore
import TokenStore

/// Batches on their way to the store, each with what may leave once it is durable: the place of the daemon's commit
/// queue and store thread.
struct CommitLine {
  /// What leaves the gateway.
  enum Output {
    /// A push that is to be kept has marked these widgets: a 200 for it, or a fan-out's word of them.
    case answer(Promises.List, WidgetSet, number: UInt64)
    case delivery(Delivery, list: Promises.List?)
  }

  struct Waiting {
    var batch: StoreBatch
    var outputs: [Output]
    /// The world as it is if the process ends right after this batch.
    var book: Book
    var image: LedgerImage
    var lived: Int64
  }

  private(set) var waiting: [Waiting] = []
  private var current: [Output] = []

  mutating func gather(_ output: Output) { current.append(output) }

  mutating func submit(_ batch: StoreBatch, _ book: Book, _ image: LedgerImage, lived: Int64) {
    waiting.append(Waiting(batch: batch, outputs: current, book: book, image: image, lived: lived))
    current = []
  }

  /// Nothing was to be committed: what arose leaves with the last batch under way.
  /// - Returns: what may leave at once.
  mutating func submitNothing() -> [Output] {
    defer { current = [] }
    guard let last = waiting.indices.last else { return current }
    waiting[last].outputs += current
    return []
  }

  mutating func popDurable() -> Waiting? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
