import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayIO
import TokenStore

/// `gatewayctl simulate`
enum SimulateCommand {
  private static let devices = CommandOption.value("devices", "N", help: "how many devices", standard: "1")
  private static let widgets = CommandOption.value("widgets", "M", help: "widgets on each", standard: "2")
  private static let bundleID = CommandOption.value(
    "bundle-id", "ID", help: "the app", standard: "the first of the enrolment keys")
  private static let environment = CommandOption.value(
    "environment", "NAME", help: "development or production", standard: "development")
  private static let platform = CommandOption.value(
    "platform", "NAME", help: "iOS, iPadOS, macOS, watchOS or visionOS", standard: "iOS")
  private static let os = CommandOption.value("os", "VERSION", help: "its version", standard: "26")
  private static let duration = CommandOption.value(
    "duration", "TIME", help: "end after this time", standard: "when interrupted")
  private static let seed = CommandOption.value(
    "seed", "N", help: "device tokens that are the same each time", standard: "the gateway makes them")
  private static let keep = CommandOption.flag("keep", help: "leave the devices enrolled at the end")
  private static let name = CommandOption.value(
    "name", "TEXT", help: "what lines call a device", standard: SimulationPlan.standardName)
  private static let foreground = CommandOption.flag("foreground", help: "the app is on the screen: nothing is charged")
  private static let developerMode = CommandOption.flag(
    "developer-mode", help: "each device switches it on, as in its settings: budgets are lifted")
  private static let away = CommandOption.value(
    "away", "TIME", help: "stay away for so long after the registration: pushes wait")
  private static let keyFile = CommandOption.value(
    "key-file", "FILE", help: "the enrolment key, in place of the configuration's")

  static let command = Command(
    "simulate", summary: "Plays devices: each enrols, registers widgets, holds its stream and prints refreshes.",
    discussion: "At the end the devices leave for good, unless --keep is given. A second Ctrl-C does not wait.",
    options: [
      devices, widgets, bundleID, environment, platform, os, duration, seed, keep, name, foreground,
      developerMode, away, keyFile,
    ]
      + ServerOptions.all,
    examples: [
      .init("gatewayctl --config gatewayd.toml simulate --bundle-id com.example.caffeine", "one device, until Ctrl-C"),
      .init("gatewayctl simulate --name phone --away 30s", "what waits for a device that is not there"),
      .init("gatewayctl simulate --devices 1000 --widgets 3 --duration 1m", "a crowd for a minute"),
    ]
  ) { invocation in
    let plan = try plan(invocation)
    SignalSource.blockSignals()
    let simulation: Simulation
    do {
      simulation = try Simulation(plan: plan, output: invocation.output, isJSON: invocation.wantsJSON)
    } catch { throw CommandFailure("\(error)") }
    let totals = try simulation.run()
    return totals.ready == plan.devices ? .success : .failure
  }

  private static func plan(_ invocation: Invocation) throws -> SimulationPlan {
    let outline = try invocation.outline()
    let environment = try invocation.choice(environment, of: GatewayEnvironment.self) ?? .development
    let platform = try invocation.choice(platform, of: Platform.self) ?? .iOS
    let version = invocation.value(os) ?? "26"
    guard let parsed = OSVersion(version) else {
      throw invocation.refusing(os, version, expected: "a version such as 26 or 26.1")
    }
    let enrolment = try enrolment(invocation, outline: outline, environment: environment)
    guard outline == nil || outline?.device != nil || invocation.value(ServerOptions.server) != nil else {
      throw CommandFailure("the configuration has no [device] listener")
    }
    let target = try ServerOptions.target(
      invocation, listen: outline?.device?.listen, cleartext: false, caFile: outline?.caFile)
    let count = try invocation.integer(widgets, in: 0...64) ?? 2
    let heartbeat = (outline?.device?.heartbeat ?? .seconds(25)).components
    return SimulationPlan(
      target: target, enrolmentKey: enrolment.key, bundleID: enrolment.bundleID, environment: environment,
      platform: platform, os: version, devices: try invocation.integer(devices, in: 1...100_000) ?? 1,
      widgets: SimulationPlan.widgets(count, platform: platform, os: parsed),
      duration: try milliseconds(duration, invocation),
      seed: try invocation.integer(seed, in: 0...Int.max).map { UInt64($0) }, keeps: invocation.has(keep),
      name: invocation.value(name) ?? SimulationPlan.standardName, isInForeground: invocation.has(foreground),
      switchesDeveloperModeOn: invocation.has(developerMode), away: try milliseconds(away, invocation) ?? 0,
      // Two heartbeats may be missed (docs/devices.md, 3).
      silence: heartbeat.seconds * 2000 + 5000)
  }

  private static func milliseconds(_ option: CommandOption, _ invocation: Invocation) throws -> Int64? {
    try invocation.duration(option).map {
      $0.components.seconds * 1000 + $0.components.attoseconds / 1_000_000_000_000_000
    }
  }

  private static func enrolment(
    _ invocation: Invocation, outline: ConfigurationOutline?, environment: GatewayEnvironment
  ) throws -> (key: String, bundleID: String) {
    let usable = (outline?.enrolments ?? []).filter { $0.environments.contains(environment) }
    let wanted = invocation.value(bundleID)
    if let wanted, BundleID(wanted) == nil {
      throw invocation.refusing(bundleID, wanted, expected: "a bundle ID such as com.example.caffeine")
    }
    let bundle = wanted.flatMap { BundleID($0) }
    let entry = usable.first { entry in bundle.map { app in entry.bundleIDs.contains { $0.matches(app) } } ?? true }
    let plain = entry?.bundleIDs.map { "\($0)" }.first { !$0.contains("*") }
    guard let name = wanted ?? plain else {
      throw UsageError("--bundle-id ID is required: the app whose widgets are played", help: invocation.command)
    }
    if let file = invocation.value(keyFile) { return (try InputFile.readLine(file, what: "the enrolment key"), name) }
    guard let entry else {
      throw CommandFailure(
        "no enrolment key: the configuration has no [[enrolment]] for \(name) in \(environment.rawValue); give --key-file"
      )
    }
    return (try InputFile.readLine(entry.keyFile, what: "the enrolment key"), name)
  }
}
