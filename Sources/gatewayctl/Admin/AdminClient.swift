import CCurl
import CommandLineInterface
import FoundationEssentials
import Glibc

/// Asks a running gateway over its admin socket.
struct AdminClient {
  /// The gateway's own patience with its loop is shorter.
  static let timeoutSeconds = 20

  let socket: String

  /// What the gateway answered: the JSON as it came, for `--json`, and as a report.
  struct Answer<Report> {
    let json: String
    let report: Report
  }

  func get<Report: Decodable>(_ path: [String], query: [(String, String?)] = []) throws -> Answer<Report> {
    try decoded(try send("GET", path, query: query, body: nil))
  }

  /// nil: there is no such thing (404).
  func find<Report: Decodable>(_ path: [String]) throws -> Answer<Report>? {
    let (status, bytes) = try exchange("GET", path, query: [], body: nil)
    return status == 404 ? nil : try decoded(try accepted(status, bytes))
  }

  func post<Report: Decodable>(
    _ path: [String], _ body: some Encodable, seconds: Int = timeoutSeconds
  ) throws -> Answer<Report> {
    let bytes = Array(try JSONEncoder().encode(body))
    let answer = try exchange("POST", path, query: [], body: bytes, seconds: seconds)
    return try decoded(try accepted(answer.status, answer.bytes))
  }

  func put<Report: Decodable>(_ path: [String], _ body: some Encodable) throws -> Answer<Report> {
    try decoded(try send("PUT", path, query: [], body: Array(try JSONEncoder().encode(body))))
  }

  /// For what goes over all registrations: longer than any disk should take for it.
  static let patience = 600

  /// - Parameters:
  ///   - seconds: that nothing may come.
  ///   - descriptor: gets the body as it comes.
  ///   - name: the descriptor's, for an error.
  ///   - look: sees what has been written.
  func download(
    _ path: [String], query: [(String, String?)] = [], method: String = "GET", seconds: Int = timeoutSeconds,
    to descriptor: Int32, named name: String, look: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws {
    var code: Int32 = 0
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
      code = OutputFile.write(bytes, to: descriptor)
      if code == 0 { look(bytes) }
      return code == 0
    }
    do {
      try withoutActuallyEscaping(receive) { receive in
        let (status, bytes) = try exchange(
          method, path, query: query, body: method == "GET" ? nil : [], seconds: seconds, receiving: receive)
        _ = try accepted(status, bytes)
      }
    } catch {
      throw code == 0 ? error : CommandFailure("cannot write \(name): \(String(cString: strerror(code)))")
    }
  }

  /// - Parameter lines: of JSON.
  func upload<Report: Decodable>(
    _ path: [String], query: [(String, String?)], lines: [UInt8]
  ) throws -> Answer<Report> {
    let (status, bytes) = try exchange(
      "POST", path, query: query, body: lines, contentType: "application/jsonl", seconds: Self.patience)
    return try decoded(try accepted(status, bytes))
  }

  func delete(_ path: [String], query: [(String, String?)]) throws {
    _ = try send("DELETE", path, query: query, body: nil)
  }

  private func decoded<Report: Decodable>(_ body: [UInt8]) throws -> Answer<Report> {
    do {
      let report = try JSONDecoder().decode(Report.self, from: Data(body))
      var text = String(decoding: body, as: UTF8.self)
      while text.last?.isNewline == true { text.removeLast() }
      return Answer(json: text, report: report)
    } catch {
      throw CommandFailure(
        "the answer on \(socket) is not that of a gatewayd of this version: use the gatewayctl that came with it")
    }
  }

  private func send(_ method: String, _ path: [String], query: [(String, String?)], body: [UInt8]?) throws -> [UInt8] {
    let (status, bytes) = try exchange(method, path, query: query, body: body)
    return try accepted(status, bytes)
  }

  private func accepted(_ status: Int, _ bytes: [UInt8]) throws -> [UInt8] {
    guard (200..<300).contains(status) else { throw refusal(status: status, bytes) }
    return bytes
  }

  private func exchange(
    _ method: String, _ path: [String], query: [(String, String?)], body: [UInt8]?,
    contentType: String = "application/json", seconds: Int = timeoutSeconds,
    receiving receive: ((UnsafeRawBufferPointer) -> Bool)? = nil
  ) throws -> (status: Int, bytes: [UInt8]) {
    guard let handle = CurlHandle() else { throw CommandFailure("libcurl could not start") }
    let parameters = query.compactMap { name, value in value.map { Self.encoded(name) + "=" + Self.encoded($0) } }
    let target = (["v1"] + path).map(Self.encoded).joined(separator: "/")
    let url = "http://localhost/" + target + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    let outcome = handle.request(
      method, url, socket: socket, body: body, contentType: contentType, seconds: seconds, receiving: receive)
    switch outcome {
    case .answered(let status, let bytes): return (status, bytes)
    case .failed(let code, let errno, let text): throw unreachable(code, errno, text, seconds: seconds)
    }
  }

  private func refusal(status: Int, _ bytes: [UInt8]) -> CommandFailure {
    struct Refusal: Decodable { let detail: String }
    let detail = try? JSONDecoder().decode(Refusal.self, from: Data(bytes)).detail
    return CommandFailure(detail?.printable ?? "the gateway answered with status \(status)")
  }

  private func unreachable(_ code: CURLcode, _ errno: Int32, _ text: String, seconds: Int) -> CommandFailure {
    if code == CURLE_OPERATION_TIMEDOUT {
      return CommandFailure("the gateway did not answer on \(socket) within \(seconds) s")
    }
    if code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR {
      return CommandFailure("the gateway broke off its answer on \(socket): ask again")
    }
    guard code == CURLE_COULDNT_CONNECT else { return CommandFailure("the admin socket \(socket): \(text)") }
    let mend =
      switch errno {
      case ENOENT: "there is no such file: is gatewayd running, and is this the socket of its configuration?"
      case ECONNREFUSED: "nobody listens there: is gatewayd running?"
      case EACCES, EPERM: "permission denied: run as root or as a member of the group gatewayd"
      case 0: "is gatewayd running?"
      default: String(cString: strerror(errno))
      }
    return CommandFailure("cannot reach the admin socket \(socket): \(mend)")
  }

  /// Percent-encodes all but RFC 3986's unreserved characters.
  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let character = Character(UnicodeScalar(byte))
      if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
        result.append(character)
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
