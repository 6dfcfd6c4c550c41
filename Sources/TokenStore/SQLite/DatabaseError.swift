/// A call to SQLite that failed. Says which file, what was tried, and what to do about it.
package struct DatabaseError: Error, Equatable, CustomStringConvertible {
  package let path: String
  package let code: ResultCode
  /// SQLite's message for this very failure, read where it happened.
  package let message: String
  /// The SQL text, which never holds values: those are bound.
  package let statement: String?

  package init(path: String, code: ResultCode, message: String, statement: String? = nil) {
    self.path = path
    self.code = code
    self.message = message
    self.statement = statement
  }

  package var description: String {
    var text = "\(path): \(message.isEmpty ? code.description : "\(message) (SQLite \(code.rawValue))")"
    if let statement { text += ", at: \(statement)" }
    if let mend = code.mend { text += "; \(mend)" }
    return text
  }
}
