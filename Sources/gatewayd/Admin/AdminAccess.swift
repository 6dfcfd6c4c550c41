import GatewayCore
import GatewayIO

/// Who may ask what (design §5, Admin). On the Unix socket the file's mode has decided already. On TCP a request bears
/// the token, or asks for one of the open routes under a loopback name: a page in a browser can make its own name
/// resolve to 127.0.0.1 (DNS rebinding), but then its `Host` is not ours, and it knows no token.
struct AdminAccess: Sendable {
  let token: Secret<String>?

  /// nil: go on.
  func refusal(of request: AdminRequest, to route: AdminRoute?) -> AdminAnswer? {
    guard case .tcp = request.origin else { return nil }
    switch credential(of: request) {
    case .valid: return nil
    case .wrong:
      return unauthorized("the bearer token is wrong: send the one in the file that [admin] token-file names")
    case .none: break
    }
    guard request.hosts.count == 1, Self.isLoopback(host: request.hosts[0]) else {
      return .failure(
        status: 403, code: "host-not-allowed",
        detail: "without the bearer token this server answers only to the host names localhost, 127.0.0.1 and [::1]")
    }
    if let route, route.isOpen { return nil }
    return unauthorized(
      token == nil
        ? "over TCP only /healthz, /readyz and /metrics are served: use the Unix socket, or set [admin] token-file"
        : "send 'authorization: Bearer' with the token in the file that [admin] token-file names")
  }

  private enum Credential { case valid, wrong, none }

  private func credential(of request: AdminRequest) -> Credential {
    guard let field = request.authorizations.first else { return .none }
    guard let token, request.authorizations.count == 1 else { return .wrong }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .wrong }
    // Digests are compared in constant time, so that answers cannot be used to guess the token byte by byte.
    guard !token.revealed.isEmpty else { return .wrong }
    return SHA256Digest.of(String(parts[1])) == SHA256Digest.of(token.revealed) ? .valid : .wrong
  }

  private func unauthorized(_ detail: String) -> AdminAnswer {
    .failure(status: 401, code: "unauthorized", detail: detail, fields: ["www-authenticate": "Bearer"])
  }

  /// `localhost`, an address of 127.0.0.0/8 or `[::1]`, with or without a port.
  static func isLoopback(host field: String) -> Bool {
    var host = field.lowercased()[...]
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      guard isPort(host[host.index(after: end)...]) else { return false }
      return host[...end] == "[::1]"
    }
    if let colon = host.firstIndex(of: ":") {
      guard isPort(host[colon...]) else { return false }
      host = host[..<colon]
    }
    if host == "localhost" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { $0.count <= 3 && UInt8($0) != nil }
  }

  /// `rest` is nothing, or a colon and a number.
  private static func isPort(_ rest: Substring) -> Bool {
    rest.isEmpty || (rest.first == ":" && UInt16(rest.dropFirst()) != nil)
  }
}
