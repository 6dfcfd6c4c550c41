import CLinux
import Glibc

/// An open door: a bound, listening, nonblocking socket that belongs to no loop yet.
///
/// It is opened on the main thread, before anything is served, so that a port in use is a clear line at start. Sendable,
/// since all it holds is a descriptor that never changes: more than one loop may accept from it.
package final class ListeningSocket: Sendable {
  private let descriptor: FileDescriptor
  /// Where it listens; with the real port when port 0 was asked for.
  package let address: SocketAddress
  /// The socket file that this process made and removes at the end: device and inode, to leave a successor's alone.
  private let ownedFile: (device: dev_t, inode: ino_t)?

  /// Connections that may wait to be accepted; the kernel cuts it to `net.core.somaxconn`.
  package static let usualBacklog: Int32 = 4096

  package var raw: Int32 { descriptor.raw }

  /// Opens a listener. `reusePort` lets each loop have a socket of its own on the same port (SO_REUSEPORT).
  /// `permissions` is the mode of a Unix socket's file, nil for what the umask leaves.
  ///
  /// `::` takes IPv4 connections too; on a machine without IPv6 it means `0.0.0.0`. A socket file that is left over from
  /// a process that died is replaced; one on which somebody listens is not, and nothing that is not a socket is touched.
  package init(
    _ address: SocketAddress, backlog: Int32 = ListeningSocket.usualBacklog, reusePort: Bool = false,
    permissions: UInt16? = nil
  ) throws(ListenError) {
    try Self.checkForm(address)
    if case .unix(let path) = address { try Self.clearStaleSocket(path) }
    do throws(SystemCallError) {
      descriptor = try Self.open(address, backlog: backlog, reusePort: reusePort, permissions: permissions)
    } catch {
      throw ListenError(address, error)
    }
    self.address = SocketAddress(localAddressOf: descriptor.raw) ?? address
    if case .unix(let path) = address {
      var status = stat()
      ownedFile = stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    } else {
      ownedFile = nil
    }
  }

  /// Takes over a listening socket that somebody else opened, systemd for instance. The socket file of such a Unix socket
  /// is left alone at the end.
  package init(adopting inherited: consuming FileDescriptor) throws(ListenError) {
    let raw = inherited.raw
    var accepts: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(raw, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0, accepts == 1,
      let address = SocketAddress(localAddressOf: raw)
    else {
      throw ListenError(
        .notListening,
        "the inherited descriptor \(raw) is not a listening stream socket; use ListenStream= in the .socket unit")
    }
    _ = linux_make_nonblocking(raw)
    if case .tcp = address { inherited.setNoDelay() }
    descriptor = inherited
    self.address = address
    ownedFile = nil
  }

  deinit {
    guard let ownedFile, case .unix(let path) = address else { return }
    var status = stat()
    if lstat(path, &status) == 0, status.st_dev == ownedFile.device, status.st_ino == ownedFile.inode { unlink(path) }
  }

  private static func checkForm(_ address: SocketAddress) throws(ListenError) {
    guard address.withRawAddress({ _, _, _ in true }) == nil else { return }
    switch address {
    case .tcp(let host, _):
      throw ListenError(
        .notNumeric, "cannot listen on \(address): \(host) is not a numeric address; write it as 127.0.0.1, ::1 or ::")
    case .unix(let path):
      throw ListenError(
        .pathTooLong,
        "cannot make the socket \(path): its path has more than \(SocketAddress.longestPath) bytes; choose a shorter one"
      )
    }
  }

  private static func open(
    _ address: SocketAddress, backlog: Int32, reusePort: Bool, permissions: UInt16?
  ) throws(SystemCallError) -> FileDescriptor {
    let family = address.withRawAddress { _, _, family in family } ?? AF_UNSPEC
    let raw = linux_stream_socket(family)
    let code = errno
    guard raw >= 0 else {
      if case .tcp("::", let port) = address, code == EAFNOSUPPORT {
        return try open(
          .tcp(host: "0.0.0.0", port: port), backlog: backlog, reusePort: reusePort, permissions: permissions)
      }
      throw SystemCallError(call: "socket", code: code)
    }
    let descriptor = FileDescriptor(owning: raw)
    if case .tcp = address {
      // A restart must not wait for the last process's closed connections to leave TIME_WAIT.
      try setOption(raw, SOL_SOCKET, SO_REUSEADDR, 1)
      if reusePort { try setOption(raw, SOL_SOCKET, SO_REUSEPORT, 1) }
      // The kernel's default for dual stack is a sysctl; ours is not to depend on it.
      if family == AF_INET6 { try setOption(raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
      // Accepted sockets inherit it, which spares a system call for each.
      descriptor.setNoDelay()
    }
    let bound = address.withRawAddress { pointer, length, _ in bind(raw, pointer, length) } ?? -1
    let bindCode = errno
    guard bound == 0 else { throw SystemCallError(call: "bind", code: bindCode) }
    if case .unix(let path) = address, let permissions, chmod(path, mode_t(permissions)) != 0 {
      let chmodCode = errno
      unlink(path)
      throw SystemCallError(call: "chmod", code: chmodCode)
    }
    let listening = listen(raw, backlog)
    let listenCode = errno
    guard listening == 0 else { throw SystemCallError(call: "listen", code: listenCode) }
    return descriptor
  }

  private static func setOption(
    _ raw: Int32, _ level: Int32, _ name: Int32, _ value: Int32
  ) throws(SystemCallError) {
    var value = value
    let result = setsockopt(raw, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    let code = errno
    guard result == 0 else { throw SystemCallError(call: "setsockopt", code: code) }
  }

  /// Asks whoever may listen on the path. Only a refusal proves that nobody does.
  private static func clearStaleSocket(_ path: String) throws(ListenError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ListenError(
        .notASocket,
        "cannot make the socket \(path): there is a file that is no socket; move it away or choose another path")
    }
    let address = SocketAddress.unix(path: path)
    let probe = FileDescriptor(owning: linux_stream_socket(AF_UNIX))
    let result = address.withRawAddress { pointer, length, _ in connect(probe.raw, pointer, length) } ?? -1
    let code = errno
    guard result != 0, code == ECONNREFUSED else {
      // EAGAIN: somebody listens and has a full backlog.
      throw ListenError(
        address, SystemCallError(call: "connect", code: result == 0 || code == EAGAIN ? EADDRINUSE : code))
    }
    unlink(path)
  }
}
