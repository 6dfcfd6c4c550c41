import CommandLineInterface
import Foundation
import Testing

@testable import gatewayd

/// Protects the Debian package from saying another thing than the program.
@Suite("Debian package") struct PackageTests {
  @Test("The changelog ends at the program's version") func version() throws {
    let output = Output.captured()
    _ = Program.gatewayd.run(["version"], output: output)
    let changelog = try String(contentsOf: DeployFolder.file("debian/changelog"), encoding: .utf8)
    let entry = try #require(changelog.split(separator: ")").first)
    #expect(entry.split(separator: "(").map(String.init) == ["gatewayd ", output.printedText.version])
  }

  @Test("The account's folder is the one that tmpfiles makes and the unit owns") func folder() throws {
    let account = try String(contentsOf: DeployFolder.file("sysusers.d/gatewayd.conf"), encoding: .utf8)
    let folders = try String(contentsOf: DeployFolder.file("tmpfiles.d/gatewayd.conf"), encoding: .utf8)
    let unit = try String(contentsOf: DeployFolder.file("gatewayd.service"), encoding: .utf8)
    #expect(account.contains(" /var/lib/gatewayd\n"))
    #expect(folders.contains("\nd /var/lib/gatewayd 0750 gatewayd gatewayd "))
    #expect(unit.contains("\nStateDirectory=gatewayd\nStateDirectoryMode=0750\n"))
  }

  @Test("Nothing in a maintainer script touches the operator's keys") func keysStay() throws {
    let purge = try String(contentsOf: DeployFolder.file("debian/gatewayd.postrm"), encoding: .utf8)
    let removing = purge.split(separator: "\n").filter { $0.contains("rm ") }
    #expect(removing == ["  rm -rf /var/lib/gatewayd"])
  }
}

extension String {
  /// The last word of `gatewayd 0.1.0`.
  fileprivate var version: String { String(split { $0.isWhitespace }.last ?? "") }
}
