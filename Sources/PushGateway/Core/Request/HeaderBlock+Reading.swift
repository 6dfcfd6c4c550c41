import HTTPMessage

extension HeaderBlock {
  /// `withValue(of:)` for the push path: generic only within this module, where the compiler makes it concrete.
  @inline(__always)
  func reading<Value>(_ name: FieldName, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
    var value: Value?
    read(name) { value = body($0) }
    return value
  }
}
