import CommandLineInterface
import Glibc

/// A file that only its owner reads, which is there when it is whole and not before.
final class SecretFile {
  private let path: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var isDone = false

  private var newPath: String { path + ".new" }

  init(_ path: String) throws {
    self.path = path
    // What another run has left behind may be open to others: begin with a file of our own.
    unlink(path + ".new")
    descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.refusal(path + ".new") }
  }

  deinit {
    close(descriptor)
    if !isDone { unlink(newPath) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    buffer += bytes
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Puts the file in its place.
  func finish() throws {
    try flush()
    guard fsync(descriptor) == 0, rename(newPath, path) == 0 else { throw Self.refusal(path) }
    isDone = true
  }

  private func flush() throws {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Self.refusal(newPath) }
      rest = rest.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func refusal(_ path: String) -> CommandFailure {
    CommandFailure("cannot write \(path): \(String(cString: strerror(errno)))")
  }
}
