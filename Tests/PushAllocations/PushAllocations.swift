import CAllocations
import GatewayCore
import GatewayIO
import GatewayReports
import GatewayTestKit
import Glibc
import PushGateway
import TokenStore

/// Counts what a push asks of the heap on its loop, and fails where that is anything at all.
///
/// Built for release, by `make allocations` and so by `make test`: only there does the optimiser keep closures and
/// generic values off the heap, so a debug build's number would say nothing of what is delivered. A program and no test of
/// the bundle: it brings its own malloc, which every library of a process shares.
///
/// A batch asks for some pieces, one for each thing that is handed to the store's thread, however many pushes are in it.
/// So what is asked for is compared with the batches: pushes come a thousand at a time, some dozens of them in each batch,
/// and if each asked once, there would be many times more. No time is measured. The provider listener is in the clear:
/// OpenSSL's own pieces, some for each record, are none of a push's. nghttp2's count like ours.
@main
enum PushAllocations {
  private static let app = "com.example.caffeine"
  private static let environment = "production"
  private static let registrations = 100
  private static let pushesInARow = 1000
  /// For one commit and the turns around it, which ask for six: the records that the store's thread gets, what it says
  /// when they are durable …
  private static let allowedForEachBatch = 12

  static func main() {
    do {
      exit(try run() ? 0 : 1)
    } catch {
      print("push-allocations: \(error)")
      exit(1)
    }
  }

  private static func run() throws -> Bool {
    let development = try DevelopmentGateway(bundleIDs: [app]) { configuration in
      configuration.loops = 1
      configuration.checks.pushesPerTokenPerMinute = 0
      for place in configuration.providers.indices { configuration.providers[place].cleartext = true }
    }
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    var tokens: [String] = []
    for _ in 0..<registrations {
      let device = try TestDevice(client)
      try device.register(app, kinds: ["cups", "beans"], environment: environment)
      tokens.append(device.token)
    }
    let provider = try client.connectInTheClear(to: development.port(of: .production))
    // One JWT for all: it is verified once.
    let first = try client.push(to: tokens[0], app: app)
    let requests = tokens.map { ClientRequest(.post, "/3/device/" + $0, fields: first.fields, body: first.body) }

    func push(rows: Int) throws {
      for _ in 0..<rows {
        var (answered, refused) = (0, [String]())
        for number in 0..<pushesInARow {
          provider.send(requests[number % requests.count]) { result in
            answered += 1
            switch result {
            case .success(let response) where response.status == 200: break
            case .success(let response): refused.append(String(decoding: response.body, as: UTF8.self))
            case .failure(let error): refused.append("\(error)")
            }
          }
        }
        try client.wait(for: "the answers to a row of pushes") { answered == pushesInARow }
        if let first = refused.first { throw Failure("\(refused.count) of \(answered) pushes were refused: \(first)") }
      }
    }

    guard let loop = thread(named: "gateway-loop") else { throw Failure("no thread is called gateway-loop") }
    // Pools and buffers grow to the size that this load needs.
    try push(rows: 30)
    let rows = 50
    let batches = try commits(of: development)
    let asked = allocations_of_thread(loop)
    try push(rows: rows)
    let count = Int(allocations_of_thread(loop) - asked)
    let taken = try commits(of: development) - batches
    let pushes = rows * pushesInARow
    print(
      "\(pushes) pushes in \(taken) batches: \(count) allocations on the loop, \(count / max(1, taken)) a batch "
        + "(\(allowedForEachBatch) are allowed)")
    // Else a piece for each push could pass for one of its batch's.
    guard pushes >= taken * allowedForEachBatch else {
      throw Failure("there were only \(pushes / max(1, taken)) pushes in a batch")
    }
    return count <= taken * allowedForEachBatch
  }

  private static func commits(of development: DevelopmentGateway) throws -> Int {
    for family in try development.gateway.metrics() where family.name == "gatewayd_commits_total" {
      return Int(family.samples.first?.value ?? 0)
    }
    throw Failure("gatewayd_commits_total is no metric")
  }

  private static func thread(named name: String) -> Int32? {
    guard let folder = opendir("/proc/self/task") else { return nil }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let number = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let id = Int32(number), let file = fopen("/proc/self/task/\(number)/comm", "r") else { continue }
      defer { fclose(file) }
      var text = [CChar](repeating: 0, count: 32)
      guard fgets(&text, 32, file) != nil else { continue }
      if String(decoding: text.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) == name { return id }
    }
    return nil
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
