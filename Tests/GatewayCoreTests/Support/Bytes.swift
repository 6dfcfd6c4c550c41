/// Gives a text's bytes to code that takes raw ones.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try Array(text.utf8).withUnsafeBytes(body)
}
