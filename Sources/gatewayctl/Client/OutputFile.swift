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
    let code = Array(text.utf8).withUnsafeBytes { write($0, to: descriptor) }
    close(descriptor)
    guard code == 0 else {
      unlink(new)
      throw refusal(new, what, code)
    }
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

  /// Makes a file that only its owner may read. It has its name only once `body` has filled its descriptor and `check` has
  /// found it good under the passing name; until then, and after a failure, it has none.
  /// - Parameter replacing: whether a file that has the name already goes for it, and does not stand in its way.
  static func make(
    _ path: String, what: String, replacing: Bool = false, fill body: (Int32) throws -> Void,
    check: (String) throws -> Void = { _ in }
  ) throws {
    guard replacing || access(path, F_OK) != 0 else {
      throw CommandFailure("\(path) is there already, and is not overwritten: name another file")
    }
    let new = path + ".part"
    // What another run has left behind may be open to others: begin with a file of our own.
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
    // Unlike rename(2), link(2) never replaces what came there meanwhile.
    guard (replacing ? rename(new, path) : link(new, path)) == 0 else { throw refusal(path, what) }
  }

  private static func refusal(_ path: String, _ what: String, _ code: Int32 = errno) -> CommandFailure {
    CommandFailure("cannot write \(what) \(path): \(String(cString: strerror(code)))")
  }
}
