import BudgetThrottle
import Foundation
import Testing
import TokenStore

@testable import GatewayCore

/// Protects: what one gateway writes another one reads, and a line that is wrong says how.
@Suite("A line of an export") struct RegistrationLineTests {
  private static let widgets =
    SampleLedger.widgets("cups", "cups")
    + [Widget(kind: "bøñe \"\\\n", family: .systemLarge, configuration: "entkoffeiniert ☕️")]

  private static func lines(of sample: SampleLedger) -> [[UInt8]] {
    let reading = LedgerClockReading(now: sample.now, wall: sample.wall)
    return sample.ledger.registrations.compactMap { registration in
      var bytes: [UInt8] = []
      RegistrationLine(registration, at: reading)?.append(to: &bytes)
      return bytes.isEmpty ? nil : bytes.dropLast()
    }
  }

  private static func sampleLine() throws -> [UInt8] {
    let sample = SampleLedger()
    let scope = DeviceScope(
      keyFingerprint: 0x0102_0304_0506_0708, bundleIDs: [try #require(BundlePattern("com.example.*"))],
      environments: [.development])
    let device = sample.ledger.enrol(
      id: DeviceID(CanonicalUUID(high: 1, low: 2)), keyHash: (0..<32).map { UInt8($0) }, platform: .iOS, os: "26.1",
      scope: scope, at: sample.now)
    try sample.register(widgets, on: device, token: try SampleLedger.token(7, count: 100))
    return try #require(lines(of: sample).first)
  }

  private static func parsed(_ line: [UInt8]) throws -> RegistrationLine? {
    guard case .registration(let parsed) = try RegistrationLine.parse(line) else { return nil }
    return parsed
  }

  @Test("A scope that says an environment nine times is kept as one that says it once, so that the store takes it back")
  func repeatedEnvironments() throws {
    let line = String(decoding: try Self.sampleLine(), as: UTF8.self)
    let many = Array(repeating: "\"development\"", count: 9).joined(separator: ",")
    let repeated = line.replacing("\"environments\":[\"development\"]", with: "\"environments\":[\(many)]")
    #expect(repeated != line)
    #expect(try #require(try Self.parsed(Array(repeated.utf8))).scope.environments == [.development])
  }

  @Test("A scope of more patterns than the store takes back is refused")
  func tooManyPatterns() throws {
    let line = String(decoding: try Self.sampleLine(), as: UTF8.self)
    let many = Array(repeating: "\"com.example.*\"", count: DeviceScope.maximumPatterns + 1).joined(separator: ",")
    let long = line.replacing("\"bundle-ids\":[\"com.example.*\"]", with: "\"bundle-ids\":[\(many)]")
    #expect(long != line)
    #expect(throws: ImportRefusal.self) { try Self.parsed(Array(long.utf8)) }
  }

  @Test("It reads back as it was written, and writes the same again")
  func roundTrip() throws {
    let line = try Self.sampleLine()
    let parsed = try #require(try Self.parsed(line))
    #expect(parsed.widgets == Self.widgets)
    #expect(parsed.token.count == 100)
    #expect(parsed.keyHash == (0..<32).map { UInt8($0) })
    #expect(parsed.scope.keyFingerprint == 0x0102_0304_0506_0708)
    #expect(parsed.os == OSVersion(26, 1))
    var again: [UInt8] = []
    parsed.append(to: &again)
    #expect(Array(again.dropLast()) == line)
    #expect(!line.contains(0x0A))
  }

  @Test("The first line of a file says what it is, and is no registration")
  func head() throws {
    let head = Array(RegistrationLine.head(at: UnixTime(seconds: 1_796_007_662)).dropLast())
    #expect(try RegistrationLine.parse(head) == .head)
    #expect(String(decoding: head, as: UTF8.self).contains("Secret"))
    #expect(throws: ImportRefusal.self) {
      try RegistrationLine.parse(Array(#"{"format":"gatewayd-registrations","version":2}"#.utf8))
    }
  }

  @Test("The page shows both lines as they are written")
  func page() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/http-api.md")
    let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    let open = try #require(text.range(of: "```jsonl export\n"))
    let close = try #require(text.range(of: "```", range: open.upperBound..<text.endIndex))
    let lines = text[open.upperBound..<close.lowerBound].split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0] + "\n" == String(decoding: RegistrationLine.head(at: UnixTime(seconds: 1_796_007_662)), as: UTF8.self))
    let parsed = try #require(try Self.parsed(Array(lines[1].utf8)))
    var again: [UInt8] = []
    parsed.append(to: &again)
    #expect(String(decoding: again, as: UTF8.self) == lines[1] + "\n")
  }

  @Test(
    "A line that is wrong is refused with its code, and names the place",
    arguments: [
      (#"{"device":"#, #"{"device" "#, "malformed-json", "offset"),
      (#""device":"00000000-0000-0001-0000-000000000002""#, #""device":"one""#, "wrong-type", "UUID"),
      (#""key-sha256":"00"#, #""key-sha256":"#, "malformed-json", "offset"),
      (#""key-sha256":"0001"#, #""key-sha256":""#, "wrong-type", "64 hex digits"),
      (#""platform":"iOS""#, #""platform":"ios""#, "unknown-platform", "ios"),
      (#""os":"26.1""#, #""os":"25""#, "os-too-old", "26"),
      (#""app":"com.example"#, #""app":"org.example"#, "app-not-allowed", "org.example"),
      (#""environment":"development""#, #""environment":"production""#, "environment-not-allowed", "production"),
      (#""family":"systemSmall""#, #""family":"accessoryCorner""#, "family-not-available", "widgets[0]"),
      (#""kind":"cups""#, #""kind":"""#, "kind-empty", "widgets[0]"),
      (#""kind":"cups""#, #""knid":"cups""#, "unknown-key", "knid"),
      (#""seen":1771999200"#, #""seen":-1"#, "wrong-type", "seen"),
      (#""seen":1771999200"#, #""seen":"today""#, "wrong-type", "seen"),
      (#""token":"0707"#, #""tokem":"0707"#, "unknown-key", "tokem"),
      (#""token":"0707"#, #""token":"0x07"#, "bad-token", "200"),
      (#""bundle-ids":["com.example.*"]"#, #""bundle-ids":["*.com"]"#, "bad-bundle-id", "*.com"),
      (#""key":"0102030405060708""#, #""key":"01""#, "wrong-type", "enrolment.key"),
    ])
  func bad(from: String, to: String, code: String, detail: String) throws {
    let good = String(decoding: try Self.sampleLine(), as: UTF8.self)
    let place = try #require(good.range(of: from), "the sample has no \(from)")
    let line = good.replacingCharacters(in: place, with: to)
    do throws(ImportRefusal) {
      _ = try RegistrationLine.parse(Array(line.utf8))
      Issue.record("it was taken: \(line)")
    } catch {
      #expect(error.code == code, "\(error.detail)")
      #expect(error.detail.contains(detail), "\(error.detail)")
    }
  }

  @Test("A line beyond what any registration can have is not parsed at all")
  func tooLong() {
    #expect(throws: ImportRefusal.self) {
      try RegistrationLine.parse([UInt8](repeating: 0x20, count: RegistrationLine.maximumBytes + 1))
    }
  }
}
