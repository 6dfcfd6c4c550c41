import Glibc

/// A system call that failed, with the `errno` that it left.
///
/// Read `errno` in the very next statement after the call: anything in between may change it.
package struct SystemCallError: Error, Equatable, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// What the C library says about the code, e.g. "Address already in use".
  package var reason: String { String(cString: strerror(code)) }

  package var description: String { "\(call): \(reason)" }
}
