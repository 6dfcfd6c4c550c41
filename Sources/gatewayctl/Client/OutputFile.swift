import CommandLineInterface
import Glibc

/// Writes a file that the user names.
enum OutputFile {
  /// Puts `text` in the file's place at once: whoever reads it sees the old or the new, never half of one.
  /// - Parameter what: the beginning of the error, such as `the picture`.
  static func replace(_ path: String, with text: String, what: String) throws(CommandFailure) {
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw refusal(new, what) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let failure = refusal(new, what)
        close(descriptor)
        unlink(new)
        throw failure
      }
      bytes = bytes.dropFirst(count)
    }
    close(descriptor)
    guard rename(new, path) == 0 else { throw refusal(path, what) }
  }

  private static func refusal(_ path: String, _ what: String) -> CommandFailure {
    CommandFailure("cannot write \(what) \(path): \(String(cString: strerror(errno)))")
  }
}
