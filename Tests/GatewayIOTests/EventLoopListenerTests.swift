import GatewayIO
import Glibc
import Testing

/// Takes what a listener gives it.
private final class Door: ConnectionAcceptor {
  var peers: [PeerAddress] = []
  var failures: [SystemCallError] = []
  var noDelay: [Int32] = []
  var greeting = ""

  func accepted(_ descriptor: consuming FileDescriptor, from peer: PeerAddress, on listener: Listener) {
    var value: Int32 = 0
    var length = socklen_t(4)
    getsockopt(descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
    noDelay.append(value)
    peers.append(peer)
    if !greeting.isEmpty { send(greeting, over: descriptor) }
  }

  func acceptFailed(_ error: SystemCallError, on listener: Listener) { failures.append(error) }
}

/// Protects the doors: where they open, whom they let in, and that a door that cannot open says why.
@Suite("Listener") struct EventLoopListenerTests {
  @Test(
    "A connection is accepted over each family and shows who came",
    arguments: [
      (SocketAddress.tcp(host: "127.0.0.1", port: 0), "127.0.0.1", "127.0.0.1"),
      (.tcp(host: "::1", port: 0), "::1", "::1"),
      (.tcp(host: "::", port: 0), "::1", "::1"),
      (.tcp(host: "::", port: 0), "127.0.0.1", "127.0.0.1"),
    ])
  func tcp(listen: SocketAddress, connect: String, peer: String) throws {
    let loop = try EventLoop()
    let door = Door()
    door.greeting = "hello"
    let listener = Listener(try ListeningSocket(listen), on: loop, acceptor: door)
    guard case .tcp(_, let port) = listener.address else { return #expect(Bool(false), "a TCP address was asked for") }
    #expect(port != 0)
    try listener.resume()
    let client = try FileDescriptor.connecting(to: .tcp(host: connect, port: port))
    turn(loop) { !door.peers.isEmpty }
    #expect(door.peers.map(\.host) == [peer])
    #expect(door.peers.first?.userID == nil)
    #expect(door.noDelay == [1])
    #expect(receive(from: client) == "hello")
    listener.pause()
    #expect(loop.registrationCount == 0)
  }

  @Test("A Unix socket knows the user at the other end, has the mode asked for, and leaves no file behind")
  func unix() throws {
    let scratch = ScratchDirectory()
    let path = "\(scratch.path)/door.sock"
    let loop = try EventLoop()
    let door = Door()
    do {
      let socket = try ListeningSocket(.unix(path: path), permissions: 0o600)
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      let listener = Listener(socket, on: loop, acceptor: door)
      try listener.resume()
      let client = try FileDescriptor.connecting(to: .unix(path: path))
      turn(loop) { !door.peers.isEmpty }
      #expect(door.peers.first?.userID == getuid())
      #expect(door.peers.first?.description == "unix:uid=\(getuid())")
      #expect(client.takeSocketError() == nil)
      listener.pause()
    }
    #expect(access(path, F_OK) == -1)
  }

  @Test("A socket file that nobody listens on is replaced")
  func staleSocket() throws {
    let scratch = ScratchDirectory()
    let path = "\(scratch.path)/door.sock"
    // What a killed process leaves: bound, and gone.
    let dead = FileDescriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(dead.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    let socket = try ListeningSocket(.unix(path: path))
    #expect(socket.address == .unix(path: path))
  }

  @Test("A socket somebody listens on is refused and goes on working")
  func liveSocket() throws {
    let scratch = ScratchDirectory()
    let path = "\(scratch.path)/door.sock"
    let first = try ListeningSocket(.unix(path: path))
    let error = #expect(throws: ListenError.self) { try ListeningSocket(.unix(path: path)) }
    #expect(error?.cause == .inUse)
    #expect(error?.description.contains(path) == true)
    let client = try FileDescriptor.connecting(to: first.address)
    #expect(client.takeSocketError() == nil)
  }

  @Test("A file that is no socket is never touched")
  func plainFile() throws {
    let scratch = ScratchDirectory()
    let path = "\(scratch.path)/precious"
    let file = FileDescriptor(owning: open(path, O_CREAT | O_WRONLY, 0o600))
    send("keep", over: file)
    let error = #expect(throws: ListenError.self) { try ListeningSocket(.unix(path: path)) }
    #expect(error?.cause == .notASocket)
    let again = FileDescriptor(owning: open(path, O_RDONLY))
    #expect(receive(from: again) == "keep")
  }

  @Test("A port in use is named with the mend")
  func portInUse() throws {
    let first = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    guard case .tcp(_, let port) = first.address else { return }
    let error = #expect(throws: ListenError.self) { try ListeningSocket(first.address) }
    #expect(error?.cause == .inUse)
    #expect(error?.description.hasPrefix("port \(port) is in use: ") == true)
  }

  @Test(
    "What cannot be an address is refused in words",
    arguments: [
      (
        SocketAddress.tcp(host: "localhost", port: 0), ListenError.Cause.notNumeric,
        "localhost is not a numeric address"
      ),
      (.tcp(host: "300.1.1.1", port: 0), .notNumeric, "300.1.1.1"),
      (.tcp(host: "203.0.113.77", port: 0), .noSuchAddress, "no interface"),
      (.unix(path: "/nonexistent/x.sock"), .noDirectory, "/nonexistent/x.sock"),
      (.unix(path: "/tmp/" + String(repeating: "x", count: 120)), .pathTooLong, "107 bytes"),
    ])
  func refused(address: SocketAddress, cause: ListenError.Cause, words: String) {
    let error = #expect(throws: ListenError.self) { try ListeningSocket(address) }
    #expect(error?.cause == cause)
    #expect(error?.description.contains(words) == true)
  }

  @Test("Two sockets share a port when both say so")
  func reusePort() throws {
    let first = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0), reusePort: true)
    let second = try ListeningSocket(first.address, reusePort: true)
    #expect(first.address == second.address)
  }

  @Test("An inherited socket is adopted with its address; something else is refused")
  func adopts() throws {
    let original = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    let adopted = try ListeningSocket(adopting: FileDescriptor(owning: dup(original.raw)))
    #expect(adopted.address == original.address)
    let error = #expect(throws: ListenError.self) {
      try ListeningSocket(adopting: FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)))
    }
    #expect(error?.cause == .notListening)
  }

  @Test("At most as many connections as allowed are taken in one turn, and none is lost")
  func perTurn() throws {
    let loop = try EventLoop()
    let door = Door()
    let listener = Listener(try ListeningSocket(.tcp(host: "127.0.0.1", port: 0)), on: loop, perTurn: 2, acceptor: door)
    try listener.resume()
    let first = try FileDescriptor.connecting(to: listener.address)
    let second = try FileDescriptor.connecting(to: listener.address)
    let third = try FileDescriptor.connecting(to: listener.address)
    // On loopback a connection is in the backlog when connect has returned.
    loop.turn(waitingAtMost: 1000)
    #expect(door.peers.count == 2)
    loop.turn(waitingAtMost: 1000)
    #expect(door.peers.count == 3)
    #expect([first.raw, second.raw, third.raw].allSatisfy { $0 >= 0 })
    listener.pause()
  }

  @Test("A paused listener takes nothing and loses nothing")
  func pauses() throws {
    let loop = try EventLoop()
    let door = Door()
    let listener = Listener(try ListeningSocket(.tcp(host: "127.0.0.1", port: 0)), on: loop, acceptor: door)
    try listener.resume()
    listener.pause()
    let client = try FileDescriptor.connecting(to: listener.address)
    loop.turn(waitingAtMost: 0)
    #expect(door.peers.isEmpty)
    try listener.resume()
    turn(loop) { !door.peers.isEmpty }
    #expect(door.peers.count == 1)
    #expect(client.raw >= 0)
    listener.pause()
  }

  @Test("A failing accept makes the listener rest instead of spinning, and it tries again")
  func rests() throws {
    let loop = try EventLoop()
    let door = Door()
    let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    let listener = Listener(socket, on: loop, acceptor: door)
    try listener.resume()
    // From here on accept(2) fails in a way that stays, as it does without descriptors.
    shutdown(socket.raw, Int32(SHUT_RDWR))
    loop.turn(waitingAtMost: 1000)
    #expect(door.failures.map(\.call) == ["accept"])
    #expect(!listener.isAccepting)
    #expect(loop.timerCount == 1)
    loop.turn(waitingAtMost: 0)
    #expect(door.failures.count == 1)
    turn(loop) { door.failures.count == 2 }
    #expect(door.failures.count == 2)
    listener.pause()
    #expect(loop.timerCount == 0)
    #expect(loop.registrationCount == 0)
  }

  @Test("A connection that nobody takes shows why")
  func connectionRefused() throws {
    let loop = try EventLoop()
    let address: SocketAddress
    do { address = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0)).address }
    let client = try FileDescriptor.connecting(to: address)
    let probe = Probe()
    var seen: Readiness = []
    probe.onReady = { seen.formUnion($0) }
    let registration = try loop.register(client.raw, for: .writable, handler: probe)
    turn(loop) { seen.contains(.hangup) }
    #expect(client.takeSocketError()?.code == ECONNREFUSED)
    loop.remove(registration)
  }
}
