import COpenSSL

/// Something that OpenSSL refused: what we were about to do, and what its error queue said about it.
package struct TLSError: Error, Equatable, CustomStringConvertible {
  /// A sentence of ours; never has content of a key or a certificate in it.
  package let problem: String
  /// The queue's texts, oldest first; often empty.
  package let stack: [String]

  package init(_ problem: String, stack: [String] = []) {
    self.problem = problem
    self.stack = stack
  }

  package var description: String { stack.isEmpty ? problem : "\(problem) (\(stack.joined(separator: "; ")))" }

  /// Empties OpenSSL's error queue, which belongs to this thread, into an error.
  static func drain(_ problem: String) -> TLSError {
    var stack: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      stack.append(text(of: code))
    }
    return TLSError(problem, stack: stack)
  }

  private static func text(of code: UInt) -> String {
    if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress else { return "error \(code)" }
      ERR_error_string_n(code, base, 256)
      return String(cString: base)
    }
  }
}
