package import TokenStore

/// What a provider's client certificate says, after its chain was found to end at the listener's `client-ca`. Whoever
/// speaks TLS has read it; here stands what it is worth (Apple: Establishing a certificate-based connection to APNs;
/// Sending notification requests to APNs).
package struct ProviderCertificate: Equatable, Sendable {
  /// The subject's UID: the bundle ID of the app that the certificate was made for.
  package let subjectID: String?
  /// The subject's OU: the team.
  package let team: String?
  /// What the topic extensions list, in their order; nil where the certificate has none.
  package let topics: [String]?
  /// The environments that it is marked for.
  package let environments: Set<GatewayEnvironment>
  package let validFrom: UnixTime
  package let validUntil: UnixTime

  package init(
    subjectID: String?, team: String?, topics: [String]?, environments: Set<GatewayEnvironment>, validFrom: UnixTime,
    validUntil: UnixTime
  ) {
    self.subjectID = subjectID
    self.team = team
    self.topics = topics
    self.environments = environments
    self.validFrom = validFrom
    self.validUntil = validUntil
  }

  /// What the certificate lets its owner do on a listener of `environment`.
  ///
  /// A certificate that is marked for no environment is good for both: Apple's for VoIP bear no mark, and neither does one
  /// that a developer makes without knowing Apple's.
  package func credential(
    in environment: GatewayEnvironment, at now: UnixTime
  ) throws(Refusal) -> CertificateCredential {
    let allowed = topics ?? [subjectID].compactMap(\.self)
    guard !allowed.isEmpty else {
      throw Refusal(
        .badCertificate,
        "The client certificate names no topic, neither as its subject's UID nor in Apple's extension; use one that does."
      )
    }
    let credential = CertificateCredential(
      team: owner(allowed), grant: Self.grant(allowed), validFrom: validFrom, validUntil: validUntil)
    _ = try credential.grant(at: now)
    guard environments.isEmpty || environments.contains(environment) else {
      throw Refusal(
        .badCertificateEnvironment,
        "The client certificate is not of the \(environment.rawValue) environment; connect to the other listener.")
    }
    return credential
  }

  /// The team as Apple names it, and RFC 5280 limits it (64 characters); a certificate without one is a team of its own.
  private func owner(_ topics: [String]) -> String {
    if let team, (1...64).contains(team.count) { return team }
    return String((subjectID ?? topics[0]).prefix(BundleID.maximumCount))
  }

  /// Apple does not say whether widget topics appear in certificates, and those that it issues list the bare bundle ID. So
  /// either form is permission to push to that app's widgets; topics of other kinds of push are none.
  private static func grant(_ topics: [String]) -> TopicGrant {
    let apps = topics.map(Self.app)
    return TopicGrant(
      // A name that no app can have grants nothing; above all, no `*` in a certificate is a pattern.
      apps.compactMap { $0.flatMap { BundlePattern($0.description) } }, of: .certificate,
      standard: apps.count == 1 ? apps[0] : nil)
  }

  private static func app(ofTopic topic: String) -> BundleID? {
    let bytes = Array(topic.utf8)
    return bytes.withUnsafeBytes { bytes in
      if let bundleID = WidgetTopic.bundleID(of: bytes) { return bundleID }
      guard WidgetTopic.fault(ofOther: bytes) == .otherKind(nil) else { return nil }
      return BundleID(topic)
    }
  }
}
