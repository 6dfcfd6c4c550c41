import Glibc

/// One end of a stream socket, as the operating system knows it.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address without brackets, and a port; port 0 asks for any free one. `::` means every address
  /// of both families.
  case tcp(host: String, port: UInt16)
  /// A path; of at most 107 bytes, which is what the kernel takes. Empty for the unnamed end of a connection.
  case unix(path: String)

  /// `[::1]:2197`, `127.0.0.1:2197` or `unix:/path`.
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Nothing that is sent to it leaves the machine.
  package var isLocal: Bool {
    switch self {
    case .tcp(let host, _): host == "::1" || host.hasPrefix("127.")
    case .unix: true
    }
  }

  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Nil when the host is not a numeric address, or the path is too long or has a NUL inside.
  func withRawAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, _ length: socklen_t, _ family: Int32) -> Result
  ) -> Result? {
    var storage = sockaddr_storage()
    guard let (family, length) = encode(into: &storage) else { return nil }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length, family) }
    }
  }

  private func encode(into storage: inout sockaddr_storage) -> (family: Int32, length: socklen_t)? {
    withUnsafeMutableBytes(of: &storage) { bytes -> (Int32, socklen_t)? in
      guard let base = bytes.baseAddress else { return nil }
      switch self {
      case .tcp(let host, let port):
        var four = sockaddr_in()
        if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
          four.sin_family = sa_family_t(AF_INET)
          four.sin_port = port.bigEndian
          base.storeBytes(of: four, as: sockaddr_in.self)
          return (AF_INET, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var six = sockaddr_in6()
        guard inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else { return nil }
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        base.storeBytes(of: six, as: sockaddr_in6.self)
        return (AF_INET6, socklen_t(MemoryLayout<sockaddr_in6>.size))
      case .unix(let path):
        let name = Array(path.utf8)
        guard name.count <= Self.longestPath, !name.contains(0) else { return nil }
        base.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
        UnsafeMutableRawBufferPointer(rebasing: bytes[2..<(2 + name.count)]).copyBytes(from: name)
        return (AF_UNIX, socklen_t(2 + name.count + 1))
      }
    }
  }

  /// Reads what the kernel wrote; nil for families that are not ours. An IPv4 address that came in through a dual-stack
  /// socket is shown as IPv4.
  init?(_ storage: sockaddr_storage, length: socklen_t) {
    switch Int32(storage.ss_family) {
    case AF_INET:
      let four = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
      self = .tcp(host: Self.text(AF_INET, four.sin_addr), port: UInt16(bigEndian: four.sin_port))
    case AF_INET6:
      let six = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
      let host = Self.text(AF_INET6, six.sin6_addr)
      let mapped = "::ffff:"
      self = .tcp(
        host: host.hasPrefix(mapped) && host.contains(".") ? String(host.dropFirst(mapped.count)) : host,
        port: UInt16(bigEndian: six.sin6_port))
    case AF_UNIX:
      let path = withUnsafeBytes(of: storage) { bytes in
        String(decoding: bytes[2..<max(2, min(Int(length), bytes.count))].prefix { $0 != 0 }, as: UTF8.self)
      }
      self = .unix(path: path)
    default: return nil
    }
  }

  /// The address a descriptor is bound to.
  init?(localAddressOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    self.init(storage, length: length)
  }

  private static func text<Address>(_ family: Int32, _ address: Address) -> String {
    withUnsafePointer(to: address) { source in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
        guard let base = buffer.baseAddress,
          inet_ntop(family, source, base, socklen_t(INET6_ADDRSTRLEN)) != nil
        else { return "?" }
        return String(cString: base)
      }
    }
  }
}
