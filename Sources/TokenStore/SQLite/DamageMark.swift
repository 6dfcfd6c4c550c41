import Glibc

/// A small file beside a store that was found damaged while it ran, so that the next start does not take it for whole
/// because the pages that it happens to read are.
struct DamageMark {
  private let path: String

  init(besides database: String) { path = database + "-damaged" }

  var isThere: Bool { access(path, F_OK) == 0 }

  /// Best effort: a disk that breaks files may not take another.
  func put(_ cause: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = Array((cause + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    fsync(descriptor)
    close(descriptor)
  }

  func remove() { unlink(path) }
}
