/// One header block, kept as bytes in one arena that its stream object reuses.
///
/// The first value of a known name is kept; that it came again is remembered in ``isRepeated(_:)``, because APNs
/// answers a repeated field with `DuplicateHeaders` and never looks at the second value. Not copyable, since each copy
/// would cost what its arena costs, and nobody needs one.
package struct HeaderBlock: ~Copyable, Sendable {
  private struct Slot {
    var start: UInt32 = 0
    var count: UInt32 = 0
  }

  private var arena: [UInt8] = []
  private var slots = InlineArray<20, Slot>(repeating: Slot())
  private var present: UInt32 = 0
  private var repeated: UInt32 = 0
  /// Size of the list as RFC 9113 §10.5.1 counts it: name + value + 32 octets a field.
  package private(set) var listSize = 0
  package private(set) var isOverLimit = false

  package init() {
    arena.reserveCapacity(512)
  }

  package mutating func removeAll() {
    arena.removeAll(keepingCapacity: true)
    present = 0
    repeated = 0
    listSize = 0
    isOverLimit = false
  }

  /// - Parameter limit: how large the list may become. A field is weighed before it is kept, since one alone may be as
  ///   long as 64 KB; from the first that does not fit, none is kept and ``isOverLimit`` is true.
  /// - Returns: ``listSize``.
  @discardableResult
  package mutating func append(
    name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, limit: Int = .max
  ) -> Int {
    listSize += name.count + value.count + 32
    if isOverLimit || listSize > limit {
      isOverLimit = true
    } else if let known = FieldName(name) {
      keep(known, value)
    }
    return listSize
  }

  private mutating func keep(_ known: FieldName, _ value: UnsafeRawBufferPointer) {
    let bit: UInt32 = 1 << known.rawValue
    guard present & bit == 0 else {
      repeated |= bit
      return
    }
    present |= bit
    slots[Int(known.rawValue)] = Slot(start: UInt32(arena.count), count: UInt32(value.count))
    arena.append(contentsOf: value)
  }

  package func contains(_ name: FieldName) -> Bool { present & (1 << name.rawValue) != 0 }

  package func isRepeated(_ name: FieldName) -> Bool { repeated & (1 << name.rawValue) != 0 }

  /// Any repeated field of a set, tested at once: `fields` is a union of ``bit(of:)``.
  package func isAnyRepeated(of fields: UInt32) -> Bool { repeated & fields != 0 }

  package static func bit(of name: FieldName) -> UInt32 { 1 << name.rawValue }

  /// Shows the value's bytes to `body`, when the field is there. Not generic: on the push path an unspecialised call
  /// over the module's border costs more than most of what is done with a value.
  package func read(_ name: FieldName, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard contains(name) else { return }
    let slot = slots[Int(name.rawValue)]
    arena.withUnsafeBytes { all in
      body(UnsafeRawBufferPointer(rebasing: all[Int(slot.start)..<Int(slot.start + slot.count)]))
    }
  }

  /// The value's bytes, valid for the length of the call; nil when the field is absent.
  package func withValue<Result>(of name: FieldName, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard contains(name) else { return nil }
    let slot = slots[Int(name.rawValue)]
    return arena.withUnsafeBytes { all in
      body(UnsafeRawBufferPointer(rebasing: all[Int(slot.start)..<Int(slot.start + slot.count)]))
    }
  }

  /// A copy for places that are not hot.
  package func value(of name: FieldName) -> [UInt8]? { withValue(of: name) { Array($0) } }

  package func text(of name: FieldName) -> String? { withValue(of: name) { String(decoding: $0, as: UTF8.self) } }
}
