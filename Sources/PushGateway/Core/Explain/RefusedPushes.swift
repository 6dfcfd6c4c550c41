/// The newest refused pushes, in memory only: a refused push must not make the disk busy.
///
/// Those without a valid credential have a small ring of their own. Anybody can make them, and however many come, they
/// wash out only each other.
package struct RefusedPushes: Sendable {
  package static let strangerCapacity = 256

  private var known: Ring
  private var strangers = Ring(capacity: RefusedPushes.strangerCapacity)

  /// - Parameter capacity: pushes with a valid credential that are kept.
  package init(capacity: Int) { known = Ring(capacity: capacity) }

  package mutating func record(_ push: RefusedPush, hasCredential: Bool) {
    if hasCredential { known.append(push) } else { strangers.append(push) }
  }

  package mutating func resize(to capacity: Int) { known.resize(to: capacity) }

  /// Those whose sender had shown a valid credential; newest first.
  package func refused(last count: Int = .max, where isWanted: (RefusedPush) -> Bool = { _ in true }) -> [RefusedPush] {
    known.newest(count, where: isWanted)
  }

  /// Those whose sender had not; newest first.
  package func strange(last count: Int = .max, where isWanted: (RefusedPush) -> Bool = { _ in true }) -> [RefusedPush] {
    strangers.newest(count, where: isWanted)
  }

  private struct Ring: Sendable {
    private var places: [RefusedPush] = []
    private var next = 0
    private var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ push: RefusedPush) {
      guard capacity > 0 else { return }
      guard places.count == capacity else { return places.append(push) }
      places[next] = push
      next = next + 1 == capacity ? 0 : next + 1
    }

    mutating func resize(to new: Int) {
      guard new != capacity else { return }
      places = (places[next...] + places[..<next]).suffix(new)
      next = 0
      capacity = new
    }

    func newest(_ count: Int, where isWanted: (RefusedPush) -> Bool) -> [RefusedPush] {
      var found: [RefusedPush] = []
      for push in (places[next...] + places[..<next]).reversed() where isWanted(push) {
        guard found.count < count else { break }
        found.append(push)
      }
      return found
    }
  }
}
