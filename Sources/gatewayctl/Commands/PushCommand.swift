import CommandLineInterface
import ConfigurationFile
import Glibc
import GatewayCore
import GatewayIO
import GatewayReports
import TokenStore

/// `gatewayctl push`
enum PushCommand {
  private static let app = CommandOption.value(
    "app", "BUNDLE-ID", help: "push to all its registrations, instead of TOKEN")
  private static let topic = CommandOption.value("topic", "TOPIC", help: "apns-topic, in place of --bundle-id")
  private static let bundleID = CommandOption.value(
    "bundle-id", "ID", help: "the app, whose topic is ID.push-type.widgets", standard: "asked from the gateway")
  private static let environment = CommandOption.value(
    "environment", "NAME", help: "development or production", standard: "the registration's, or development")
  static let priority = CommandOption.value("priority", "N", help: "10, 5 or 1; apns-priority")
  static let expiration = CommandOption.value(
    "expiration", "WHEN", help: "apns-expiration: 0, seconds since 1970, or +TIME from now such as +10m")
  static let payload = CommandOption.value(
    "payload", "JSON", help: "the body, or @FILE", standard: standardPayload)
  static let id = CommandOption.value("id", "UUID", help: "apns-id; the same again is the same push")
  private static let name = CommandOption.value(
    "name", "TEXT", help: "what explain --pushes calls it; goes into --json")

  private static let curl = CommandOption.flag(
    "curl", help: "send nothing; print the line for curl that does the same")

  private static let standardPayload = #"{"aps":{"content-changed":true}}"#

  static let command = Command(
    "push", summary: "Sends a widget push, as a backend would.",
    discussion: "Exits with 1 when a push is refused.",
    positionals: [Positional("TOKEN", help: "a device token in hex", count: .many)],
    options: [app, topic, bundleID, environment, priority, expiration, payload, id, name, curl]
      + SigningOptions.all + ProviderProof.all
      + ServerOptions.all,
    examples: [
      .init("gatewayctl --config gatewayd.toml push 8f14e45f", "the widgets of one registration"),
      .init("gatewayctl push --app com.example.caffeine --priority 5", "everyone who has the app"),
      .init("gatewayctl push 8f14e45f --curl", "what a backend sends"),
    ]
  ) { invocation in
    let outline = try invocation.outline()
    let plan = try plan(invocation, outline: outline)
    guard !plan.pushes.isEmpty else {
      throw CommandFailure("the app has no registration in \(plan.environment.rawValue)")
    }
    if invocation.has(curl) {
      for line in curlLines(plan, invocation, outline: outline) { invocation.output.print(line) }
      return .success
    }
    let loop: EventLoop
    do { loop = try EventLoop() } catch { throw CommandFailure("\(error)") }
    let sender = try PushSender(plan: plan, loop: loop)
    var results = try sender.run()
    for index in results.indices { results[index].name = invocation.value(name) }
    if invocation.wantsJSON {
      try invocation.output.printJSON(results)
    } else {
      invocation.output.print(text(of: results, style: invocation.output.style))
    }
    return results.allSatisfy { $0.status == 200 } ? .success : .failure
  }

  static func text(of results: [PushResult], style: Style) -> String {
    var table = Table([
      .init("TOKEN"), .number("STATUS"), .init("REASON"), .init("APNS-ID"), .init("GATEWAY-REFRESH"), .init("DETAIL"),
    ])
    for result in results {
      table.add([
        result.token, String(result.status), result.reason ?? "", result.apnsID ?? "", result.gatewayRefresh ?? "",
        result.detail ?? "",
      ])
    }
    return table.text(style: style)
  }

  private static func curlLines(
    _ plan: PushPlan, _ invocation: Invocation, outline: ConfigurationOutline?
  ) -> [String] {
    var token = [CommandLine.arguments.first ?? "gatewayctl"]
    if let file = invocation.value(GlobalOptions.config) { token += ["--config", file] }
    token.append("token")
    for option in [bundleID, environment] + SigningOptions.all {
      if let value = invocation.value(option) { token += ["--" + option.name, value] }
    }
    if invocation.value(environment) == nil, plan.environment != SigningOptions.standardEnvironment(outline) {
      token += ["--" + environment.name, plan.environment.rawValue]
    }
    let credential =
      invocation.value(ProviderProof.certificate).map {
        CurlLine.Credential.certificate(file: $0, keyFile: invocation.value(ProviderProof.certificateKey))
      } ?? .tokenCommand(token)
    let caFile = invocation.value(ServerOptions.ca) ?? outline?.caFile
    return plan.pushes.map {
      CurlLine(target: plan.target, caFile: caFile, request: $0.request, credential: credential).text
    }
  }

  // MARK: From the command line to a plan

  private static func plan(_ invocation: Invocation, outline: ConfigurationOutline?) throws -> PushPlan {
    var wanted = try invocation.choice(environment, of: GatewayEnvironment.self)
    var app = invocation.value(bundleID) ?? invocation.value(Self.app)
    let tokens = try tokens(invocation, outline: outline, app: &app, environment: &wanted)
    let environment = wanted ?? SigningOptions.standardEnvironment(outline)
    let topic: String
    if let text = invocation.value(Self.topic) {
      topic = text
      app = app ?? (text.hasSuffix(".push-type.widgets") ? String(text.dropLast(18)) : text)
    } else if let app {
      topic = app + ".push-type.widgets"
    } else {
      throw UsageError("--bundle-id ID or --topic TOPIC is required", help: invocation.command)
    }
    var fields = [("apns-topic", topic), ("apns-push-type", "widgets")]
    if let id = invocation.value(id) {
      guard tokens.count == 1 else { throw UsageError("--id is for one TOKEN", help: invocation.command) }
      fields.append(("apns-id", id))
    }
    if let priority = invocation.value(priority) { fields.append(("apns-priority", priority)) }
    if let expiration = try expirationField(invocation) { fields.append(("apns-expiration", expiration)) }
    var identity: CertificateAndKey?
    switch try ProviderProof.chosen(invocation, outline: outline, environment: environment, app: app) {
    case .token(let signer): fields.append(("authorization", "bearer " + (try signer.text(issuedAt: Int64(time(nil))))))
    case .certificate(let shown): identity = shown
    }
    let listener = outline?.providers.first { $0.environment == environment }
    if outline != nil, listener == nil, invocation.value(ServerOptions.server) == nil {
      throw CommandFailure("the configuration has no [[provider]] listener for \(environment.rawValue)")
    }
    let target = try ServerOptions.target(
      invocation, listen: listener?.listen, cleartext: listener?.cleartext ?? false, caFile: outline?.caFile,
      identity: identity)
    let body = try body(invocation)
    return PushPlan(
      target: target, environment: environment,
      pushes: tokens.map { token in
        (
          token,
          ClientRequest(.post, "/3/device/" + token, fields: fields.map { (name: $0.0, value: $0.1) }, body: body)
        )
      })
  }

  /// Asks the gateway for what was not said: whose token it is, or which tokens an app has.
  private static func tokens(
    _ invocation: Invocation, outline: ConfigurationOutline?, app: inout String?,
    environment: inout GatewayEnvironment?
  ) throws -> [String] {
    let tokens = invocation.arguments
    if let name = invocation.value(Self.app) {
      guard tokens.isEmpty else { throw UsageError("give either TOKEN or --app", help: invocation.command) }
      return try registrations(of: name, environment: environment ?? .development, invocation.admin())
    }
    guard let first = tokens.first else {
      throw UsageError("TOKEN is missing: a device token in hex, or --app BUNDLE-ID", help: invocation.command)
    }
    guard tokens.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
      throw UsageError("a TOKEN must be hex", help: invocation.command)
    }
    guard app == nil, invocation.value(topic) == nil else { return tokens }
    let answer: AdminClient.Answer<RegistrationReport>
    do {
      answer = try invocation.admin().get(["registrations", first])
    } catch let failure as CommandFailure {
      // A gateway that restarts, or does not know the token, is no reason not to push where there is only one app.
      if let only = onlyApp(outline, environment) {
        app = only
        return tokens
      }
      throw CommandFailure("\(failure.message) (give --bundle-id and --environment to push without asking)")
    }
    app = answer.report.app
    environment = environment ?? GatewayEnvironment(rawValue: answer.report.environment)
    return tokens
  }

  /// The app of the configuration's keys, if they name one and no more.
  private static func onlyApp(_ outline: ConfigurationOutline?, _ environment: GatewayEnvironment?) -> String? {
    let environment = environment ?? SigningOptions.standardEnvironment(outline)
    let topics = Set((outline?.providerKeys ?? []).filter { $0.environment == environment }.flatMap(\.topics))
    guard topics.count == 1, let only = topics.first, BundleID(only.description) != nil else { return nil }
    return only.description
  }

  private static func registrations(
    of app: String, environment: GatewayEnvironment, _ admin: AdminClient
  ) throws -> [String] {
    var tokens: [String] = []
    var after: String?
    repeat {
      let answer: AdminClient.Answer<RegistrationPage> = try admin.get(
        ["registrations"], query: [("limit", "1000"), ("after", after), ("app", app)])
      tokens += answer.report.registrations.filter { $0.environment == environment.rawValue }.map(\.token)
      after = answer.report.next
    } while after != nil
    return tokens
  }

  static func expirationField(_ invocation: Invocation) throws -> String? {
    guard let text = invocation.value(expiration) else { return nil }
    guard text.hasPrefix("+") else { return text }
    guard let duration = Duration(text: String(text.dropFirst())) else {
      throw invocation.refusing(expiration, text, expected: "0, seconds since 1970 or +TIME such as +10m")
    }
    return String(Int64(time(nil)) &+ duration.components.seconds)
  }

  static func body(_ invocation: Invocation) throws -> [UInt8] {
    guard let text = invocation.value(payload) else { return Array(standardPayload.utf8) }
    guard text.hasPrefix("@") else { return Array(text.utf8) }
    return try InputFile.read(String(text.dropFirst()), what: "the payload")
  }
}
