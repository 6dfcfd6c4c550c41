import BudgetThrottle
import Testing

/// Protects the 64 bits that stand for a registration's widgets, both ends included.
@Suite("A set of widgets") struct WidgetSetTests {
  @Test("It counts and lists what was put in, in order", arguments: [[], [0], [63], [0, 63], [1, 5, 31, 32, 62]])
  func members(indices: [Int]) {
    var set = WidgetSet()
    for index in indices.reversed() { set.insert(index) }
    #expect(Array(set) == indices)
    #expect(set.count == indices.count)
    #expect(set.isEmpty == indices.isEmpty)
    for index in 0..<64 { #expect(set.contains(index) == indices.contains(index)) }
    for index in indices { set.remove(index) }
    #expect(set.isEmpty)
  }

  @Test("The first n are n, for no widget and for 64 and for a count out of range", arguments: -1...66)
  func first(count: Int) {
    let set = WidgetSet(first: count)
    #expect(Array(set) == Array(0..<min(max(count, 0), 64)))
  }

  @Test("Union and difference are those of sets")
  func algebra() {
    let (left, right) = (WidgetSet(bits: 0b1100), WidgetSet(bits: 0b1010))
    #expect(left.union(right) == WidgetSet(bits: 0b1110))
    #expect(left.subtracting(right) == WidgetSet(bits: 0b0100))
  }
}
