import BudgetThrottle

/// Marks and hand-overs of one registration's widgets, each kept once for all the widgets that share it, together with
/// the push that it names. A push marks all widgets of a registration, so that there is rarely more than one of these,
/// and the first costs no array.
///
/// A widget has at most one mark and at most one hand-over.
struct StandingPushes {
  private var first: StandingPush?
  private var rest: [StandingPush] = []

  // MARK: Looking

  var isEmpty: Bool { first == nil }

  /// The widgets that something marks.
  var marked: WidgetSet {
    var all = WidgetSet()
    forEachMark { _, widgets in all = all.union(widgets) }
    return all
  }

  /// The widgets whose hand-over has no receipt.
  var inFlight: WidgetSet {
    var all = WidgetSet()
    for place in indices {
      if case .inFlight = role(at: place) { all = all.union(widgets(at: place)) }
    }
    return all
  }

  /// Nothing else of the pushes is looked at, and so nothing copied.
  @inline(__always)
  func forEachMark(_ body: (Mark, WidgetSet) -> Void) {
    for place in indices {
      if let (mark, widgets) = mark(at: place) { body(mark, widgets) }
    }
  }

  /// What the push at that place marks; nil where it marks nothing.
  @inline(__always)
  func mark(at place: Int) -> (mark: Mark, widgets: WidgetSet)? {
    guard case .marks(let mark) = role(at: place) else { return nil }
    return (mark, widgets(at: place))
  }

  func mark(of widget: Int) -> Mark? {
    for place in indices {
      if case .marks(let mark) = role(at: place), widgets(at: place).contains(widget) { return mark }
    }
    return nil
  }

  func inFlight(of widget: Int) -> InFlight? {
    for place in indices {
      if case .inFlight(let flight) = role(at: place), widgets(at: place).contains(widget) { return flight }
    }
    return nil
  }

  func content(of number: UInt64) -> PushContent? {
    if let first, first.content.number == number { return first.content }
    return rest.first { $0.content.number == number }?.content
  }

  @inline(__always)
  private func role(at place: Int) -> StandingPush.Role? { place == 0 ? first?.role : rest[place - 1].role }

  @inline(__always)
  private func widgets(at place: Int) -> WidgetSet {
    place == 0 ? first?.widgets ?? WidgetSet() : rest[place - 1].widgets
  }

  // MARK: What happens to widgets

  mutating func mark(_ all: WidgetSet, by newer: Mark, _ content: PushContent) {
    var fresh = all
    for place in indices {
      guard case .marks(let standing) = role(at: place) else { continue }
      let shared = widgets(at: place).intersection(fresh)
      guard !shared.isEmpty else { continue }
      fresh = fresh.subtracting(shared)
      let renewed = standing.renewed(by: newer)
      let named = renewed.number == newer.number ? content : self[place].content
      self[place].widgets = self[place].widgets.subtracting(shared)
      add(StandingPush(content: named, widgets: shared, role: .marks(renewed)), at: place)
    }
    if !fresh.isEmpty { add(StandingPush(content: content, widgets: fresh, role: .marks(newer))) }
    dropEmpty()
  }

  mutating func handOver(_ all: WidgetSet, epoch: UInt64, sequence: UInt64) {
    for place in indices {
      guard case .marks(let mark) = role(at: place) else { continue }
      var moved = widgets(at: place).intersection(all)
      guard !moved.isEmpty else { continue }
      let content = self[place].content
      self[place].widgets = self[place].widgets.subtracting(moved)
      for other in indices {
        guard case .inFlight(let older) = role(at: other) else { continue }
        let replaced = widgets(at: other).intersection(moved)
        guard !replaced.isEmpty else { continue }
        moved = moved.subtracting(replaced)
        self[other].widgets = self[other].widgets.subtracting(replaced)
        let flight = InFlight(of: mark, epoch: epoch, sequence: sequence, after: older)
        add(StandingPush(content: content, widgets: replaced, role: .inFlight(flight)), at: other)
      }
      guard !moved.isEmpty else { continue }
      let flight = InFlight(of: mark, epoch: epoch, sequence: sequence, after: nil)
      add(StandingPush(content: content, widgets: moved, role: .inFlight(flight)), at: place)
    }
    dropEmpty()
  }

  mutating func receive(epoch: UInt64, upTo sequence: UInt64) {
    for place in indices {
      if case .inFlight(let flight) = role(at: place), flight.isConfirmed(by: epoch, upTo: sequence) {
        self[place].widgets = WidgetSet()
      }
    }
    dropEmpty()
  }

  mutating func clear(marks: WidgetSet, inFlight: WidgetSet) {
    for place in indices {
      switch role(at: place) {
      case nil: break
      case .marks: self[place].widgets = self[place].widgets.subtracting(marks)
      case .inFlight: self[place].widgets = self[place].widgets.subtracting(inFlight)
      }
    }
    dropEmpty()
  }

  /// Joins an equal one, takes the place of one that nobody names any more, or comes last.
  mutating func add(_ push: StandingPush, at vacant: Int? = nil) {
    for place in indices where !widgets(at: place).isEmpty && role(at: place) == push.role {
      self[place].widgets = self[place].widgets.union(push.widgets)
      return
    }
    if let vacant, widgets(at: vacant).isEmpty {
      self[vacant] = push
    } else if first == nil {
      first = push
    } else {
      rest.append(push)
    }
  }

  private mutating func dropEmpty() {
    if !rest.isEmpty { rest.removeAll { $0.widgets.isEmpty } }
    if widgets(at: 0).isEmpty { first = rest.isEmpty ? nil : rest.removeFirst() }
  }
}

extension StandingPushes: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { first == nil ? 0 : 1 + rest.count }

  private(set) subscript(place: Int) -> StandingPush {
    get {
      guard place == 0 else { return rest[place - 1] }
      guard let first else { preconditionFailure("A place among no pushes.") }
      return first
    }
    set { if place == 0 { first = newValue } else { rest[place - 1] = newValue } }
  }
}
