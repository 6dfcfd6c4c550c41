import CommandLineInterface
import GatewayReports

/// `gatewayctl developer-mode on|off|list|audit`
enum DeveloperModeCommand {
  private static let app = CommandOption.value("app", "BUNDLE-ID", help: "every device that has this app")
  private static let device = CommandOption.value("device", "ID", help: "every app on this device")
  private static let time = CommandOption.value("for", "TIME", help: "how long", standard: "1h")
  private static let why = CommandOption.value("why", "TEXT", help: "the reason, for the audit; required")
  private static let whyOff = CommandOption.value("why", "TEXT", help: "the reason, for the audit")
  private static let who = CommandOption.value(
    "who", "NAME", help: "who asks, for the audit", standard: "your user name")

  static let command = Command(
    "developer-mode", summary: "Lifts budgets while developing; never for production registrations.",
    subcommands: [on, off, list, audit])

  private static let on = Command(
    "on", summary: "Lifts the budget of an app or a device for a while.", options: [app, device, time, why, who],
    examples: [
      .init(
        "gatewayctl developer-mode on --app com.example.caffeine --for 2h --why 'layout work'", "two hours for an app")
    ]
  ) { invocation in
    let target = try target(invocation)
    let length = try invocation.duration(time) ?? .seconds(3600)
    guard length >= .seconds(1), length.components.seconds <= 31 * 86_400 else {
      throw invocation.refusing(time, invocation.value(time) ?? "", expected: "from 1s to 31d")
    }
    let request = DeveloperModeRequest(
      app: target.app, device: target.device, seconds: Int(length.components.seconds),
      who: invocation.value(who) ?? UnixUser.name, why: try invocation.required(why))
    let answer: AdminClient.Answer<DeveloperModeReport> = try invocation.admin().put(["developer-mode"], request)
    invocation.show(answer) { text(of: [$0], style: invocation.output.style) }
    return .success
  }

  private static let off = Command(
    "off", summary: "Ends it before its time.", options: [app, device, whyOff, who],
    examples: [.init("gatewayctl developer-mode off --app com.example.caffeine", "back to budgets")]
  ) { invocation in
    let target = try target(invocation)
    try invocation.admin().delete(
      ["developer-mode"],
      query: [
        ("app", target.app), ("device", target.device), ("who", invocation.value(who) ?? UnixUser.name),
        ("why", invocation.value(whyOff)),
      ])
    if !invocation.wantsJSON {
      invocation.output.print("Developer mode is off for \(target.app ?? target.device ?? "").")
    }
    return .success
  }

  private static let list = Command(
    "list", summary: "Shows where it is on, until when and why.",
    examples: [.init("gatewayctl developer-mode list", "who may exceed budgets now")]
  ) { invocation in
    struct Grants: Decodable { let grants: [DeveloperModeReport] }
    let answer: AdminClient.Answer<Grants> = try invocation.admin().get(["developer-mode"])
    invocation.show(answer) { text(of: $0.grants, style: invocation.output.style) }
    return .success
  }

  private static let audit = Command(
    "audit", summary: "Shows every grant, end, budget reset and sweep, newest last.",
    examples: [.init("gatewayctl developer-mode audit", "who has exceeded budgets, and why")]
  ) { invocation in
    struct Audit: Decodable { let entries: [DeveloperModeAuditEntry] }
    let answer: AdminClient.Answer<Audit> = try invocation.admin().get(["developer-mode", "audit"])
    invocation.show(answer) { text(of: $0.entries, style: invocation.output.style) }
    return .success
  }

  private static func target(_ invocation: Invocation) throws -> (app: String?, device: String?) {
    let target = (app: invocation.value(app), device: invocation.value(device))
    guard (target.app == nil) != (target.device == nil) else {
      throw UsageError("give exactly one of --app BUNDLE-ID and --device ID", help: invocation.command)
    }
    return target
  }

  static func text(of grants: [DeveloperModeReport], style: Style) -> String {
    guard !grants.isEmpty else { return "Developer mode is on nowhere." }
    var table = Table([
      .init("APP OR DEVICE"), .init("SINCE"), .init("UNTIL"), .init("BY"), .init("WHO"), .init("WHY"),
    ])
    for grant in grants {
      table.add([
        grant.app ?? grant.device ?? "", ReportText.time(grant.since), ReportText.time(grant.until),
        grant.by.rawValue, grant.who, grant.why,
      ])
    }
    return table.text(style: style)
  }

  static func text(of entries: [DeveloperModeAuditEntry], style: Style) -> String {
    guard !entries.isEmpty else { return "Developer mode has never been on, and no budget was reset." }
    var table = Table([
      .init("TIME"), .init("ACTION"), .init("APP OR DEVICE"), .init("UNTIL"), .init("BY"), .init("WHO"),
      .number("UID"), .init("WHY"),
    ])
    for entry in entries {
      table.add([
        ReportText.time(entry.time), entry.action.rawValue,
        [entry.app, entry.device].compactMap { $0 }.joined(separator: " on "),
        ReportText.time(entry.until), entry.by.rawValue, entry.who, entry.peerUID.map { String($0) } ?? "", entry.why,
      ])
    }
    return table.text(style: style)
  }
}
