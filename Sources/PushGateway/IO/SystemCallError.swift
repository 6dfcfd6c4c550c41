/// A system call that failed, with the `errno` that it left.
package struct SystemCallError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call) failed: \(code)" }
}
