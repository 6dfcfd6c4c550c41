import Glibc
import CLinux

/// Owns one open descriptor and closes it when it goes out of scope. Only its owner may close it, and the compiler sees
/// to there being one owner.
///
/// A descriptor that is registered in an ``EventLoop`` must be removed there before it is closed.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for calls that borrow it.
  package let raw: Int32

  package init(owning raw: Int32) { self.raw = raw }

  // close(2) is not repeated on EINTR: Linux has closed the descriptor by then.
  deinit { _ = Glibc.close(raw) }

  /// Gives the descriptor away; the receiver closes it.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Sends small segments at once (TCP_NODELAY). Without it a 43 ms pause waits for the peer's delayed acknowledgement.
  /// Does nothing on a Unix socket.
  package borrowing func setNoDelay() { setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }

  /// How long sent bytes may stay without acknowledgement before the kernel gives the connection up
  /// (TCP_USER_TIMEOUT, RFC 5482). Does nothing on a Unix socket.
  package borrowing func setUserTimeout(milliseconds: Int32) {
    setOption(Int32(IPPROTO_TCP), 18, max(0, milliseconds))  // TCP_USER_TIMEOUT; Glibc's module lacks the name
  }

  /// A failure is left alone: these options tune a connection and do not make it.
  private borrowing func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(raw, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The error that a failed connect or a broken connection left (SO_ERROR), nil if there is none. Reading clears it.
  package borrowing func takeSocketError() -> SystemCallError? {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code != 0 else { return nil }
    return SystemCallError(call: "connect", code: code)
  }

  /// Two ends of a Unix stream, nonblocking: for tests and for talk inside the process.
  package static func pair() throws(SystemCallError) -> SocketPair {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutablePointer(to: &ends) { pointer in
      pointer.withMemoryRebound(to: Int32.self, capacity: 2) {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0)
      }
    }
    let code = errno
    guard result == 0 else { throw SystemCallError(call: "socketpair", code: code) }
    _ = linux_make_nonblocking(ends.0)
    _ = linux_make_nonblocking(ends.1)
    return SocketPair(first: FileDescriptor(owning: ends.0), second: FileDescriptor(owning: ends.1))
  }
}

/// What ``FileDescriptor/pair()`` makes.
package struct SocketPair: ~Copyable {
  package var first: FileDescriptor
  package var second: FileDescriptor

  /// Gives both descriptors away; the receiver closes them.
  package consuming func released() -> (Int32, Int32) { (first.release(), second.release()) }
}
