/// What a device has refreshed already, so that what comes twice is on the screen once (docs/devices.md, 4).
struct SeenRefreshes {
  /// An event keeps its id over restarts of the gateway, so that ids of earlier epochs still come.
  private static let epochsKept = 8

  private var last: [(epoch: UInt64, sequence: UInt64)] = []

  /// It, or a later one of its epoch, was inserted.
  func contains(_ id: RefreshID) -> Bool { last.contains { $0.epoch == id.epoch && $0.sequence >= id.sequence } }

  /// - Returns: false when it has been seen.
  mutating func insert(_ id: RefreshID) -> Bool {
    guard let index = last.firstIndex(where: { $0.epoch == id.epoch }) else {
      last.append((id.epoch, id.sequence))
      if last.count > Self.epochsKept { last.removeFirst() }
      return true
    }
    guard id.sequence > last[index].sequence else { return false }
    last[index].sequence = id.sequence
    return true
  }
}
