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

  /// - Returns: 0, or why not all of it was written.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      let code = errno
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if code != EINTR {
        return code == 0 ? EIO : code
      }
    }
    return 0
  }

  /// Makes a file that only its owner may read and that was not there before. It has its name only once `body` has filled
  /// its descriptor and `check` has found it good under the passing name; until then, and after a failure, it has none.
  static func make(
    _ path: String, what: String, fill body: (Int32) throws -> Void, check: (String) throws -> Void
  ) throws {
    guard access(path, F_OK) != 0 else {
      throw CommandFailure("\(path) is there already, and is not overwritten: name another file")
    }
    let new = path + ".part"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal(new, what) }
    defer { unlink(new) }
    do {
      defer { close(descriptor) }
      try body(descriptor)
      guard fsync(descriptor) == 0 else { throw refusal(new, what) }
    }
    try check(new)
    // Unlike rename(2) this never replaces what came there meanwhile.
    guard link(new, path) == 0 else { throw refusal(path, what) }
  }

  private static func refusal(_ path: String, _ what: String) -> CommandFailure {
    CommandFailure("cannot write \(what) \(path): \(String(cString: strerror(errno)))")
  }
}
