import CLinux
import Glibc

extension FileDescriptor {
  /// Begins to connect and does not wait: the descriptor becomes writable when it is connected, and shows `.hangup` when
  /// it could not; ``takeSocketError()`` then says why. For clients on a loop (the simulator, tests).
  package static func connecting(to address: SocketAddress) throws(SystemCallError) -> FileDescriptor {
    guard let family = address.withRawAddress({ _, _, family in family }) else {
      throw SystemCallError(call: "connect to \(address)", code: EINVAL)
    }
    let raw = linux_stream_socket(family)
    let socketCode = errno
    guard raw >= 0 else { throw SystemCallError(call: "socket", code: socketCode) }
    let descriptor = FileDescriptor(owning: raw)
    if case .tcp = address { descriptor.setNoDelay() }
    let result = address.withRawAddress { pointer, length, _ in connect(raw, pointer, length) } ?? -1
    let code = errno
    guard result == 0 || code == EINPROGRESS else {
      throw SystemCallError(call: "connect to \(address)", code: code)
    }
    return descriptor
  }
}
