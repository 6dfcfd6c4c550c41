import Glibc

/// Why a listener could not be opened: one line that names the address and the mend.
package struct ListenError: Error, Equatable, CustomStringConvertible {
  package enum Cause: Equatable, Sendable {
    case inUse, forbidden, notNumeric, noSuchAddress, pathTooLong, noDirectory, notASocket, notListening, system
  }

  package let cause: Cause
  package let description: String

  init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }

  /// What the codes of socket, bind and listen mean for this address.
  init(_ address: SocketAddress, _ failure: SystemCallError) {
    switch (address, failure.code) {
    case (.tcp(_, let port), EADDRINUSE):
      self.init(
        .inUse, "port \(port) is in use: another process listens on \(address); stop it or listen on another port")
    case (.tcp(_, let port), EACCES), (.tcp(_, let port), EPERM):
      self.init(
        .forbidden,
        port < 1024
          ? "\(address) is forbidden: ports below 1024 need CAP_NET_BIND_SERVICE or a socket passed in by systemd; "
            + "listen on a port from 1024 up"
          : "\(address) is forbidden: the system's policy denies this port to this user")
    case (.tcp(let host, _), EADDRNOTAVAIL):
      self.init(
        .noSuchAddress,
        "cannot listen on \(address): no interface of this machine has the address \(host); use one that it has, or :: "
          + "for all")
    case (.tcp, EAFNOSUPPORT):
      self.init(
        .noSuchAddress, "cannot listen on \(address): this machine has no IPv6; use an IPv4 address, or 0.0.0.0 for all"
      )
    case (.unix(let path), EADDRINUSE):
      self.init(.inUse, "socket \(path) is in use: another process listens on it; stop it or choose another path")
    case (.unix(let path), ENOENT), (.unix(let path), ENOTDIR):
      self.init(.noDirectory, "cannot make the socket \(path): its directory does not exist; make it first")
    case (.unix(let path), EACCES), (.unix(let path), EPERM), (.unix(let path), EROFS):
      self.init(
        .forbidden, "cannot make the socket \(path): this user may not write to its directory; change owner or path")
    default: self.init(.system, "cannot listen on \(address): \(failure)")
    }
  }
}
