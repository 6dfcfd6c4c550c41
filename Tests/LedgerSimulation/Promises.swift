import TokenStore

/// What left the gateway: the 200s that providers hold, and what devices show. No crash takes it back.
struct Promises {
  /// One list of widgets of a registration. A registration that is replaced has another one from then on, and what
  /// was meant for the old one is nobody's any more.
  struct List: Hashable {
    var registration: UInt64
    var version: Int
  }

  private struct Place: Hashable {
    var list: List
    var widget: Int
  }

  private var versions: [UInt64: Int] = [:]
  /// The newest number that was answered 200 and was to be kept.
  private var answered: [Place: UInt64] = [:]
  private var shown: [Place: UInt64] = [:]

  func list(of registration: UInt64) -> List {
    List(registration: registration, version: versions[registration] ?? 0)
  }

  mutating func answer(_ list: List, widget: Int, number: UInt64) {
    let place = Place(list: list, widget: widget)
    answered[place] = max(answered[place] ?? 0, number)
  }

  mutating func show(_ list: List, widget: Int, number: UInt64) {
    let place = Place(list: list, widget: widget)
    shown[place] = max(shown[place] ?? 0, number)
  }

  mutating func replaceList(of registration: UInt64) {
    let old = list(of: registration)
    for place in answered.keys where place.list == old { answered[place] = nil }
    for place in shown.keys where place.list == old { shown[place] = nil }
    versions[registration] = old.version + 1
  }

  func answered(_ list: List, widget: Int) -> UInt64? { answered[Place(list: list, widget: widget)] }

  func shown(_ list: List, widget: Int) -> UInt64 { shown[Place(list: list, widget: widget)] ?? 0 }
}
