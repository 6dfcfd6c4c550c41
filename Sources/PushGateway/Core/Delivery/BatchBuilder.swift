import TokenStore

/// Gathers what the next commit writes, and keeps the journal short.
///
/// Records of pushes go to the journal. Rows are written in two cases: at once for what happens rarely (a
/// registration changes, a device enrols), and some at a time, oldest first, for what pushes made dirty: the fuzzy
/// checkpoint.
///
/// What a row costs the store is the page that it lies in, and only the page's first row costs that. So along with the
/// oldest row go all dirty ones of its neighbourhood. And the longer a row waits the more pushes it stands for. So how
/// many rows are written grows with the cube of the journal's length: next to none while it is short, and under steady
/// load it settles below its target, where rows are written as fast as they get dirty.
///
/// A class, which the ledger holds in a `let`: what each push touches of it is then not part of the ledger's own storage.
package final class BatchBuilder {
  /// Journal bytes at which a commit writes as many rows as it has records.
  package static let journalTarget = 48 << 20
  /// Registrations that are written together: some pages full, since those at both ends are shared with others.
  static let neighbourhood = 64

  /// The position that the batch being gathered will have.
  package var sequence: UInt64 { position }
  private var position: UInt64
  /// Bytes of records not yet handed over.
  package var pendingBytes: Int { records.count + urgentBytes }
  package var isEmpty: Bool { recordCount == 0 && urgentRegistrations.isEmpty && rows.isEmpty }
  /// Journal rows that are not trimmed yet.
  package var journalEntries: Int { entries.count - entriesHead }
  /// Bytes of journal that rows do not cover yet, and how many rows that concerns.
  package private(set) var journalBytes = 0
  package var dirtyCount: Int { dirty.count - dirtyHead }
  private let target: Int

  private let records = ByteWriter(reserving: 1 << 16)
  private var recordCount = 0
  private var urgentBytes = 0
  private var urgentRegistrations: [RegistrationState] = []
  private var rows: [StoredRow] = []
  /// Registrations whose row is older than the journal, in the order in which they became so, each with the position
  /// since which it is. An entry counts only while that is still the registration's own: a row that was written out
  /// of turn and got dirty again stands further back once more, and its old place must not speak for it.
  private var dirty: [(registration: RegistrationState, since: UInt64)] = []
  private var dirtyHead = 0
  /// Which position holds how many bytes, oldest first.
  private var entries: [(sequence: UInt64, bytes: Int)] = []
  private var entriesHead = 0
  /// Rows that the journal's length asks for and that were not written yet; below 0 after a whole neighbourhood.
  private var credit = 0.0
  private let scratch = ByteWriter(reserving: 1024)

  /// - Parameter target: see ``journalTarget``.
  package init(following sequence: UInt64, target: Int = BatchBuilder.journalTarget) {
    position = sequence + 1
    self.target = target
  }

  func append(_ record: LedgerRecord, for registration: RegistrationState) {
    if recordCount == 0 { records.byte(LedgerRecord.codecVersion) }
    record.encode(for: registration.id, into: records)
    recordCount += 1
    noteDirty(registration, since: position)
  }

  /// What replay of `sequence` changed is dirty since then.
  func noteDirty(_ registration: RegistrationState, since sequence: UInt64) {
    guard registration.dirtySince == nil else { return }
    registration.dirtySince = sequence
    dirty.append((registration, sequence))
  }

  /// What replay read is part of the journal's length.
  func noteEntry(sequence: UInt64, bytes: Int) {
    entries.append((sequence, bytes))
    journalBytes += bytes
    position = max(position, sequence + 1)
  }

  /// The registration's row goes into the next commit, whatever its turn would be.
  func writeNow(_ registration: RegistrationState) {
    guard !registration.isUrgent else { return }
    registration.isUrgent = true
    urgentRegistrations.append(registration)
    urgentBytes += 128
  }

  /// The registration is gone for good: its row goes, and no later batch writes it again.
  func erase(_ registration: RegistrationState) {
    registration.isUrgent = false
    registration.dirtySince = nil
    write(.registration, id: registration.id, nil)
  }

  func write(_ table: StoredRow.Table, id: UInt64, _ value: [UInt8]?) {
    rows.append(StoredRow(table: table, id: id, asOf: sequence, value: value))
    urgentBytes += 64 + (value?.count ?? 0)
  }

  /// The batch, or nil when there is nothing to write. The next one begins.
  /// - Parameters:
  ///   - registrations: all that there are, for the neighbours of those whose turn it is.
  ///   - evenIfEmpty: makes one also where there is nothing to write.
  func take(
    clock: StoredClock, among registrations: RegistrationList = RegistrationList(), evenIfEmpty: Bool = false
  ) -> StoreBatch? {
    guard !isEmpty || evenIfEmpty else { return nil }
    let sequence = position
    for registration in urgentRegistrations where registration.isUrgent {
      registration.isUrgent = false
      rows.append(row(of: registration))
    }
    urgentRegistrations.removeAll(keepingCapacity: true)
    let bytes = records.take()
    if !bytes.isEmpty {
      entries.append((sequence, bytes.count))
      journalBytes += bytes.count
    }
    let share = Double(journalBytes) / Double(target)
    credit += Double(recordCount) * share * share * share
    while credit >= 1, let next = nextDirty() {
      let before = rows.count
      rows.append(row(of: next))
      registrations.forEachNeighbour(of: next, among: Self.neighbourhood) {
        if $0.dirtySince != nil { rows.append(row(of: $0)) }
      }
      credit -= Double(rows.count - before)
    }
    // Nothing is left to spend it on, and what comes later is not to be written before its time.
    if dirtyCount == 0 { credit = min(credit, 0) }
    // Neighbours in a table share pages: ascending ids cost the store a quarter of what random ones do.
    rows.sort { ($0.table.rawValue, $0.id) < ($1.table.rawValue, $1.id) }
    let trim = oldestDirty() ?? sequence + 1
    forget(below: trim)
    let batch = StoreBatch(sequence: sequence, clock: clock, records: bytes, rows: rows, trimBelow: trim)
    rows = []
    recordCount = 0
    urgentBytes = 0
    position += 1
    return batch
  }

  private func row(of registration: RegistrationState) -> StoredRow {
    registration.dirtySince = nil
    scratch.removeAll()
    registration.encodeRow(into: scratch)
    return StoredRow(table: .registration, id: registration.id, asOf: sequence, value: scratch.bytes)
  }

  private func nextDirty() -> RegistrationState? {
    guard oldestDirty() != nil else { return nil }
    defer { dirtyHead += 1 }
    return dirty[dirtyHead].registration
  }

  /// Drops what was written meanwhile, and what was removed.
  private func oldestDirty() -> UInt64? {
    while dirtyHead < dirty.count {
      let (registration, since) = dirty[dirtyHead]
      if registration.dirtySince == since { return since }
      dirtyHead += 1
    }
    dirty.removeAll(keepingCapacity: true)
    dirtyHead = 0
    return nil
  }

  private func forget(below trim: UInt64) {
    while entriesHead < entries.count, entries[entriesHead].sequence < trim {
      journalBytes -= entries[entriesHead].bytes
      entriesHead += 1
    }
    if entriesHead > 1024, entriesHead * 2 > entries.count {
      entries.removeFirst(entriesHead)
      entriesHead = 0
    }
    if dirtyHead > 1024, dirtyHead * 2 > dirty.count {
      dirty.removeFirst(dirtyHead)
      dirtyHead = 0
    }
  }
}
