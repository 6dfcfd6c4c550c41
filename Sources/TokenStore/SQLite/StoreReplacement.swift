import Glibc

/// Puts another file in a store's place while no gateway runs on it.
package enum StoreReplacement {
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }

  /// What stood at `path` and beside it is renamed, so that its WAL, which belongs to it alone, can never be taken for the
  /// new file's, and so that nothing is lost by a wrong choice.
  ///
  /// - Returns: where the old database is now; nil if there was none.
  package static func replace(_ path: String, with backup: String) throws -> String? {
    let location = try StoreOpener.locate(path)
    let lock: StoreLock
    do throws(StoreLock.Failure) {
      lock = try StoreLock(besides: location)
    } catch {
      switch error {
      case .inUse(let process): throw StoreOpenError.inUse(path: path, process: process)
      case .system(let code): throw StoreOpenError.notWritable(path: path, cause: String(cString: strerror(code)))
      }
    }
    let new = location + "-restoring"
    do {
      try copy(backup, to: new, ownedAs: owner(of: location))
    } catch {
      unlink(new)
      if lock.created { lock.removeFile() }
      throw error
    }
    var replaced: String?
    if access(location, F_OK) == 0 {
      let old = location + "-replaced"
      for suffix in ["", "-wal"] { unlink(old + suffix) }
      // The WAL first: should the machine die in between, the old database is whole without what it has not got.
      for suffix in ["-wal", ""] where access(location + suffix, F_OK) == 0 {
        guard rename(location + suffix, old + suffix) == 0 else { throw failure(location + suffix) }
      }
      replaced = old
    }
    for suffix in ["-wal", "-shm", "-journal"] { unlink(location + suffix) }
    guard rename(new, location) == 0 else { throw failure(new) }
    DamageMark(besides: location).remove()
    syncFolder(of: location)
    if lock.created { lock.removeFile() }
    return replaced
  }

  /// The account that the gateway runs as: root restores, and must not keep the file for itself.
  private static func owner(of location: String) -> (user: uid_t, group: gid_t)? {
    var status = stat()
    if stat(location, &status) == 0 { return (status.st_uid, status.st_gid) }
    guard let slash = location.lastIndex(of: "/"), stat(String(location[...slash]), &status) == 0 else { return nil }
    return (status.st_uid, status.st_gid)
  }

  private static func copy(_ source: String, to target: String, ownedAs owner: (user: uid_t, group: gid_t)?) throws {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw failure(source) }
    defer { close(input) }
    unlink(target)
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw failure(target) }
    defer { close(output) }
    if geteuid() == 0, let owner { _ = fchown(output, owner.user, owner.group) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else { throw failure(source) }
      var written = 0
      while written < count {
        let step = buffer[written..<count].withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        guard step > 0 else { throw failure(target) }
        written += step
      }
    }
    guard fsync(output) == 0 else { throw failure(target) }
  }

  private static func syncFolder(of location: String) {
    guard let slash = location.lastIndex(of: "/") else { return }
    let folder = open(String(location[...slash]), O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String) -> Failure { Failure("\(path): \(String(cString: strerror(errno)))") }
}
