import CommandLineInterface
import Glibc

/// Reads a file that the user or the configuration names.
enum InputFile {
  /// Keys, certificates and payloads are small; a path that leads to something larger is a mistake.
  private static let limit = 1 << 20

  /// - Parameter what: the beginning of the error, such as `the CA file`.
  static func read(_ path: String, what: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let code = errno
    guard descriptor >= 0 else { throw refusal(path, what, code) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      let code = errno
      guard count >= 0 else { throw refusal(path, what, code) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw CommandFailure("\(what) \(path) is larger than \(limit) bytes") }
    }
  }

  /// The first line without its end; for secrets.
  static func readLine(_ path: String, what: String) throws -> String {
    let bytes = try read(path, what: what).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !bytes.isEmpty else { throw CommandFailure("\(what) \(path) is empty") }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func refusal(_ path: String, _ what: String, _ code: Int32) -> CommandFailure {
    CommandFailure("cannot read \(what) \(path): \(String(cString: strerror(code)))")
  }
}
