import ConfigurationFile
import Foundation
import Testing

/// Protects `deploy/gatewayd.socket` from holding sockets that no listener would take.
@Suite("Socket unit") struct SocketUnitTests {
  private let lines: [String]

  init() throws {
    lines = try String(contentsOf: DeployFolder.file("gatewayd.socket"), encoding: .utf8).split(separator: "\n").map(
      String.init)
  }

  private func values(_ name: String) -> [String] {
    lines.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  @Test("It listens where providers' and devices' listeners do by default") func addresses() {
    let defaults = [ConfigurationKey.providerListen, .deviceListen].compactMap { key -> String? in
      if case .value(let text) = key.facts.standard { String(text.dropFirst().dropLast()) } else { nil }
    }
    #expect(values("ListenStream") == defaults)
    #expect(values("BindIPv6Only") == ["both"])
  }

  @Test("One socket serves all loops, and one process all connections") func accept() {
    #expect(values("Accept").isEmpty && values("ReusePort").isEmpty)
  }
}
