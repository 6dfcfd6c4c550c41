/// Finds the imports of a Swift source. Comments and the inside of multi-line texts are no code.
enum ImportScanner {
  struct Import: Equatable {
    let module: String
    let line: Int
  }

  private static let access: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
  private static let kinds: Set<String> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
  ]

  static func imports(in source: String) -> [Import] {
    var found: [Import] = []
    var commentDepth = 0
    var isInText = false
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let code = code(of: line, commentDepth: &commentDepth, isInText: &isInText)
      for statement in code.split(separator: ";") {
        if let module = module(importedBy: statement) { found.append(Import(module: module, line: index + 1)) }
      }
    }
    return found
  }

  /// A line without its comments, and without what lies within a multi-line text.
  private static func code(of line: Substring, commentDepth: inout Int, isInText: inout Bool) -> String {
    var code = ""
    var rest = line
    while !rest.isEmpty {
      if isInText {
        guard rest.hasPrefix("\"\"\"") else {
          rest.removeFirst()
          continue
        }
        isInText = false
        rest.removeFirst(3)
      } else if rest.hasPrefix("/*") {
        commentDepth += 1
        rest.removeFirst(2)
      } else if commentDepth > 0 {
        if rest.hasPrefix("*/") {
          commentDepth -= 1
          rest.removeFirst(2)
        } else {
          rest.removeFirst()
        }
      } else if rest.hasPrefix("//") {
        return code
      } else if rest.hasPrefix("\"\"\"") {
        isInText = true
        rest.removeFirst(3)
      } else if rest.hasPrefix("\"") {
        rest = skipText(rest)
        code.append(" ")
      } else {
        code.append(rest.removeFirst())
      }
    }
    return code
  }

  /// What follows a text that stands on one line.
  private static func skipText(_ text: Substring) -> Substring {
    var rest = text.dropFirst()
    while let character = rest.first {
      rest.removeFirst()
      if character == "\"" { return rest }
      if character == "\\" { rest = rest.dropFirst() }
    }
    return rest
  }

  private static func module(importedBy statement: Substring) -> String? {
    var words = statement.split { $0 == " " || $0 == "\t" }[...]
    while let word = words.first, word.hasPrefix("@") || access.contains(String(word)) { words.removeFirst() }
    guard words.popFirst() == "import" else { return nil }
    if let word = words.first, kinds.contains(String(word)) { words.removeFirst() }
    return words.first.flatMap { $0.split(separator: ".").first }.map(String.init)
  }
}
