/// One header block, kept as bytes in one arena that its stream object reuses.
///
/// The first value of a known name is kept; that it came again is remembered in ``isRepeated(_:)``, because APNs
/// answers a repeated field with `DuplicateHeaders` and never looks at the second value.
///
/// A class that its stream holds in a `let`, and all its storage private: only what no other module can see is proven
/// free of overlapping accesses when it is compiled; the rest is checked at run time, ten times a request here. Bound to
/// the loop of its stream.
package final class HeaderBlock {
  private struct Slot {
    var start: UInt32 = 0
    var count: UInt32 = 0
  }

  /// Its own, freed with it. Not an array: appending to one asks each time whether anybody else holds it.
  private var arena = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 8)
  private var capacity = 512
  private var used = 0
  private var slots = InlineArray<20, Slot>(repeating: Slot())
  private var present: UInt32 = 0
  private var repeated: UInt32 = 0
  private var size = 0
  private var exceedsLimit = false

  package init() {}

  deinit { arena.deallocate() }

  /// Size of the list as RFC 9113 §10.5.1 counts it: name + value + 32 octets a field.
  package var listSize: Int { size }
  package var isOverLimit: Bool { exceedsLimit }

  package func removeAll() {
    used = 0
    present = 0
    repeated = 0
    size = 0
    exceedsLimit = false
  }

  /// - Parameter limit: how large the list may become. A field is weighed before it is kept, since one alone may be as
  ///   long as 64 KB; from the first that does not fit, none is kept and ``isOverLimit`` is true.
  /// - Returns: ``listSize``.
  @discardableResult
  package func append(
    name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, limit: Int = .max
  ) -> Int {
    size += name.count + value.count + 32
    if exceedsLimit || size > limit {
      exceedsLimit = true
    } else if let known = FieldName(name) {
      keep(known, value)
    }
    return size
  }

  private func keep(_ known: FieldName, _ value: UnsafeRawBufferPointer) {
    let bit: UInt32 = 1 << known.rawValue
    guard present & bit == 0 else {
      repeated |= bit
      return
    }
    present |= bit
    let start = used
    used += value.count
    if used > capacity { makeRoom(keeping: start) }
    slots[Int(known.rawValue)] = Slot(
      start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: value.count))
    if let bytes = value.baseAddress { (arena + start).copyMemory(from: bytes, byteCount: value.count) }
  }

  private func makeRoom(keeping count: Int) {
    capacity = max(used, 2 * capacity)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: arena, byteCount: count)
    arena.deallocate()
    arena = larger
  }

  private func bytes(of name: FieldName) -> UnsafeRawBufferPointer {
    let slot = slots[Int(name.rawValue)]
    return UnsafeRawBufferPointer(start: arena + Int(slot.start), count: Int(slot.count))
  }

  package func contains(_ name: FieldName) -> Bool { present & (1 << name.rawValue) != 0 }

  package func isRepeated(_ name: FieldName) -> Bool { repeated & (1 << name.rawValue) != 0 }

  /// Any repeated field of a set, tested at once: `fields` is a union of ``bit(of:)``.
  package func isAnyRepeated(of fields: UInt32) -> Bool { repeated & fields != 0 }

  package static func bit(of name: FieldName) -> UInt32 { 1 << name.rawValue }

  /// Shows the value's bytes to `body`, when the field is there. Not generic: on the push path an unspecialised call
  /// over the module's border costs more than most of what is done with a value.
  package func read(_ name: FieldName, _ body: (UnsafeRawBufferPointer) -> Void) {
    if contains(name) { body(bytes(of: name)) }
  }

  /// The value's bytes, valid for the length of the call; nil when the field is absent.
  package func withValue<Result>(of name: FieldName, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    contains(name) ? body(bytes(of: name)) : nil
  }

  /// A copy for places that are not hot.
  package func value(of name: FieldName) -> [UInt8]? { withValue(of: name) { Array($0) } }

  package func text(of name: FieldName) -> String? { withValue(of: name) { String(decoding: $0, as: UTF8.self) } }
}
