import CommandLineInterface
import ConfigurationFile
import Foundation
import GatewayCore
import GatewayIO
import GatewayReports
import PushGateway

@testable import gatewayctl
@testable import gatewayd

/// A whole gateway with its admin server, and the configuration by which gatewayctl finds it.
final class LiveGateway {
  static let app = "com.example.caffeine"

  let directory: URL
  let gateway: Gateway
  private let admin: AdminServer

  /// - Parameter settings: more lines of the configuration.
  init(_ settings: String = "") throws {
    directory = FileManager.default.temporaryDirectory.appending(
      path: "ctl-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let identity = try DevelopmentAuthority.issue(wallSeconds: Int64(Date().timeIntervalSince1970))
    let key = try ES256SigningKey()
    for (name, bytes) in [
      ("ca.pem", identity.caCertificate), ("server.pem", identity.serverCertificate),
      ("server.key", identity.serverKey), ("provider.p8", try key.pem()), ("enrolment.key", Array("let-me-in\n".utf8)),
    ] {
      let file = directory.appending(path: name)
      try Data(bytes).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
    }
    let ports = ["127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"]
    let start = try Self.write(directory, "start.toml", ports, settings)
    gateway = try Gateway(try ConfigurationFile.load(start).gateway)
    admin = try AdminServer(.init(socket: directory.path() + "admin.sock"), backend: gateway)
    _ = try Self.write(directory, "gatewayd.toml", gateway.listeners.map(\.address), settings)
  }

  func stop() {
    gateway.stop()
    admin.stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Runs one command line to its end.
  func run(_ arguments: [String]) -> (code: ExitCode, output: String, error: String) {
    let output = Output.captured()
    let code = run(arguments, output: output)
    return (code, output.printedText, output.errorText)
  }

  func run(_ arguments: [String], output: Output) -> ExitCode {
    Program.gatewayctl.run(["--config", directory.path() + "gatewayd.toml"] + arguments, output: output)
  }

  private static func write(
    _ directory: URL, _ name: String, _ ports: [String], _ settings: String
  ) throws -> String {
    let file = directory.appending(path: name)
    try Data(
      """
      [[provider]]
      listen = "\(ports[0])"
      environment = "development"
      [[provider]]
      listen = "\(ports[1])"
      environment = "production"
      [[provider-key]]
      team = "A1B2C3D4E5"
      key-id = "F6G7H8J9K0"
      file = "provider.p8"
      environment = "development"
      topics = ["com.example.*"]
      [device]
      listen = "\(ports[2])"
      [[enrolment]]
      key-file = "enrolment.key"
      bundle-ids = ["com.example.caffeine", "com.example.*"]
      environments = ["development"]
      [admin]
      socket = "admin.sock"
      listen = ""
      [tls]
      certificate = "server.pem"
      key = "server.key"
      ca = "ca.pem"
      [store]
      database = "gateway.sqlite"
      \(settings)
      """.utf8
    ).write(to: file)
    return file.path()
  }
}
