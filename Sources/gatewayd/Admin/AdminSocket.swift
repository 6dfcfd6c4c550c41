import GatewayCore
import Glibc

/// A socket that listens for admin clients. ``AdminServer`` takes it over; one that is never served must be closed.
struct AdminSocket: Sendable {
  let descriptor: Int32
  /// With the port really bound.
  let address: ListenAddress
  /// Names the socket's file as ours, so that it is removed at the end only while it still is; nil for TCP and for
  /// sockets that someone else made.
  let file: UnixSocketFile?

  var isUnixSocket: Bool {
    if case .unix = address { true } else { false }
  }

  /// For a socket that systemd has opened.
  init(adopting descriptor: Int32, address: ListenAddress) {
    self.descriptor = descriptor
    self.address = address
    file = nil
  }

  private init(_ descriptor: Int32, _ address: ListenAddress, _ file: UnixSocketFile?) {
    self.descriptor = descriptor
    self.address = address
    self.file = file
  }

  static func listen(on address: ListenAddress) throws(AdminSocketError) -> AdminSocket {
    switch address {
    case .unix(let path):
      let (descriptor, file) = try UnixSocketFile.listen(path: path)
      return AdminSocket(descriptor, address, file)
    case .tcp(let host, let port): return try listen(host: host, port: port)
    }
  }

  func close() {
    _ = Glibc.close(descriptor)
    file?.removeIfOurs()
  }

  private static func listen(host: String, port: UInt16) throws(AdminSocketError) -> AdminSocket {
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = port.bigEndian
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    let isV4 = inet_pton(AF_INET, host, &v4.sin_addr) == 1
    guard isV4 || inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 else {
      throw AdminSocketError("[admin] listen: \(host) is no numeric address")
    }
    let descriptor = socket(isV4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw refusal(host, port, errno) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout.size(ofValue: on)))
    let bound =
      isV4
      ? withSockaddr(&v4) { bind(descriptor, $0, $1) } : withSockaddr(&v6) { bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, 64) == 0 else {
      let code = errno
      _ = Glibc.close(descriptor)
      throw refusal(host, port, code)
    }
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    // The port stands at the same place in both.
    _ = withSockaddr(&v6) { pointer, _ in
      getsockname(descriptor, UnsafeMutablePointer(mutating: pointer), &length)
    }
    return AdminSocket(descriptor, .tcp(host: host, port: UInt16(bigEndian: v6.sin6_port)), nil)
  }

  private static func refusal(_ host: String, _ port: UInt16, _ code: Int32) -> AdminSocketError {
    let address = ListenAddress.tcp(host: host, port: port)
    let mend = code == EADDRINUSE ? ": stop what listens there, or set another [admin] listen" : ""
    return AdminSocketError("[admin] cannot listen on \(address): \(String(cString: strerror(code)))\(mend)")
  }
}

/// The C calls take a `sockaddr` for every family.
func withSockaddr<Address, Result>(
  _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
  }
}
