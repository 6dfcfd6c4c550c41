import GatewayCore
import TokenStore

/// Who may push and who may enrol.
extension ConfigurationAssembly {
  mutating func providerKeys() -> [GatewayConfiguration.ProviderKey] {
    var lines: [String: Int] = [:]
    return all(.providerKey).map { content in
      let environment: GatewayEnvironment = content.choice(.providerKeyEnvironment) ?? .development
      let keyID = content.text(.providerKeyID) ?? ""
      let topics = patterns(.providerKeyTopics, in: content)
      if !keyID.isEmpty,
        let other = lines.updateValue(content.line(of: .providerKeyID), forKey: "\(environment.rawValue) \(keyID)")
      {
        refuse(
          .providerKeyID, in: content,
          "expected each key-id once for an environment; line \(other) has \(keyID) for \(environment.rawValue) too")
      }
      let team = content.text(.providerKeyTeam) ?? ""
      let file = readFile(.providerKeyFile, in: content, as: .providerKey)
      outline.providerKeys.append(
        .init(team: team, keyID: keyID, file: file?.path ?? "", environment: environment, topics: topics))
      return .init(
        team: team, keyID: keyID, pem: Secret(file?.bytes ?? []), environment: environment,
        scope: content.choice(.providerKeyScope) ?? .team, topics: topics)
    }
  }

  mutating func enrolments() -> [GatewayConfiguration.Enrolment] {
    var lines: [[UInt8]: Int] = [:]
    return all(.enrolment).map { content in
      let file = readFile(.enrolmentKeyFile, in: content, as: .bearer)
      if let bytes = file?.bytes, !bytes.isEmpty,
        let other = lines.updateValue(content.line(of: .enrolmentKeyFile), forKey: bytes)
      {
        refuse(
          .enrolmentKeyFile, in: content,
          "expected a key of its own; the file of line \(other) holds the same one, so its limits would be chance")
      }
      let environments = (content.texts(.enrolmentEnvironments) ?? []).compactMap(GatewayEnvironment.init(rawValue:))
      let bundleIDs = patterns(.enrolmentBundleIDs, in: content)
      outline.enrolments.append(
        .init(keyFile: file?.path ?? "", bundleIDs: bundleIDs, environments: environments))
      return .init(
        key: Secret(String(decoding: file?.bytes ?? [], as: UTF8.self)), bundleIDs: bundleIDs,
        environments: environments, maximumDevices: content.number(.enrolmentMaximumDevices) ?? 1_000_000,
        perMinute: content.number(.enrolmentPerMinute) ?? 6000,
        perAddressPerMinute: content.number(.enrolmentPerAddress) ?? 600)
    }
  }

  private func patterns(_ key: ConfigurationKey, in content: SectionContent) -> [BundlePattern] {
    (content.texts(key) ?? []).compactMap { BundlePattern($0) }
  }
}
