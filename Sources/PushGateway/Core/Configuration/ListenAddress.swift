/// Where a listener listens.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric address and a port from 0 (any free one) to 65535. The host has no brackets.
  case tcp(host: String, port: UInt16)
  /// A Unix socket's path.
  case unix(path: String)

  /// `[::]:2197`, `127.0.0.1:9197` or `unix:/path`, as the configuration writes it.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Loopback and Unix sockets never leave the machine, so they may go without TLS.
  public var isLocal: Bool {
    switch self {
    case .tcp(let host, _): host == "::1" || host.hasPrefix("127.")
    case .unix: true
    }
  }
}
