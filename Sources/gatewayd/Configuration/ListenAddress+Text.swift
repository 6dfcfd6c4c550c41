package import GatewayCore
import Glibc

extension ListenAddress {
  /// The longest path that fits into `sockaddr_un` with its final NUL (unix(7)).
  static let maximumUnixPathCount = 107

  /// Reads `[::]:2197`, `127.0.0.1:0` or `unix:/path`. Names are not looked up: which address a name means is not
  /// something that should change under a running service. The host comes out in its shortest form.
  /// - Returns: nil if `text` is none of these.
  package init?(text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .unix(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    var host = text[..<colon]
    let family: Int32
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      family = AF_INET6
    } else {
      family = AF_INET
    }
    guard let numeric = Self.shortest(String(host), family: family) else { return nil }
    self = .tcp(host: numeric, port: port)
  }

  private static func shortest(_ host: String, family: Int32) -> String? {
    var address = in6_addr()
    guard inet_pton(family, host, &address) == 1 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, &address, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
