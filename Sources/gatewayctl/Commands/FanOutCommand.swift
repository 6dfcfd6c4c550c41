import CommandLineInterface
import ConfigurationFile
import FoundationEssentials
import GatewayCore
import GatewayIO
import Glibc
import TokenStore

/// `gatewayctl fan-out`
enum FanOutCommand {
  private static let kind = CommandOption.repeatable("kind", "KIND", help: "only widgets of this kind")
  private static let family = CommandOption.repeatable("family", "FAMILY", help: "only widgets of this family")
  private static let platform = CommandOption.repeatable("platform", "NAME", help: "only devices of this platform")
  private static let environment = CommandOption.value(
    "environment", "NAME", help: "development or production", standard: "development")
  private static let detach = CommandOption.flag("detach", help: "do not wait for the end")
  private static let bundleID = CommandOption.value(
    "bundle-id", "ID", help: "the app, which chooses the provider key", standard: "that of the first key")
  private static let fanOutID = Positional("ID", help: "the fan-out's id, a UUID")
  private static let connecting = [environment] + SigningOptions.all + ServerOptions.all

  static let command = Command(
    "fan-out", summary: "Refreshes every registration of an app with one request.",
    subcommands: [start, show, watch, cancel])

  private static let start = Command(
    "start", summary: "Begins one and shows how it goes.",
    discussion: """
      Ctrl-C ends the watching and not the fan-out. The same --id for the same app is the same fan-out, so a line can be
      repeated safely.
      """,
    positionals: [Positional("BUNDLE-ID", help: "the app")],
    options: [
      kind, family, platform, PushCommand.priority, PushCommand.expiration, PushCommand.payload, PushCommand.id, detach,
    ] + connecting,
    examples: [
      .init("gatewayctl --config gatewayd.toml fan-out start com.example.caffeine", "everybody"),
      .init("gatewayctl fan-out start com.example.caffeine --kind cups --platform watchOS", "some widgets on watches"),
    ]
  ) { invocation in
    guard let app = invocation.arguments.first, BundleID(app) != nil else {
      throw UsageError("BUNDLE-ID must be a bundle ID such as com.example.caffeine", help: invocation.command)
    }
    let provider = try Provider(invocation, app: app)
    defer { provider.exchanges.close() }
    var fields: [(name: String, value: String)] = []
    if let id = invocation.value(PushCommand.id) { fields.append((name: "apns-id", value: id)) }
    if let priority = invocation.value(PushCommand.priority) { fields.append((name: "apns-priority", value: priority)) }
    if let expiration = try PushCommand.expirationField(invocation) {
      fields.append((name: "apns-expiration", value: expiration))
    }
    let report = try provider.ask(
      .post, "/v1/apps/\(app)/fan-outs", fields: fields, body: try body(invocation), expecting: 202)
    guard !invocation.has(detach) else { return try print(report, invocation) }
    return try print(provider.watch(report.id, output: invocation.output), invocation)
  }

  private static let show = Command(
    "show", summary: "Says how far one has come.", positionals: [fanOutID], options: [bundleID] + connecting,
    examples: [
      .init(
        "gatewayctl --config gatewayd.toml fan-out show 4084a6e4-9f6c-4f0b-8a51-7b6f3c2d1e0f", "how far it has come")
    ]
  ) { invocation in
    try withProvider(invocation) { provider, id in
      try print(provider.ask(.get, "/v1/fan-outs/\(id)", expecting: 200), invocation)
    }
  }

  private static let watch = Command(
    "watch", summary: "Shows how one goes, to its end.", positionals: [fanOutID], options: [bundleID] + connecting,
    examples: [
      .init(
        "gatewayctl --config gatewayd.toml fan-out watch 4084a6e4-9f6c-4f0b-8a51-7b6f3c2d1e0f", "until it has ended")
    ]
  ) { invocation in
    try withProvider(invocation) { provider, id in
      try print(provider.watch(id, output: invocation.output), invocation)
    }
  }

  private static let cancel = Command(
    "cancel", summary: "Stops one; what it has marked stays marked.", positionals: [fanOutID],
    options: [bundleID] + connecting,
    examples: [
      .init("gatewayctl --config gatewayd.toml fan-out cancel 4084a6e4-9f6c-4f0b-8a51-7b6f3c2d1e0f", "no more marks")
    ]
  ) { invocation in
    try withProvider(invocation) { provider, id in
      try print(provider.ask(.delete, "/v1/fan-outs/\(id)", expecting: 200), invocation)
    }
  }

  // MARK: Parts

  private static func withProvider(
    _ invocation: Invocation, _ body: (Provider, String) throws -> ExitCode
  ) throws -> ExitCode {
    guard let id = invocation.arguments.first, CanonicalUUID(id) != nil else {
      throw UsageError("ID must be a fan-out's id, a UUID", help: invocation.command)
    }
    let provider = try Provider(invocation, app: invocation.value(bundleID))
    defer { provider.exchanges.close() }
    return try body(provider, id)
  }

  private static func print(_ report: FanOutReport, _ invocation: Invocation) throws -> ExitCode {
    if invocation.wantsJSON {
      try invocation.output.printJSON(report)
    } else {
      invocation.output.print(report.text(style: invocation.output.style))
    }
    return .success
  }

  private static func body(_ invocation: Invocation) throws -> [UInt8] {
    var members: [String] = []
    if invocation.value(PushCommand.payload) != nil {
      members.append("\"payload\":" + String(decoding: try PushCommand.body(invocation), as: UTF8.self))
    }
    for (name, option) in [("kinds", kind), ("families", family), ("platforms", platform)] {
      let values = invocation.values(option)
      guard !values.isEmpty else { continue }
      members.append("\"\(name)\":" + String(decoding: try JSONEncoder().encode(values), as: UTF8.self))
    }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }

  /// The provider listener, and the token that it is asked with.
  private struct Provider {
    let exchanges: ProviderExchanges
    private let authorization: String

    init(_ invocation: Invocation, app: String?) throws {
      let outline = try invocation.outline()
      let environment =
        try invocation.choice(FanOutCommand.environment, of: GatewayEnvironment.self)
        ?? SigningOptions.standardEnvironment(outline)
      let signer = try SigningOptions.signer(invocation, outline: outline, environment: environment, app: app)
      authorization = "bearer " + (try signer.text(issuedAt: Int64(time(nil))))
      let listener = outline?.providers.first { $0.environment == environment }
      exchanges = try ProviderExchanges(
        target: try ServerOptions.target(
          invocation, listen: listener?.listen, cleartext: listener?.cleartext ?? false, caFile: outline?.caFile))
    }

    func ask(
      _ method: ClientRequest.Method, _ path: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
      expecting status: Int
    ) throws -> FanOutReport {
      let response = try exchanges.send(request(method, path, fields, body))
      guard response.status == status else { throw CommandFailure(Self.refusal(response)) }
      return try JSONDecoder().decode(FanOutReport.self, from: Data(response.body))
    }

    func watch(_ id: String, output: Output) throws -> FanOutReport {
      var reader = EventStreamReader()
      var last: FanOutReport?
      let answer = try exchanges.send(request(.get, "/v1/fan-outs/\(id)/events", [], [])) { part in
        guard case .data(let bytes) = part else { return }
        for event in reader.feed(bytes) {
          guard let report = try? JSONDecoder().decode(FanOutReport.self, from: Data(event.data.utf8)) else { continue }
          // Lines of a log are for what has changed to be seen from afar.
          if output.isErrorWatched || report.percent / 10 != (last?.percent ?? -1) / 10 {
            output.progress(report.progressLine)
          }
          last = report
        }
      }
      output.endProgress()
      guard answer.status == 200 else {
        // Its text went to the reader of events; asked plainly, the gateway says what is wrong, or how it stands.
        let report = try ask(.get, "/v1/fan-outs/\(id)", expecting: 200)
        guard report.state == .running else { return report }
        throw CommandFailure("the gateway does not let it be watched (\(answer.status)); it is running")
      }
      guard let last, last.state != .running else {
        throw CommandFailure("the gateway ended the watching; look again with: gatewayctl fan-out watch \(id)")
      }
      return last
    }

    private func request(
      _ method: ClientRequest.Method, _ path: String, _ fields: [(name: String, value: String)], _ body: [UInt8]
    ) -> ClientRequest {
      ClientRequest(method, path, fields: [(name: "authorization", value: authorization)] + fields, body: body)
    }

    private static func refusal(_ response: ClientResponse) -> String {
      struct Refusal: Decodable {
        let reason: String
        let detail: String?
      }
      let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(response.body))
      return "refused: \(response.status) \(refusal?.reason ?? "")" + (refusal?.detail.map { ": \($0)" } ?? "")
    }
  }
}
