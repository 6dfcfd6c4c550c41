import Foundation
import Synchronization
import TokenStore

/// Keeps a store's replies and waits for them.
final class SQLiteReplyRecorder: Sendable {
  struct NeverCame: Error { var replies: [JournalReply] }

  private let kept = Mutex<[JournalReply]>([])

  var replies: [JournalReply] { kept.withLock { $0 } }
  var lastDurable: UInt64 { replies.compactMap(\.durableSequence).last ?? 0 }
  var causes: [String] { replies.compactMap(\.cause) }

  func record(_ reply: JournalReply) { kept.withLock { $0.append(reply) } }

  /// Waits until the replies satisfy `condition`. The limit is no measure of speed; it only ends a test that hangs.
  func wait(until condition: ([JournalReply]) -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(60)
    while !condition(replies) {
      guard ContinuousClock.now < limit else { throw NeverCame(replies: replies) }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  func waitForDurable(_ sequence: UInt64) async throws {
    try await wait { $0.contains { ($0.durableSequence ?? 0) >= sequence } }
  }
}

extension JournalReply {
  var durableSequence: UInt64? {
    if case .durable(let sequence) = self { sequence } else { nil }
  }

  var cause: String? {
    if case .failing(_, let cause) = self { cause } else { nil }
  }
}
