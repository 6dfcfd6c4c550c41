/// One `--option` of a command. Declared once as a constant, then used as the key to what the user gave.
package struct CommandOption: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case flag
    /// The placeholder is what the help page calls the value, such as `FILE`.
    case value(placeholder: String)
    case repeatable(placeholder: String)
  }

  /// Without the dashes.
  package let name: String
  package let short: Character?
  package let kind: Kind
  package let help: String
  /// Only shown; the command applies it.
  package let standard: String?

  private init(_ name: String, short: Character?, kind: Kind, help: String, standard: String? = nil) {
    self.name = name
    self.short = short
    self.kind = kind
    self.help = help
    self.standard = standard
  }

  package static func flag(_ name: String, short: Character? = nil, help: String) -> Self {
    Self(name, short: short, kind: .flag, help: help)
  }

  package static func value(
    _ name: String, _ placeholder: String, short: Character? = nil, help: String, standard: String? = nil
  ) -> Self {
    Self(name, short: short, kind: .value(placeholder: placeholder), help: help, standard: standard)
  }

  package static func repeatable(_ name: String, _ placeholder: String, short: Character? = nil, help: String) -> Self {
    Self(name, short: short, kind: .repeatable(placeholder: placeholder), help: help)
  }

  /// Every command has it.
  static let help = Self.flag("help", short: "h", help: "show this page")

  var placeholder: String? {
    switch kind {
    case .flag: nil
    case .value(let placeholder), .repeatable(let placeholder): placeholder
    }
  }
  /// All that there is to say of it, in one line.
  var meaning: String {
    var text = help
    if case .repeatable = kind { text += "; may be repeated" }
    if let standard { text += " (default \(standard))" }
    return text
  }
}
