import GatewayCore
import Glibc

@testable import gatewayd

/// Sends bytes to an admin listener as they are, also wrong ones, and reads until the server closes.
struct RawHTTPClient {
  struct Answer {
    var status: Int
    var fields: [String: String]
    var body: String
  }

  let address: ListenAddress

  /// One request with `connection: close`.
  func send(_ method: String, _ target: String, fields: [String] = ["host: localhost"], body: String? = nil) -> Answer?
  {
    var head = ["\(method) \(target) HTTP/1.1", "connection: close"] + fields
    if let body { head.append("content-length: \(body.utf8.count)") }
    return exchange(head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  func exchange(_ text: String) -> Answer? {
    guard let descriptor = connected() else { return nil }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    return parse(String(decoding: received, as: UTF8.self))
  }

  /// A connection that stays open until closed.
  func connected() -> Int32? {
    let descriptor: Int32
    let result: Int32
    switch address {
    case .unix(let path):
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      result = withSockaddr(&address) { connect(descriptor, $0, $1) }
    case .tcp(_, let port):
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
      result = withSockaddr(&address) { connect(descriptor, $0, $1) }
    }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    guard result == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private func parse(_ text: String) -> Answer? {
    let lines = text.components(separatedBy: "\r\n")
    guard let end = lines.firstIndex(of: ""), let first = lines.first else { return nil }
    let words = first.split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { return nil }
    var fields: [String: String] = [:]
    for line in lines[1..<end] {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      fields[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
    }
    return Answer(status: status, fields: fields, body: lines[(end + 1)...].joined(separator: "\r\n"))
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    var parts: [String] = []
    var current: [UInt8] = []
    let bytes = Array(utf8)
    let mark = Array(separator.utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: mark) {
        parts.append(String(decoding: current, as: UTF8.self))
        current = []
        index += mark.count
      } else {
        current.append(bytes[index])
        index += 1
      }
    }
    return parts + [String(decoding: current, as: UTF8.self)]
  }
}
