import BudgetThrottle
import TokenStore

/// What was decided lately, newest last: the memory behind `explain`.
///
/// It is kept in the form in which it is stored, a chunk for each commit: a decision is written once, the store gets
/// the same bytes, and a start takes them back as they are. Bounded by count, by bytes and by age, in memory and in the
/// store. No decision is ever made by it. What is said of a push goes along with the commit of that push; a commit of its
/// own it makes only for much that has gathered, for what has outlived its time, and at the end.
package final class Trail {
  /// What one entry may take on average, with its share of what its chunk takes. Those about pushes take about a third of
  /// it under load; where each has a commit of its own, and for long lists of widgets, it is more.
  static let bytesPerEntry = 128
  /// What waits for company before it makes a commit of its own after all.
  private static let patience = 64 << 10

  private var rules: ExplainRules
  private let open: TrailEncoder
  private var chunks: [TrailChunk] = []
  private var head = 0
  package private(set) var count = 0
  package private(set) var bytes = 0
  /// Entries that memory has dropped and the store has not been told of.
  private var droppedSinceTrim = 0
  private var hasOutlived = false
  /// Rows of the store below this position are to go.
  private(set) var trimBelow: UInt64 = 0

  init(rules: ExplainRules, epoch: UInt64) {
    self.rules = rules
    open = TrailEncoder(epoch: epoch)
  }

  func append(
    _ outcome: Decision.Outcome, _ push: Decision.Push, _ widgets: WidgetSet, of registration: UInt64,
    at now: LedgerTime
  ) {
    open.append(outcome, push, widgets, of: registration, at: now)
  }

  func append(_ face: FormerFace, of registration: UInt64, at now: LedgerTime) {
    open.append(face, of: registration, at: now)
  }

  /// Whether it wants a commit, also if nothing else does.
  var isUrgent: Bool { open.byteCount > Self.patience || hasOutlived }
  var isOpenEmpty: Bool { open.count == 0 }

  /// What goes along with the commit of `position`; empty where nothing was decided.
  func close(at position: UInt64) -> [UInt8] {
    var taken: [UInt8] = []
    if open.count > 0 {
      let (entries, newest) = (open.count, open.last)
      taken = open.take()
      add(TrailChunk(position: position, count: entries, newest: newest, bytes: taken))
    }
    // In steps: each deletes a range of rows in one go.
    if hasOutlived || droppedSinceTrim >= max(1, rules.decisions / 16) {
      trimBelow = head < chunks.count ? chunks[head].position : position + 1
      droppedSinceTrim = 0
      hasOutlived = false
    }
    return taken
  }

  /// One row of the store, in the order of their positions.
  /// - Parameter entries: gets each.
  func restore(
    _ stored: [UInt8], at position: UInt64, entries: (TrailEntry) -> Void
  ) throws(ByteReader.Damage) {
    add(try TrailChunk(stored: stored, at: position, entries: entries))
  }

  func change(_ new: ExplainRules, at now: LedgerTime) {
    rules = new
    trim()
    forgetOutlived(at: now)
  }

  /// Drops what is older than the retention.
  func forgetOutlived(at now: LedgerTime) {
    let oldest = now.advanced(byMilliseconds: -rules.retention)
    while head < chunks.count, chunks[head].newest < oldest {
      dropFirst()
      hasOutlived = true
    }
  }

  /// All chunks, oldest first, with what is not committed yet as the last.
  package var snapshot: [TrailChunk] {
    var all = Array(chunks[head...])
    if let open = openChunk(at: .max) { all.append(open) }
    return all
  }

  /// The newest chunk that is older than `position`.
  /// - Parameter next: the position that what is not committed yet will have.
  func chunk(before position: UInt64, next: UInt64) -> TrailChunk? {
    if next < position, let open = openChunk(at: next) { return open }
    var (low, high) = (head, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle].position < position { low = middle + 1 } else { high = middle }
    }
    return low > head ? chunks[low - 1] : nil
  }

  private func openChunk(at position: UInt64) -> TrailChunk? {
    guard open.count > 0 else { return nil }
    return TrailChunk(position: position, count: open.count, newest: open.last, bytes: open.bytes)
  }

  private func add(_ chunk: TrailChunk) {
    chunks.append(chunk)
    count += chunk.count
    bytes += chunk.footprint
    trim()
  }

  /// The newest chunk stays, whatever its size.
  private func trim() {
    while head < chunks.count - 1, count > rules.decisions || bytes > rules.decisions * Self.bytesPerEntry {
      dropFirst()
    }
  }

  private func dropFirst() {
    let first = chunks[head]
    // Its place stays for a while, its bytes need not.
    chunks[head] = TrailChunk(position: first.position, count: 0, newest: first.newest, bytes: [])
    head += 1
    count -= first.count
    bytes -= first.footprint
    droppedSinceTrim += first.count
    if head > 1024, head * 2 > chunks.count {
      chunks.removeFirst(head)
      head = 0
    }
  }
}
