import CommandLineInterface
import Glibc

/// Turns a host's name into a numeric address. Blocks, which a program may do before its loop runs.
enum HostName {
  static func resolve(_ host: String) throws -> String {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, &hints, &list)
    defer { freeaddrinfo(list) }
    guard result == 0, let first = list else {
      throw CommandFailure("cannot find the host \(host.quoted): \(String(cString: gai_strerror(result)))")
    }
    var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let named = getnameinfo(
      first.pointee.ai_addr, first.pointee.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
    guard named == 0 else { throw CommandFailure("cannot find the host \(host.quoted)") }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
