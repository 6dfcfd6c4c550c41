/// Where accepted work becomes durable: append a batch, learn when it is durable, replay.
///
/// A protocol because one day a replicated log may stand here, for those who outgrow one machine.
package protocol Journal: Sendable {
  /// Hands one batch over and returns at once. Batches become durable in the order of their sequence.
  func append(_ batch: StoreBatch)
}

/// What the journal says back. It arrives on the journal's own thread.
package enum JournalReply: Sendable, Equatable {
  /// Everything up to and including this batch is durable.
  case durable(sequence: UInt64)
  /// A commit failed; `sequence` is the oldest batch that is not durable. It and all behind it stay and are tried
  /// again until they succeed. Sent once for each failed try.
  case failing(sequence: UInt64, cause: String)
  /// The store is broken. Nothing more becomes durable, and nothing is tried again until a restart.
  case damaged(cause: String)
}
