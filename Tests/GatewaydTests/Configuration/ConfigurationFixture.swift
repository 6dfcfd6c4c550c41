import Foundation
import GatewayCore

@testable import ConfigurationFile

/// A folder with every file that a whole configuration names. The PEMs are shaped like PEMs and hold no key.
struct ConfigurationFixture {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("server.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", mode: 0o644)
    try folder.write("server.key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")
    try folder.write("provider.p8", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")
    try folder.write("enrolment.key", "open-sesame\n")
    try folder.write("admin.token", "let-me-in\r\n")
  }

  /// The least that serves anybody.
  static let least = """
    [[provider]]
    listen = "127.0.0.1:2197"
    environment = "development"
    cleartext = true
    [[provider-key]]
    team = "A1B2C3D4E5"
    key-id = "F6G7H8J9K0"
    file = "provider.p8"
    environment = "development"
    topics = ["com.example.*"]
    [admin]

    """

  func load(_ text: String, credentials: String? = nil) throws(ConfigurationErrors) -> LoadedConfiguration {
    try ConfigurationFile.read(
      Array(text.utf8), file: folder.path + "/gatewayd.toml", opensFiles: true,
      environment: ProcessSurroundings(workingDirectory: "/", credentialsDirectory: credentials))
  }

  /// The errors of `text`, a line each, without the path of the temporary folder; empty if there are none.
  func faults(_ text: String) -> [String] {
    do {
      _ = try load(text)
      return []
    } catch {
      return error.errors.map { $0.description.replacingOccurrences(of: folder.path + "/", with: "") }
    }
  }

  func warnings(_ text: String) throws(ConfigurationErrors) -> [String] {
    try load(text).warnings.map { $0.description.replacingOccurrences(of: folder.path + "/", with: "") }
  }
}
