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
  private static let platform = CommandOption.repeatable(
    "platform", "NAME", help: "iOS (unless said), iPadOS, macOS, watchOS or visionOS; several take turns")
  private static let os = CommandOption.value("os", "VERSION", help: "its version", standard: "26")
  private static let duration = CommandOption.value(
    "duration", "TIME", help: "end after this time", standard: "when interrupted")
  private static let seed = CommandOption.value(
    "seed", "N", help: "the same tokens and the same chances each time", standard: "another each time")
  private static let profile = CommandOption.repeatable(
    "profile", "NAME[=SHARE]",
    help: "steady, commuter, night, flaky, slow, reinstall, or of --profiles")
  private static let profiles = CommandOption.value(
    "profiles", "FILE", help: "more profiles (JSON); all of them, unless --profile chooses")
  private static let devicesPerConnection = CommandOption.value(
    "devices-per-connection", "N", help: "at most; profiles that come and go or read slowly share none", standard: "1")
  private static let quiet = CommandOption.flag("quiet", short: "q", help: "print the final report only")
  private static let snapshot = CommandOption.value(
    "snapshot", "FILE.svg", help: "keep drawing there what a device's screens show")
  private static let snapshotDevice = CommandOption.value(
    "snapshot-device", "N", help: "which device is drawn", standard: "1")
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
    discussion: """
      At the end the devices leave for good, unless --keep is given. A second Ctrl-C does not wait. Exits with 1 when a
      device never got in, when a push that reached other devices missed a widget without a reason, or when something
      came twice although its receipt was answered. Profiles, latencies and pictures: docs/devices.md.
      """,
    options: [
      devices, widgets, bundleID, environment, platform, os, profile, profiles, duration, seed, keep, name,
      foreground, developerMode, away, devicesPerConnection, quiet, snapshot, snapshotDevice, keyFile,
    ]
      + ServerOptions.all,
    examples: [
      .init("gatewayctl --config gatewayd.toml simulate --bundle-id com.example.caffeine", "one device, until Ctrl-C"),
      .init("gatewayctl simulate --name phone --away 30s", "what waits for a device that is not there"),
      .init(
        "gatewayctl simulate --devices 10000 --profile steady=8 --profile flaky=2 --quiet", "a crowd, until Ctrl-C"),
      .init("gatewayctl simulate --platform watchOS --widgets 4 --snapshot watch.svg", "what a watch shows"),
    ]
  ) { invocation in
    let plan = try plan(invocation)
    SignalSource.blockSignals()
    let simulation: Simulation
    do {
      simulation = try Simulation(plan: plan, output: invocation.output, isJSON: invocation.wantsJSON)
    } catch { throw CommandFailure("\(error)") }
    return try simulation.run().isClean ? .success : .failure
  }

  private static func plan(_ invocation: Invocation) throws -> SimulationPlan {
    let outline = try invocation.outline()
    let environment = try invocation.choice(environment, of: GatewayEnvironment.self) ?? .development
    let enrolment = try enrolment(invocation, outline: outline, environment: environment)
    guard outline == nil || outline?.device != nil || invocation.value(ServerOptions.server) != nil else {
      throw CommandFailure("the configuration has no [device] listener")
    }
    let target = try ServerOptions.target(
      invocation, listen: outline?.device?.listen, cleartext: false, caFile: outline?.caFile)
    let heartbeat = (outline?.device?.heartbeat ?? .seconds(25)).components
    let seed = try invocation.integer(seed, in: 0...Int.max).map { UInt64($0) }
    let roles = try roles(invocation)
    let perConnection = try invocation.integer(devicesPerConnection, in: 1...32) ?? 1
    let shared = roles.count { $0.profile.canShareConnection }
    try DescriptorLimit.make(
      roomFor: perConnection == 1
        ? roles.count : roles.count - shared + (roles.count + perConnection - 1) / perConnection)
    return SimulationPlan(
      target: target, enrolmentKey: enrolment.key, bundleID: enrolment.bundleID, environment: environment,
      roles: roles, devicesPerConnection: perConnection, duration: try milliseconds(duration, invocation),
      seed: seed ?? UInt64.random(in: 0...UInt64(Int.max)), choosesTokens: seed != nil, keeps: invocation.has(keep),
      name: invocation.value(name) ?? SimulationPlan.standardName, isInForeground: invocation.has(foreground),
      switchesDeveloperModeOn: invocation.has(developerMode), away: try milliseconds(away, invocation) ?? 0,
      // Two heartbeats may be missed (docs/devices.md, 3).
      silence: heartbeat.seconds * 2000 + 5000, isQuiet: invocation.has(quiet),
      snapshot: try snapshotPlan(invocation, devices: roles.count))
  }

  private static func snapshotPlan(_ invocation: Invocation, devices: Int) throws -> SnapshotPlan? {
    let device = try invocation.integer(snapshotDevice, in: 1...devices)
    return invocation.value(snapshot).map { SnapshotPlan(path: $0, device: device ?? 1) }
  }

  /// One role for each device.
  private static func roles(_ invocation: Invocation) throws -> [DeviceRole] {
    let count = try invocation.integer(devices, in: 1...100_000) ?? 1
    let widgetCount = try invocation.integer(widgets, in: 0...64) ?? 2
    let version = invocation.value(os) ?? "26"
    guard OSVersion(version) != nil else {
      throw invocation.refusing(os, version, expected: "a version such as 26 or 26.1")
    }
    let names = invocation.values(platform)
    let platforms = try (names.isEmpty ? [Platform.iOS.rawValue] : names).map { name in
      guard let platform = Platform(rawValue: name) else {
        let choices = Platform.allCases.map(\.rawValue)
        let hint = Suggestion.nearest(to: name, among: choices).map { "; did you mean \($0)?" } ?? ""
        throw invocation.refusing(
          platform, name, expected: "one of " + choices.joined(separator: ", "), hint: hint)
      }
      return platform
    }
    let entries = try entries(invocation)
    let dealt = DeviceRole.deal(count, shares: entries.map(\.share))
    // Made once each: a crowd's devices share their lists.
    let made = entries.map { entry in
      (entry.platform.map { [$0] } ?? platforms).map { platform in
        let os = entry.os ?? version
        return DeviceRole(
          profile: entry.profile, platform: platform, os: os,
          widgets: SimulationPlan.widgets(
            entry.widgets ?? widgetCount, platform: platform, os: OSVersion(os) ?? OSVersion(26)))
      }
    }
    var turns = [Int](repeating: 0, count: entries.count)
    return dealt.map { entry in
      defer { turns[entry] += 1 }
      return made[entry][turns[entry] % made[entry].count]
    }
  }

  private static func entries(_ invocation: Invocation) throws -> [ProfileFile.Entry] {
    let file = try invocation.value(profiles).map { path in
      try ProfileFile(try InputFile.read(path, what: "the profiles"), path: path).entries
    }
    let chosen = invocation.values(profile)
    if chosen.isEmpty { return file ?? [ProfileFile.Entry(profile: .steady)] }
    // A file's profile takes the place of a ready-made one of the same name.
    let known = (file ?? []) + DeviceProfile.readyMade.map { ProfileFile.Entry(profile: $0) }
    return try chosen.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard var entry = known.first(where: { $0.profile.name == parts[0] }) else {
        let names = known.map(\.profile.name)
        let hint = Suggestion.nearest(to: String(parts[0]), among: names).map { "; did you mean \($0)?" } ?? ""
        throw invocation.refusing(
          profile, text, expected: "one of " + names.joined(separator: ", "), hint: hint)
      }
      if parts.count == 2 {
        guard let share = Int(parts[1]), (1...1_000_000).contains(share) else {
          throw invocation.refusing(profile, text, expected: "NAME=SHARE with a share from 1 to 1000000")
        }
        entry.share = share
      }
      return entry
    }
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
