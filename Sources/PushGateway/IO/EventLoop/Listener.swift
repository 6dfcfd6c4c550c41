import CLinux
import Glibc

/// Accepts the connections of one ``ListeningSocket`` on one loop.
package final class Listener: EventHandler, TimerHandler {
  private enum State {
    case listening(Registration)
    /// Out of descriptors: level-triggered epoll would report the same waiting connection in every turn.
    case resting(TimerID)
    case paused
  }

  /// How long a listener rests after accept(2) ran out of descriptors.
  package static let restMilliseconds: Int64 = 100

  package let socket: ListeningSocket
  private let loop: EventLoop
  /// Connections accepted in one turn at most: a storm of handshakes must not starve the connections that are there.
  private let perTurn: Int
  private unowned let acceptor: any ConnectionAcceptor
  private var state = State.paused

  /// Accepts nothing before ``resume()``. The acceptor must outlive the listener's time on the loop. `perTurn` is at
  /// least 1.
  package init(
    _ socket: ListeningSocket, on loop: EventLoop, perTurn: Int = 16, acceptor: any ConnectionAcceptor
  ) {
    self.socket = socket
    self.loop = loop
    self.perTurn = max(1, perTurn)
    self.acceptor = acceptor
  }

  package var address: SocketAddress { socket.address }

  package var isAccepting: Bool {
    if case .listening = state { true } else { false }
  }

  /// Starts to accept, or goes on after ``pause()``.
  package func resume() throws(SystemCallError) {
    switch state {
    case .listening: return
    case .resting(let timer): loop.cancel(timer)
    case .paused: break
    }
    state = .paused
    state = .listening(try loop.register(socket.raw, for: .readable, exclusive: true, handler: self))
  }

  /// Stops accepting; waiting connections stay in the backlog. Also the last call before the listener is let go.
  package func pause() {
    switch state {
    case .listening(let registration): loop.remove(registration)
    case .resting(let timer): loop.cancel(timer)
    case .paused: return
    }
    state = .paused
  }

  package func ready(_ readiness: Readiness) {
    for _ in 0..<perTurn {
      // The acceptor may pause us when it is full.
      guard case .listening = state else { return }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let raw = linux_accept(socket.raw, &storage, &length)
      let code = errno
      if raw >= 0 {
        let descriptor = FileDescriptor(owning: raw)
        let peer = peer(of: raw, storage, length)
        acceptor.accepted(descriptor, from: peer, on: self)
        continue
      }
      switch code {
      case EAGAIN: return
      // The peer gave up while it waited, or its network did (accept(2), "Error handling"): the next one may be well.
      case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
        continue
      default:
        rest()
        acceptor.acceptFailed(SystemCallError(call: "accept", code: code), on: self)
        return
      }
    }
  }

  package func timerFired(_ token: UInt64) {
    guard case .resting = state else { return }
    state = .paused
    do {
      try resume()
    } catch {
      rest()
      acceptor.acceptFailed(error, on: self)
    }
  }

  private func rest() {
    if case .listening(let registration) = state { loop.remove(registration) }
    state = .resting(loop.schedule(after: Self.restMilliseconds, self))
  }

  private func peer(of raw: Int32, _ storage: sockaddr_storage, _ length: socklen_t) -> PeerAddress {
    let address = SocketAddress(storage, length: length) ?? .unix(path: "")
    guard case .unix = address else { return PeerAddress(address: address) }
    var user: UInt32 = 0
    return PeerAddress(address: address, userID: linux_peer_uid(raw, &user) == 0 ? user : nil)
  }
}
