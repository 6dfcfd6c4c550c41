import Glibc

/// The file of a Unix socket that we made, known by its inode: after a newer process has put its own there, ours is
/// gone and the path is not ours to remove.
struct UnixSocketFile: Sendable {
  /// Admins are root and the members of this group, where it exists.
  static let group = "gatewayd"
  static let mode: mode_t = 0o660

  let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Binds under a passing name and moves the file into place, so that it is never there with a wider mode, and a
  /// stale file of a crashed process is replaced in one step.
  static func listen(path: String) throws(AdminSocketError) -> (descriptor: Int32, file: UnixSocketFile) {
    try refuseIfTaken(path)
    let passing = path + ".\(getpid())"
    guard var address = address(of: passing) else {
      throw AdminSocketError("[admin] socket \(path): the path is too long for a Unix socket, use a shorter one")
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw refusal(path, errno) }
    unlink(passing)
    var failure: Int32?
    if withSockaddr(&address, { bind(descriptor, $0, $1) }) != 0 {
      failure = errno
    } else if chmod(passing, mode) != 0 {
      failure = errno
    } else {
      // Only root and members may give the group; without it the socket is its owner's and root's.
      if let id = groupID() { _ = chown(passing, uid_t.max, id) }
      if Glibc.listen(descriptor, 64) != 0 || rename(passing, path) != 0 { failure = errno }
    }
    var status = stat()
    if failure == nil, lstat(path, &status) != 0 { failure = errno }
    if let failure {
      unlink(passing)
      close(descriptor)
      throw refusal(path, failure)
    }
    return (descriptor, UnixSocketFile(path: path, device: status.st_dev, inode: status.st_ino))
  }

  func removeIfOurs() {
    var status = stat()
    if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
  }

  /// A living server behind the path, or a file that is no socket, must not be replaced.
  private static func refuseIfTaken(_ path: String) throws(AdminSocketError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw AdminSocketError("[admin] socket \(path) is there and is no socket: remove it or choose another path")
    }
    guard var address = address(of: path) else { return }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { throw refusal(path, errno) }
    defer { close(probe) }
    if withSockaddr(&address, { connect(probe, $0, $1) }) == 0 {
      throw AdminSocketError("[admin] socket \(path): another gatewayd serves it; stop that one first")
    }
  }

  private static func address(of path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    return withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard bytes.count < room.count, !bytes.contains(0) else { return false }
      room.copyBytes(from: bytes)
      return true
    } ? address : nil
  }

  private static func groupID() -> gid_t? {
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getgrnam_r(group, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }

  private static func refusal(_ path: String, _ code: Int32) -> AdminSocketError {
    let mend =
      switch code {
      case ENOENT: ": make its directory first (systemd does with RuntimeDirectory=gatewayd)"
      case EACCES, EPERM, EROFS: ": let gatewayd's user write to its directory"
      default: ""
      }
    return AdminSocketError("[admin] cannot listen on \(path): \(String(cString: strerror(code)))\(mend)")
  }
}
