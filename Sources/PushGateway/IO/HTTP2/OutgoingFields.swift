import CNGHTTP2
package import HTTPMessage

/// The header fields of a message that we send, built without `String`. One object is kept and used again and again:
/// after the first few messages it allocates nothing.
///
/// `indexed: false` keeps a value out of both ends' HPACK tables. Use it for values that do not come again, as
/// `apns-id` and `gateway-refresh`: inserting them costs 15 % of a request and throws useful entries out.
package struct OutgoingFields {
  private enum Source {
    /// Text of the program, which lives for ever.
    case fixed(UnsafePointer<UInt8>)
    /// Offset in `bytes`.
    case copied(Int)
  }

  private struct Field {
    var name: Source
    var nameCount: Int
    var value: Source
    var valueCount: Int
    var isIndexed: Bool
  }

  private var fields: [Field] = []
  private var bytes: [UInt8] = []

  /// Holds the place while the real one is in use elsewhere.
  package static var none: OutgoingFields { OutgoingFields(fields: [], bytes: []) }

  private init(fields: [Field], bytes: [UInt8]) {
    self.fields = fields
    self.bytes = bytes
  }

  package init() {
    fields.reserveCapacity(8)
    bytes.reserveCapacity(256)
  }

  package var count: Int { fields.count }

  /// Starts a response. `status` is 100 to 599.
  package mutating func startResponse(status: Int) {
    removeAll()
    append(.status, integer: status)
  }

  /// Starts a request. An empty authority is left out; add `host` yourself then.
  package mutating func startRequest(
    method: StaticString, path: [UInt8], authority: [UInt8], scheme: StaticString = "https"
  ) {
    removeAll()
    append(.method, method)
    append(.scheme, scheme)
    if !authority.isEmpty { append(.authority, authority) }
    append(.path, path, indexed: false)
  }

  package mutating func removeAll() {
    fields.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  // No generic parameters here: they would not be specialised over the module's border, and cost an allocation a field.

  package mutating func append(_ name: FieldName, _ value: StaticString, indexed: Bool = true) {
    append(name.text, value, indexed: indexed)
  }

  package mutating func append(_ name: FieldName, _ value: UnsafeRawBufferPointer, indexed: Bool = true) {
    append(name.text, value, indexed: indexed)
  }

  package mutating func append(_ name: FieldName, _ value: [UInt8], indexed: Bool = true) {
    append(name.text, value, indexed: indexed)
  }

  package mutating func append(_ name: FieldName, integer: Int, indexed: Bool = true) {
    append(name.text, integer: integer, indexed: indexed)
  }

  /// `name` must be lower case (RFC 9113 §8.2).
  package mutating func append(_ name: StaticString, _ value: StaticString, indexed: Bool = true) {
    fields.append(
      Field(
        name: .fixed(name.utf8Start), nameCount: name.utf8CodeUnitCount, value: .fixed(value.utf8Start),
        valueCount: value.utf8CodeUnitCount, isIndexed: indexed))
  }

  package mutating func append(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexed: Bool = true) {
    open(name, indexed: indexed)
    write(value)
  }

  package mutating func append(_ name: StaticString, _ value: [UInt8], indexed: Bool = true) {
    open(name, indexed: indexed)
    write(value)
  }

  package mutating func append(_ name: StaticString, integer: Int, indexed: Bool = true) {
    open(name, indexed: indexed)
    write(integer: integer)
  }

  /// A name that is only known at run time; for clients and tests.
  package mutating func append(copyingName name: [UInt8], _ value: [UInt8], indexed: Bool = true) {
    let nameStart = bytes.count
    bytes.append(contentsOf: name)
    fields.append(
      Field(
        name: .copied(nameStart), nameCount: name.count, value: .copied(bytes.count), valueCount: 0, isIndexed: indexed)
    )
    write(value)
  }

  /// Starts a field whose value is then written in pieces with `write`.
  package mutating func open(_ name: StaticString, indexed: Bool = true) {
    fields.append(
      Field(
        name: .fixed(name.utf8Start), nameCount: name.utf8CodeUnitCount, value: .copied(bytes.count), valueCount: 0,
        isIndexed: indexed))
  }

  package mutating func open(_ name: FieldName, indexed: Bool = true) { open(name.text, indexed: indexed) }

  package mutating func write(_ piece: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: piece)
    extendLast(by: piece.count)
  }

  package mutating func write(_ piece: [UInt8]) {
    bytes.append(contentsOf: piece)
    extendLast(by: piece.count)
  }

  package mutating func write(ascii piece: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
    extendLast(by: piece.utf8CodeUnitCount)
  }

  package mutating func write(integer: Int) {
    if (0..<10).contains(integer) {
      bytes.append(UInt8(ascii: "0") + UInt8(integer))
      return extendLast(by: 1)
    }
    let before = bytes.count
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    var divisor: UInt = 1
    while integer.magnitude / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: integer.magnitude / divisor % 10))
      divisor /= 10
    }
    extendLast(by: bytes.count - before)
  }

  private mutating func extendLast(by count: Int) {
    precondition(!fields.isEmpty, "A value needs a field that it belongs to.")
    fields[fields.count - 1].valueCount += count
  }

  /// The list as nghttp2 takes it, valid for the length of the call. Texts of the program are not copied by nghttp2;
  /// the rest is, since this object is used again before the frame leaves.
  func withNameValues<Result>(
    in scratch: inout [nghttp2_nv], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { arena in
      // An empty value still wants an address; nghttp2 reads nothing from it.
      func address(_ source: Source) -> UnsafeMutablePointer<UInt8>? {
        switch source {
        case .fixed(let start): UnsafeMutablePointer(mutating: start)
        case .copied(let offset): arena.baseAddress.map { UnsafeMutablePointer(mutating: $0 + offset) }
        }
      }
      scratch.removeAll(keepingCapacity: true)
      for field in fields {
        var flags = field.isIndexed ? UInt32(0) : NGHTTP2_NV_FLAG_NO_INDEX.rawValue
        if case .fixed = field.name { flags |= NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue }
        if case .fixed = field.value { flags |= NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue }
        scratch.append(
          nghttp2_nv(
            name: address(field.name), value: address(field.value), namelen: field.nameCount,
            valuelen: field.valueCount, flags: UInt8(truncatingIfNeeded: flags)))
      }
      return scratch.withUnsafeBufferPointer(body)
    }
  }
}
