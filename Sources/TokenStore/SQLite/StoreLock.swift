import Glibc

/// Keeps two gateways from one store: an advisory lock on a small file beside the database, which the kernel lets go
/// of when the process dies, however it dies.
///
/// Not a lock on the database file itself: closing any descriptor of that file would drop SQLite's own locks (POSIX),
/// and SQLite's exclusive mode would shut out `sqlite3 … .backup` and every look into a running store.
struct StoreLock: ~Copyable {
  enum Failure: Error { case inUse(process: Int?), system(errno: Int32) }

  private let descriptor: Int32
  private let path: String
  /// Whether the file was made by this lock: a failed first start removes it again.
  let created: Bool

  init(besides database: String) throws(Failure) {
    path = database + "-lock"
    while true {
      var wasCreated = true
      var opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if opened < 0, errno == EEXIST {
        wasCreated = false
        opened = open(path, O_RDWR | O_CLOEXEC)
        // Another gateway's failed first start may remove it between the two calls.
        if opened < 0, errno == ENOENT { continue }
      }
      guard opened >= 0 else { throw .system(errno: errno) }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        let holder = Self.holder(opened)
        close(opened)
        throw code == EWOULDBLOCK ? .inUse(process: holder) : .system(errno: code)
      }
      // The name may by now belong to another file; a lock on a nameless one would keep nobody out.
      guard Self.names(path, opened) else {
        close(opened)
        continue
      }
      descriptor = opened
      created = wasCreated
      break
    }
    // For the reader of the refusal only; the lock does not depend on it.
    let number = Array("\(getpid())\n".utf8)
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, number, number.count, 0) }
  }

  deinit { close(descriptor) }

  /// Takes the file away while the lock is still held.
  borrowing func removeFile() { unlink(path) }

  private static func names(_ path: String, _ descriptor: Int32) -> Bool {
    var byName = stat()
    var byDescriptor = stat()
    guard stat(path, &byName) == 0, fstat(descriptor, &byDescriptor) == 0 else { return false }
    return byName.st_ino == byDescriptor.st_ino && byName.st_dev == byDescriptor.st_dev
  }

  private static func holder(_ descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
  }
}
