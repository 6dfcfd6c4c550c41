package import TokenStore

/// Every fan-out that is remembered, and whose turn it is.
package final class FanOutTable {
  /// Past this many the oldest that has ended is forgotten.
  package static let capacity = 256

  private var byID: [CanonicalUUID: FanOut] = [:]
  private var byKey: [FanOutOrder.Key: FanOut] = [:]
  private var byNumber: [UInt64: FanOut] = [:]
  /// How many there are in it; asked by each push.
  private var remembered = 0
  /// Running ones, a line for each app: apps take turns, and the fan-outs of one app follow one another.
  private var lines: [(app: BundleID, waiting: [FanOut])] = []
  private var dirty: [FanOut] = []

  package var count: Int { byID.count }
  package var isEmpty: Bool { byID.isEmpty }
  package var runningCount: Int { lines.reduce(0) { $0 + $1.waiting.count } }
  package var all: [FanOut] { byNumber.values.sorted { $0.number < $1.number } }

  package func find(_ id: CanonicalUUID) -> FanOut? { byID[id] }
  func find(_ key: FanOutOrder.Key) -> FanOut? { byKey[key] }

  enum Room {
    case free
    /// The oldest that had ended was forgotten for it.
    case freed(FanOut)
    /// As many as can be remembered are running.
    case none
  }

  func makeRoom() -> Room {
    guard byID.count >= Self.capacity else { return .free }
    guard let oldest = all.first(where: { $0.state != .running }) else { return .none }
    remove(oldest)
    return .freed(oldest)
  }

  func insert(_ fanOut: FanOut) {
    byID[fanOut.id] = fanOut
    byKey[fanOut.order.key] = fanOut
    byNumber[fanOut.number] = fanOut
    remembered = byNumber.count
    if fanOut.state == .running { enqueue(fanOut) }
  }

  func remove(_ fanOut: FanOut) {
    byID[fanOut.id] = nil
    byKey[fanOut.order.key] = nil
    byNumber[fanOut.number] = nil
    remembered = byNumber.count
    stopRunning(fanOut)
    dirty.removeAll { $0 === fanOut }
  }

  /// The fan-out whose turn it is; its app stands last from now on.
  func takeTurn() -> FanOut? {
    guard !lines.isEmpty else { return nil }
    let line = lines.removeFirst()
    lines.append(line)
    return line.waiting.first
  }

  func stopRunning(_ fanOut: FanOut) {
    guard let line = lines.firstIndex(where: { $0.app == fanOut.order.bundleID }) else { return }
    lines[line].waiting.removeAll { $0 === fanOut }
    if lines[line].waiting.isEmpty { lines.remove(at: line) }
  }

  /// Widgets that the push `number` had marked; nothing happens when that is no fan-out's.
  @inline(__always)
  func note(_ count: Int, as fate: FanOutCounts.Fate, of number: UInt64) {
    guard remembered > 0 else { return }
    noteRemembered(count, as: fate, of: number)
  }

  private func noteRemembered(_ count: Int, as fate: FanOutCounts.Fate, of number: UInt64) {
    guard count > 0, let fanOut = byNumber[number] else { return }
    fanOut.counts.add(count, as: fate)
    touch(fanOut)
  }

  func touch(_ fanOut: FanOut) {
    guard !fanOut.isDirty else { return }
    fanOut.isDirty = true
    dirty.append(fanOut)
  }

  func takeDirty() -> [FanOut] {
    guard !dirty.isEmpty else { return [] }
    defer { dirty.removeAll(keepingCapacity: true) }
    for fanOut in dirty { fanOut.isDirty = false }
    return dirty
  }

  private func enqueue(_ fanOut: FanOut) {
    if let line = lines.firstIndex(where: { $0.app == fanOut.order.bundleID }) {
      lines[line].waiting.append(fanOut)
    } else {
      lines.append((fanOut.order.bundleID, [fanOut]))
    }
  }
}
