import BudgetThrottle
import Foundation
import GatewayCore
import Testing

@testable import ConfigurationFile

/// Protects `config/gatewayd.toml` and `docs/configuration.md` from drifting away from the table of keys. After a
/// change of the table: `GATEWAYD_WRITE_REFERENCE=1 swift test --filter ConfigurationReferenceTests`.
@Suite("Configuration reference") struct ConfigurationReferenceTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let sample = root.appendingPathComponent("config/gatewayd.toml")
  private static let document = root.appendingPathComponent("docs/configuration.md")
  private static let writes = ProcessInfo.processInfo.environment["GATEWAYD_WRITE_REFERENCE"] != nil
  private static let markers = ("<!-- keys: begin -->\n", "<!-- keys: end -->\n")

  @Test("The sample is what the table says") func sample() throws {
    if Self.writes { try Data(ConfigurationReference.sample.utf8).write(to: Self.sample) }
    #expect(try String(contentsOf: Self.sample, encoding: .utf8) == ConfigurationReference.sample)
  }

  @Test("The tables of the document are what the table says") func document() throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let begin = try #require(text.range(of: Self.markers.0))
    let end = try #require(text.range(of: Self.markers.1, range: begin.upperBound..<text.endIndex))
    let inner = begin.upperBound..<end.lowerBound
    if Self.writes {
      try Data(text.replacingCharacters(in: inner, with: ConfigurationReference.tables).utf8).write(to: Self.document)
    } else {
      #expect(String(text[inner]) == ConfigurationReference.tables)
    }
  }

  @Test("The sample as it is parses and holds nothing") func commentedOut() throws {
    var reader = ConfigurationReader(file: "gatewayd.toml")
    reader.read(try TOMLDocument.parse(Array(ConfigurationReference.sample.utf8)))
    #expect(reader.errors == [])
    #expect(reader.sections.map(\.section) == [.top])
  }

  @Test("With its keys uncommented it parses, and holds every key") func uncommented() throws {
    var reader = ConfigurationReader(file: "gatewayd.toml")
    reader.read(try TOMLDocument.parse(Array(Self.uncommented.utf8)))
    #expect(reader.errors == [])
    let held = Set(reader.sections.flatMap(\.entries.keys))
    #expect(held == Set(ConfigurationKey.allCases))
  }

  @Test("The defaults that the table states are those of a configuration that says nothing") func defaults() throws {
    let fixture = try ConfigurationFixture()
    let least = ConfigurationFixture.least + "[device]\n[tls]\ncertificate = \"server.pem\"\nkey = \"server.key\"\n"
    let enrolment =
      "[[enrolment]]\nkey-file = \"enrolment.key\"\nbundle-ids = [\"*\"]\nenvironments = [\"production\"]\n"
    let provider = "[[provider]]\nenvironment = \"production\"\n"
    let silent = try fixture.load(least + enrolment + provider).gateway
    var explicit = "loops = 1\n" + least
    for section in ConfigurationSection.allCases {
      var lines = section.keys.compactMap { key -> String? in
        if case .value(let text) = key.facts.standard { "\(key.name) = \(text)" } else { nil }
      }
      switch section {
      case .top: continue
      case .admin, .device:
        explicit = explicit.replacingOccurrences(
          of: section.header + "\n", with: section.header + "\n" + lines.joined(separator: "\n") + "\n")
        continue
      case .enrolment: lines.insert(enrolment, at: 0)
      case .provider: lines.insert(provider, at: 0)
      case .budgetOverride, .providerKey, .tls: continue
      default: lines.insert(section.header, at: 0)
      }
      explicit += lines.joined(separator: "\n") + "\n"
    }
    let loud = try fixture.load(explicit).gateway
    let plan = ReloadPlan(running: silent, new: loud)
    #expect(plan.atOnce == [] && plan.afterRestart == [])
    #expect(GatewayConfiguration.DeviceListener() == silent.device)
    #expect(GatewayConfiguration(store: silent.store).limits == silent.limits)
    #expect(GatewayConfiguration(store: silent.store).drain == silent.drain)
    #expect(BudgetPolicySet() == silent.budget)
  }

  @Test("The manual page's example is a configuration that is good") func example() throws {
    let fixture = try ConfigurationFixture()
    try fixture.folder.write("AuthKey_F6G7H8J9K0.p8", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")
    #expect(fixture.faults(ConfigurationReference.example) == [])
    #expect(try fixture.warnings(ConfigurationReference.example) == [])
  }

  @Test("A key's path is its section and its name") func paths() {
    for key in ConfigurationKey.allCases {
      let section = key.facts.section.rawValue
      #expect(key.rawValue == (section.isEmpty ? key.name : section + "." + key.name))
    }
  }

  /// Lines that begin with `#` and no space are keys and headers.
  private static var uncommented: String {
    ConfigurationReference.sample.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }.joined(separator: "\n")
  }
}
