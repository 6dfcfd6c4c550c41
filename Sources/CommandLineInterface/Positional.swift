/// One argument that is known by its place.
package struct Positional: Sendable, Hashable {
  package enum Count: Sendable, Hashable { case one, optional, many }

  /// As the help page writes it, such as `TOKEN`.
  package let name: String
  package let help: String
  package let count: Count

  package init(_ name: String, help: String, count: Count = .one) {
    self.name = name
    self.help = help
    self.count = count
  }

  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .many: "[\(name) …]"
    }
  }
}
