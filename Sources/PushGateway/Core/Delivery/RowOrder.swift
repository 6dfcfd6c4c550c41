/// What was read of one table, in the order of its ids, found by id. Two arrays, where a dictionary of a million would
/// cost three times the memory and a miss of the processor's caches with each row.
struct RowOrder<Value> {
  private var ids: [UInt64] = []
  private(set) var values: [Value] = []
  /// Where the last one was found: rows of two tables that came together are asked for in the same order.
  private var last = 0

  mutating func makeRoom(for more: Int) {
    ids.reserveCapacity(ids.count + more)
    values.reserveCapacity(values.count + more)
  }

  /// - Returns: false where the id is not above all others.
  mutating func append(_ value: Value, id: UInt64) -> Bool {
    if let newest = ids.last, newest >= id { return false }
    ids.append(id)
    values.append(value)
    return true
  }

  /// - Returns: its place in ``values``.
  mutating func find(_ id: UInt64) -> Int? {
    guard let first = ids.first, id >= first else { return nil }
    if last + 1 < ids.count, ids[last + 1] == id {
      last += 1
      return last
    }
    // Ids are given out one by one: where none has left, they tell the place. Each that has left puts it further down.
    var range = 0..<Int(min(UInt64(ids.count - 1), id - first)) + 1
    var place = range.upperBound - 1
    while !range.isEmpty {
      if ids[place] == id {
        last = place
        return place
      }
      range = ids[place] < id ? place + 1..<range.upperBound : range.lowerBound..<place
      place = range.lowerBound + range.count / 2
    }
    return nil
  }
}
