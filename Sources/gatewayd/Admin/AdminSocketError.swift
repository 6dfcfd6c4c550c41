/// The admin server cannot listen; says where and what to do.
struct AdminSocketError: Error, Sendable, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
