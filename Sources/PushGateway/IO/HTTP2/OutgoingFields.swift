import CNGHTTP2
package import HTTPMessage

/// The header fields of a message that we send, built without `String`. One object is kept and used again and again:
/// after the first few messages it allocates nothing.
///
/// `indexed: false` keeps a value out of both ends' HPACK tables. Use it for values that do not come again, as
/// `apns-id` and `gateway-refresh`: inserting them costs 15 % of a request and throws useful entries out. Their names
/// get in with the first of them.
///
/// The list is kept as nghttp2 takes it, in memory of its own, which is freed with it.
package struct OutgoingFields: ~Copyable {
  private var fields: UnsafeMutablePointer<nghttp2_nv>
  private var fieldCapacity: Int
  package private(set) var count = 0
  /// What the fields point to that is no text of the program.
  private var bytes: UnsafeMutablePointer<UInt8>
  private var byteCapacity: Int
  private var used = 0
  /// The known names among the fields that are not indexed; bits of ``HeaderBlock/bit(of:)``.
  private(set) var unindexedNames: UInt32 = 0

  /// Holds the place while the real one is in use elsewhere.
  package static var none: OutgoingFields { OutgoingFields(fields: 0, bytes: 0) }

  package init() { self.init(fields: 8, bytes: 256) }

  private init(fields: Int, bytes: Int) {
    self.fields = .allocate(capacity: fields)
    fieldCapacity = fields
    self.bytes = .allocate(capacity: bytes)
    byteCapacity = bytes
  }

  deinit {
    fields.deallocate()
    bytes.deallocate()
  }

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
    count = 0
    used = 0
    unindexedNames = 0
  }

  // No generic parameters here: they would not be specialised over the module's border, and cost an allocation a field.

  package mutating func append(_ name: FieldName, _ value: StaticString, indexed: Bool = true) {
    append(name.text, value, indexed: indexed)
    if !indexed { unindexedNames |= HeaderBlock.bit(of: name) }
  }

  package mutating func append(_ name: FieldName, _ value: UnsafeRawBufferPointer, indexed: Bool = true) {
    open(name, indexed: indexed)
    write(value)
  }

  package mutating func append(_ name: FieldName, _ value: [UInt8], indexed: Bool = true) {
    open(name, indexed: indexed)
    write(value)
  }

  package mutating func append(_ name: FieldName, integer: Int, indexed: Bool = true) {
    open(name, indexed: indexed)
    write(integer: integer)
  }

  /// `name` must be lower case (RFC 9113 §8.2).
  package mutating func append(_ name: StaticString, _ value: StaticString, indexed: Bool = true) {
    let fixed = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
    add(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value.utf8Start),
        namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount, flags: UInt8(fixed)),
      indexed: indexed)
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
    name.withUnsafeBytes { copy($0) }
    let start = bytes + (used - name.count)
    add(
      nghttp2_nv(name: start, value: start + name.count, namelen: name.count, valuelen: 0, flags: 0),
      indexed: indexed)
    write(value)
  }

  /// Starts a field whose value is then written in pieces with `write`.
  package mutating func open(_ name: StaticString, indexed: Bool = true) {
    add(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.utf8Start), value: bytes + used, namelen: name.utf8CodeUnitCount,
        valuelen: 0, flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)),
      indexed: indexed)
  }

  package mutating func open(_ name: FieldName, indexed: Bool = true) {
    open(name.text, indexed: indexed)
    if !indexed { unindexedNames |= HeaderBlock.bit(of: name) }
  }

  package mutating func write(_ piece: UnsafeRawBufferPointer) {
    precondition(count > 0, "A value needs a field that it belongs to.")
    copy(piece)
    fields[count - 1].valuelen += piece.count
  }

  package mutating func write(_ piece: [UInt8]) { piece.withUnsafeBytes { write($0) } }

  package mutating func write(ascii piece: StaticString) {
    write(UnsafeRawBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
  }

  package mutating func write(integer: Int) {
    // Its digits from the last to the first; a sign and 19 digits at most.
    var text = InlineArray<20, UInt8>(repeating: 0)
    var (start, rest) = (20, integer.magnitude)
    repeat {
      start -= 1
      text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if integer < 0 {
      start -= 1
      text[start] = UInt8(ascii: "-")
    }
    withUnsafeBytes(of: &text) { write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  private mutating func add(_ field: nghttp2_nv, indexed: Bool) {
    if count == fieldCapacity { makeRoomForFields() }
    (fields + count).initialize(to: field)
    if !indexed { fields[count].flags |= Self.noIndex }
    count += 1
  }

  private mutating func copy(_ piece: UnsafeRawBufferPointer) {
    guard let start = piece.baseAddress else { return }
    if piece.count > byteCapacity - used { makeRoom(for: piece.count) }
    UnsafeMutableRawPointer(bytes + used).copyMemory(from: start, byteCount: piece.count)
    used += piece.count
  }

  private mutating func makeRoomForFields() {
    fieldCapacity = 2 * fieldCapacity + 8
    let larger = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: fieldCapacity)
    larger.initialize(from: fields, count: count)
    fields.deallocate()
    fields = larger
  }

  /// Moves the bytes, and with them what the fields point to.
  private mutating func makeRoom(for extra: Int) {
    byteCapacity = 2 * byteCapacity + extra + 256
    let (old, larger) = (bytes, UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity))
    larger.initialize(from: old, count: used)
    func moved(
      _ address: UnsafeMutablePointer<UInt8>?, _ flag: nghttp2_nv_flag, of field: nghttp2_nv
    ) -> UnsafeMutablePointer<UInt8>? {
      guard UInt32(field.flags) & flag.rawValue == 0, let address else { return address }
      return larger + (address - old)
    }
    for place in 0..<count {
      fields[place].name = moved(fields[place].name, NGHTTP2_NV_FLAG_NO_COPY_NAME, of: fields[place])
      fields[place].value = moved(fields[place].value, NGHTTP2_NV_FLAG_NO_COPY_VALUE, of: fields[place])
    }
    old.deallocate()
    bytes = larger
  }

  private static var noIndex: UInt8 { UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }

  /// The list as nghttp2 takes it, valid for the length of the call. Texts of the program are not copied by nghttp2;
  /// the rest is, since this object is used again before the frame leaves.
  /// - Parameter names: whose fields are indexed this once; see ``HTTP2Connection/namesToTeach(with:)``.
  func withNameValues<Result>(
    teaching names: UInt32 = 0, _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    if names != 0 { setNoIndex(of: names, to: false) }
    defer { if names != 0 { setNoIndex(of: names, to: true) } }
    return body(UnsafeBufferPointer(start: fields, count: count))
  }

  private func setNoIndex(of names: UInt32, to isSet: Bool) {
    for place in 0..<count {
      let name = UnsafeRawBufferPointer(start: fields[place].name, count: fields[place].namelen)
      guard let known = FieldName(name), HeaderBlock.bit(of: known) & names != 0 else { continue }
      if isSet { fields[place].flags |= Self.noIndex } else { fields[place].flags &= ~Self.noIndex }
    }
  }
}
