/// Some of the widgets of one registration, by their index: a registration holds at most 64.
package struct WidgetSet: Hashable, Sendable, Sequence {
  package static let capacity = 64
  package private(set) var bits: UInt64

  package init(bits: UInt64 = 0) { self.bits = bits }

  /// The first `count` widgets.
  package init(first count: Int) { bits = count >= 64 ? .max : (1 << UInt64(Swift.max(0, count))) - 1 }

  package init(only index: Int) { bits = 1 << UInt64(index) }

  package var isEmpty: Bool { bits == 0 }
  /// The lowest index.
  package var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
  package var count: Int { bits.nonzeroBitCount }
  package mutating func insert(_ index: Int) { bits |= 1 << UInt64(index) }
  package mutating func remove(_ index: Int) { bits &= ~(1 << UInt64(index)) }
  package func contains(_ index: Int) -> Bool { bits & (1 << UInt64(index)) != 0 }
  package func intersection(_ other: WidgetSet) -> WidgetSet { WidgetSet(bits: bits & other.bits) }
  package func union(_ other: WidgetSet) -> WidgetSet { WidgetSet(bits: bits | other.bits) }
  package func subtracting(_ other: WidgetSet) -> WidgetSet { WidgetSet(bits: bits & ~other.bits) }

  package struct Iterator: IteratorProtocol {
    fileprivate var rest: UInt64
    package mutating func next() -> Int? {
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return rest.trailingZeroBitCount
    }
  }

  package func makeIterator() -> Iterator { Iterator(rest: bits) }
}
