/// What the user gave to one command.
package struct Invocation: Sendable {
  /// Such as `gatewayctl developer-mode on`.
  package let command: String
  package let output: Output
  /// In the order given.
  package let arguments: [String]
  let given: [CommandOption: [String]]

  package func has(_ option: CommandOption) -> Bool { given[option] != nil }

  /// The last value given, as later ones are usually meant to override.
  package func value(_ option: CommandOption) -> String? { given[option]?.last }

  package func values(_ option: CommandOption) -> [String] { given[option] ?? [] }

  package func required(_ option: CommandOption) throws(UsageError) -> String {
    guard let text = value(option) else {
      throw UsageError("--\(option.name) \(option.placeholder ?? "") is required", help: command)
    }
    return text
  }

  package func integer(_ option: CommandOption, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw refusing(option, text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A duration as the configuration writes it (`500ms`, `25s`, `10m`, `8h`, `30d`); a bare number counts seconds.
  package func duration(_ option: CommandOption) throws(UsageError) -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Duration(text: text) else {
      throw refusing(option, text, expected: "a duration such as 30s, 10m, 8h or 2d")
    }
    return duration
  }

  package func choice<Value: RawRepresentable & CaseIterable>(
    _ option: CommandOption, of type: Value.Type
  ) throws(UsageError) -> Value? where Value.RawValue == String {
    guard let text = value(option) else { return nil }
    guard let value = Value(rawValue: text) else {
      let choices = type.allCases.map(\.rawValue)
      let hint = Suggestion.nearest(to: text, among: choices).map { "; did you mean \($0)?" } ?? ""
      throw refusing(option, text, expected: "one of " + choices.joined(separator: ", "), hint: hint)
    }
    return value
  }

  /// For values that only the command can judge.
  package func refusing(
    _ option: CommandOption, _ text: String, expected: String, hint: String = ""
  ) -> UsageError {
    UsageError("--\(option.name) takes \(expected), not \(text.quoted)\(hint)", help: command)
  }
}
