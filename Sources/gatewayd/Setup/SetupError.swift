/// Why `gatewayd init` made nothing: one line that names the thing and the mend.
struct SetupError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
