import CommandLineInterface

extension ConfigurationReference {
  /// `gatewayd.toml(5)`.
  /// - Parameter source: the package and its version, for the page's foot.
  package static func manual(source: String) -> String {
    var page = Roff(title: "gatewayd.toml", section: 5, source: source, manual: "Push gateway for widget updates")
    page.section("NAME")
    page.body("gatewayd.toml - configuration of the push gateway gatewayd")
    page.section("SYNOPSIS")
    page.body(ConfigurationFile.standardPath)
    page.section("DESCRIPTION")
    page.body("One file in TOML. gatewayd reads it at its start and at each reload, gatewayctl to find the gateway.")
    for rule in rules { page.paragraph(rule) }
    page.section("KEYS")
    for section in ConfigurationSection.allCases {
      page.subsection(section == .top ? "Before the first section" : section.header)
      page.body(section == .top ? "These stand above every header." : section.summary)
      for key in section.keys {
        page.item([.bold(key.name)], key.facts.summary)
        page.itemParagraph(key.manualRemark)
      }
    }
    page.section("EXAMPLES")
    page.body("A gateway for one app:")
    page.literal(example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    page.section("SEE ALSO")
    page.body("gatewayd(8), gatewayctl(1), systemd.exec(5)")
    return page.text
  }

  private static let rules = [
    "Nothing is ignored: an unknown section or key, a wrong type and a value out of range are errors, each with file, "
      + "line, key and what was expected. gatewayd check finds them, and starts nothing.",
    "Listeners are sections. Without [device] no device can connect, and without [admin] no gatewayctl. Addresses are "
      + "numeric.",
    "Secrets are files, and only their paths stand here. A relative path starts at the folder of this file; a bare name "
      + "is looked for among the credentials of the service first (LoadCredential= in systemd.exec(5)).",
    "Durations are a whole number and a unit: 500ms, 25s, 10m, 8h, 30d.",
    "A change of a key marked reload counts after systemctl reload gatewayd, one of a key marked restart after a restart. "
      + "A file with an error changes nothing.",
  ]

  static let example = """
    [[provider]]
    environment = "production"

    [[provider-key]]
    team = "A1B2C3D4E5"
    key-id = "F6G7H8J9K0"
    file = "AuthKey_F6G7H8J9K0.p8"
    environment = "production"
    topics = ["com.example.caffeine"]

    [device]

    [[enrolment]]
    key-file = "enrolment.key"
    bundle-ids = ["com.example.caffeine"]
    environments = ["production"]

    [admin]

    [tls]
    certificate = "server.pem"
    key = "server.key"
    """
}

extension ConfigurationKey {
  /// Type, unit, effect and default.
  fileprivate var manualRemark: String {
    guard case .value(let text) = facts.standard else { return remark }
    let unit = facts.unit.map { ", \($0)" } ?? ""
    return "Takes \(facts.kind.expectation)\(unit); \(facts.effect.rawValue). Default: \(text)."
  }
}
