import BudgetThrottle
import GatewayCore
import TokenStore

/// Turns the sections of a file into a ``GatewayConfiguration``, checks what keys mean together, and reads the files
/// that they name.
///
/// A value that is missing or was refused leaves its default behind, so that the rest is checked all the same; the
/// result counts only when there is no error.
struct ConfigurationAssembly {
  let file: String
  let sections: [SectionContent]
  let folder: ConfigurationFolder
  /// false: secrets stay empty.
  let opensFiles: Bool

  var outline = ConfigurationOutline()
  private(set) var errors: [ConfigurationError] = []
  private(set) var warnings: [ConfigurationWarning] = []

  init(file: String, sections: [SectionContent], folder: ConfigurationFolder, opensFiles: Bool) {
    self.file = file
    self.sections = sections.sorted { $0.line < $1.line }
    self.folder = folder
    self.opensFiles = opensFiles
  }

  var places: [ConfigurationPlace] {
    sections.map { ConfigurationPlace(section: $0.section, line: $0.line, lines: $0.entries.mapValues(\.line)) }
  }

  mutating func assemble() -> GatewayConfiguration {
    checkRequiredKeys()
    let store = first(.store)
    var gateway = GatewayConfiguration(
      store: .init(
        database: folder.resolve(store?.text(.storeDatabase) ?? "/var/lib/gatewayd/gateway.sqlite"),
        durability: store?.choice(.storeDurability) ?? .full))
    outline.database = gateway.store.database
    gateway.loops = first(.top)?.number(.loops) ?? gateway.loops
    gateway.providers = providers()
    gateway.device = device()
    gateway.admin = admin()
    gateway.tls = tls()
    gateway.providerKeys = providerKeys()
    gateway.enrolments = enrolments()
    gateway.checks = checks()
    gateway.budget = budget()
    gateway.developerMode = developerMode()
    gateway.delivery = delivery()
    gateway.explain = explain()
    gateway.drain = first(.lifecycle)?.duration(.lifecycleDrain) ?? gateway.drain
    gateway.limits = limits()
    gateway.log = log()
    outline.providers = gateway.providers
    outline.device = gateway.device
    checkListeners(gateway)
    return gateway
  }

  // MARK: What every part uses

  func first(_ section: ConfigurationSection) -> SectionContent? { sections.first { $0.section == section } }

  func all(_ section: ConfigurationSection) -> [SectionContent] { sections.filter { $0.section == section } }

  mutating func refuse(_ line: Int?, _ key: ConfigurationKey?, _ expected: String) {
    errors.append(ConfigurationError(file: file, line: line, key: key?.rawValue, expected: expected))
  }

  mutating func refuse(_ key: ConfigurationKey, in content: SectionContent, _ expected: String) {
    refuse(content.line(of: key), key, expected)
  }

  mutating func warn(_ line: Int?, _ key: String?, _ text: String) {
    warnings.append(ConfigurationWarning(file: file, line: line, key: key, text: text))
  }

  /// Reads a file that `key` names.
  /// - Returns: its bytes; empty if it could not be read, which is then an error.
  mutating func readFile(
    _ key: ConfigurationKey, in content: SectionContent, as purpose: SecretPurpose
  ) -> (path: String, bytes: [UInt8])? {
    guard let name = content.text(key) else { return nil }
    let path = folder.resolveSecret(name)
    guard opensFiles else { return (path, []) }
    do {
      let contents = try FileContents.read(path, limit: 1 << 18, regularOnly: true)
      let bytes = purpose.trimmed(contents.bytes)
      if let fault = purpose.fault(in: bytes) {
        refuse(key, in: content, "\(path): \(fault)")
        return (path, [])
      }
      if contents.isOpenToOthers, purpose.isSecret(bytes) {
        warn(content.line(of: key), key.rawValue, "\(path) is open to everybody on this machine; chmod o-rwx \(path)")
      }
      return (path, bytes)
    } catch {
      refuse(key, in: content, "cannot read \(path): \(error.explanation(path: path))")
      return (path, [])
    }
  }

  private mutating func checkRequiredKeys() {
    for content in sections {
      for key in content.section.keys where content.entries[key] == nil && !content.faulty.contains(key) {
        if case .required(let example) = key.facts.standard {
          refuse(content.line, key, "is missing from this \(content.section.header): \(key.name) = \(example)")
        }
      }
    }
  }
}
