import Foundation
import GatewayCore
import Testing

@testable import ConfigurationFile

/// Protects how keys and certificates are found and read: no secret is printed, and what is wrong is said at the
/// line that names the file.
@Suite("Files that the configuration names") struct NamedFileTests {
  private static let admin = ConfigurationFixture.least + "token-file = "

  @Test("A missing file is an error at its key") func missing() throws {
    let fixture = try ConfigurationFixture()
    #expect(
      fixture.faults(Self.admin + "\"nobody.token\"") == [
        "gatewayd.toml:12: admin.token-file: cannot read nobody.token: no such file; a relative path starts at the "
          + "folder of the configuration file"
      ])
  }

  @Test("A folder, an empty file and a file of the wrong sort are told apart") func wrongSorts() throws {
    let fixture = try ConfigurationFixture()
    try fixture.folder.write("empty", "\n")
    try fixture.folder.write("spaced", "two words\n")
    #expect(
      fixture.faults(Self.admin + "\"/tmp\"") == [
        "gatewayd.toml:12: admin.token-file: cannot read /tmp: not a regular file"
      ])
    #expect(
      fixture.faults(Self.admin + "\"empty\"") == [
        "gatewayd.toml:12: admin.token-file: empty: expected a key in it, but it is empty"
      ])
    #expect(
      fixture.faults(Self.admin + "\"spaced\"") == [
        "gatewayd.toml:12: admin.token-file: spaced: expected one line of visible ASCII characters without spaces"
      ])
    #expect(
      fixture.faults(ConfigurationFixture.least + "[tls]\ncertificate = \"server.key\"\nkey = \"server.pem\"") == [
        "gatewayd.toml:13: tls.certificate: server.key: expected a PEM certificate (-----BEGIN CERTIFICATE-----)",
        "gatewayd.toml:14: tls.key: server.pem: expected a PEM private key (-----BEGIN PRIVATE KEY-----)",
      ])
  }

  @Test("A file too large to be a key is refused, not swallowed") func tooLarge() throws {
    let fixture = try ConfigurationFixture()
    try fixture.folder.write("huge", String(repeating: "x", count: 300_000))
    #expect(
      fixture.faults(Self.admin + "\"huge\"") == [
        "gatewayd.toml:12: admin.token-file: cannot read huge: larger than 262144 bytes, so hardly the right file"
      ])
  }

  @Test("A private key that everybody may read is a warning; a certificate or a public key is none") func open() throws
  {
    let fixture = try ConfigurationFixture()
    try fixture.folder.write("open.token", "let-me-in", mode: 0o644)
    #expect(
      try fixture.warnings(Self.admin + "\"open.token\"") == [
        "gatewayd.toml:12: admin.token-file: warning: open.token is open to everybody on this machine; chmod o-rwx "
          + "open.token"
      ])
    try fixture.folder.write(
      "provider.p8", "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n", mode: 0o644)
    #expect(try fixture.warnings(ConfigurationFixture.least) == [])
  }

  @Test("A bare name is a credential's first, a path never") func credentials() throws {
    let fixture = try ConfigurationFixture()
    let credentials = try TemporaryFolder()
    try credentials.write("admin.token", "from-systemd")
    let bare = try fixture.load(Self.admin + "\"admin.token\"", credentials: credentials.path)
    #expect(bare.gateway.admin.token?.revealed == "from-systemd")
    let path = try fixture.load(Self.admin + "\"./admin.token\"", credentials: credentials.path)
    #expect(path.gateway.admin.token?.revealed == "let-me-in")
    try fixture.folder.write("other.token", "beside")
    let absent = try fixture.load(Self.admin + "\"other.token\"", credentials: credentials.path)
    #expect(absent.gateway.admin.token?.revealed == "beside")
  }

  @Test("No secret is in any text about a configuration") func noSecrets() throws {
    let fixture = try ConfigurationFixture()
    let loaded = try fixture.load(
      Self.admin + "\"admin.token\"\n[[enrolment]]\nkey-file = \"enrolment.key\"\nbundle-ids = [\"*\"]\n"
        + "environments = [\"development\"]\n")
    var dumped = "\(loaded)"
    dump(loaded, to: &dumped)
    #expect(!dumped.contains("let-me-in") && !dumped.contains("open-sesame") && !dumped.contains("BEGIN PRIVATE"))
    #expect(dumped.contains("<secret>"))
  }
}
