import Glibc

/// Puts another file in a store's place while no gateway runs on it.
package enum StoreReplacement {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case store(StoreOpenError)
    case system(path: String, cause: String)

    package var description: String {
      switch self {
      case .store(let error): "\(error)"
      case .system(let path, let cause): "\(path): \(cause)"
      }
    }
  }

  /// What belongs to a database and holds some of it. The database comes last: should the machine die between two
  /// renames, it is whole without what it has not got.
  private static let parts = ["-wal", "-journal", ""]

  /// What stood at `path` and beside it is renamed, so that its WAL, which belongs to it alone, can never be taken for the
  /// new file's, and to a name that nothing has, so that nothing is lost by a wrong choice, nor by a second one. When it
  /// fails, all is as it was.
  ///
  /// - Returns: where the old database is now; nil if there was none.
  package static func replace(_ path: String, with backup: String) throws(Failure) -> String? {
    let location: String
    do throws(StoreOpenError) {
      location = try StoreOpener.locate(path)
    } catch {
      throw .store(error)
    }
    let lock = try lock(path, at: location)
    defer { if lock.created { lock.removeFile() } }
    let new = location + "-restoring"
    let old = freeName(besides: location)
    var moved: [String] = []
    do throws(Failure) {
      try copy(backup, to: new, ownedAs: owner(of: location))
      for part in parts where access(location + part, F_OK) == 0 {
        guard rename(location + part, old + part) == 0 else { throw failure(location + part) }
        moved.append(part)
      }
      // Made anew from the WAL by whoever opens it.
      unlink(location + "-shm")
      guard rename(new, location) == 0 else { throw failure(new) }
    } catch {
      unlink(new)
      for part in moved.reversed() { rename(old + part, location + part) }
      throw error
    }
    DamageMark(besides: location).remove()
    syncFolder(of: location)
    return moved.last == "" ? old : nil
  }

  private static func lock(_ path: String, at location: String) throws(Failure) -> StoreLock {
    do throws(StoreLock.Failure) {
      return try StoreLock(besides: location)
    } catch {
      switch error {
      case .inUse(let process): throw .store(.inUse(path: path, process: process))
      case .system(let code): throw .store(.notWritable(path: path, cause: String(cString: strerror(code))))
      }
    }
  }

  private static func freeName(besides location: String) -> String {
    var name = location + "-replaced"
    var number = 1
    while parts.contains(where: { access(name + $0, F_OK) == 0 }) {
      number += 1
      name = location + "-replaced-\(number)"
    }
    return name
  }

  /// The account that the gateway runs as: root restores, and must not keep the file for itself.
  private static func owner(of location: String) -> (user: uid_t, group: gid_t)? {
    var status = stat()
    if stat(location, &status) == 0 { return (status.st_uid, status.st_gid) }
    guard let slash = location.lastIndex(of: "/"), stat(String(location[...slash]), &status) == 0 else { return nil }
    return (status.st_uid, status.st_gid)
  }

  private static func copy(_ source: String, to target: String, ownedAs owner: (user: uid_t, group: gid_t)?)
    throws(Failure)
  {
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

  private static func failure(_ path: String) -> Failure {
    .system(path: path, cause: String(cString: strerror(errno)))
  }
}
