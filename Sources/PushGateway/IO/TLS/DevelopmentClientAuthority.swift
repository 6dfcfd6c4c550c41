import COpenSSL

/// Issues certificates for providers, with what Apple writes into its own: for laptops and tests. Its key lives as long
/// as it does and is never given out.
package final class DevelopmentClientAuthority {
  /// What a certificate shall say.
  package struct Wish: Sendable {
    /// UID of the subject.
    package var bundleIDs: [String]
    /// OU of the subject.
    package var team: String?
    /// Each with its kind (`app`, `voip` …); nil: no topic extension.
    package var topics: [(name: String, kind: String)]?
    package var isForDevelopment = true
    package var isForProduction = false
    /// Of the certificate, before or after now.
    package var validFromSeconds: Int64 = -3600
    package var validForSeconds: Int64 = 30 * 86400
    /// In the notation of x509v3_config(5).
    package var extendedKeyUsage = "clientAuth"
    /// Extensions as DER, by their dotted names.
    package var others: [(oid: String, der: [UInt8])] = []

    package init(bundleIDs: [String], team: String? = nil, topics: [(name: String, kind: String)]? = nil) {
      self.bundleIDs = bundleIDs
      self.team = team
      self.topics = topics
    }
  }

  private let wallSeconds: Int64
  private let key: P256Key
  private let own: CertificateDraft
  /// From here to below the root.
  private let chain: [UInt8]

  /// - Parameters:
  ///   - wallSeconds: now, in seconds since 1970.
  ///   - parent: who vouches for it; nil: itself.
  package init(wallSeconds: Int64, under parent: DevelopmentClientAuthority? = nil) throws(TLSError) {
    self.wallSeconds = wallSeconds
    key = try P256Key()
    own = try CertificateDraft()
    let name = parent == nil ? "gatewayd development clients" : "gatewayd development clients, issuing"
    try own.fill(
      subject: [("CN", name)], key: key, from: wallSeconds - 86_400, for: DevelopmentAuthority.validDays * 86_400)
    if let parent {
      try Self.extend(own, under: parent.own)
      try own.sign(by: parent.own, key: parent.key)
      chain = try own.pem() + parent.chain
    } else {
      try Self.extend(own, under: own)
      try own.sign(by: own, key: key)
      chain = []
    }
  }

  private static func extend(
    _ draft: borrowing CertificateDraft, under issuer: borrowing CertificateDraft
  ) throws(TLSError) {
    try draft.add(NID_basic_constraints, "critical,CA:TRUE", issuer: issuer)
    try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: issuer)
    try draft.add(NID_subject_key_identifier, "hash", issuer: issuer)
    try draft.add(NID_authority_key_identifier, "keyid:always", issuer: issuer)
  }

  /// PEM; for a listener's `client-ca`.
  package func certificate() throws(TLSError) -> [UInt8] { try own.pem() }

  /// - Parameter isSelfSigned: nobody vouches for it.
  package func issue(_ wish: Wish, isSelfSigned: Bool = false) throws(TLSError) -> CertificateAndKey {
    let clientKey = try P256Key()
    let draft = try CertificateDraft()
    var subject = wish.bundleIDs.map { (attribute: "UID", text: $0) }
    subject.append(("CN", "Push Services: " + (wish.bundleIDs.first ?? "nobody")))
    if let team = wish.team { subject.append(("OU", team)) }
    try draft.fill(
      subject: subject, key: clientKey, from: wallSeconds + wish.validFromSeconds, for: wish.validForSeconds)
    try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: own)
    try draft.add(NID_key_usage, "critical,digitalSignature", issuer: own)
    try draft.add(NID_ext_key_usage, wish.extendedKeyUsage, issuer: own)
    if wish.isForDevelopment { try draft.add(oid: ProviderCertificateReader.development, der: DERForm.null) }
    if wish.isForProduction { try draft.add(oid: ProviderCertificateReader.production, der: DERForm.null) }
    if let topics = wish.topics {
      let elements = topics.flatMap { topic in
        DERForm.utf8(topic.name) + DERForm.sequence(DERForm.utf8(topic.kind))
      }
      try draft.add(oid: ProviderCertificateReader.topicLists[0], der: DERForm.sequence(elements))
    }
    for (oid, der) in wish.others { try draft.add(oid: oid, der: der) }
    if isSelfSigned {
      try draft.sign(by: draft, key: clientKey)
      return CertificateAndKey(certificateChain: try draft.pem(), privateKey: try clientKey.pem())
    }
    try draft.sign(by: own, key: key)
    return CertificateAndKey(certificateChain: try draft.pem() + chain, privateKey: try clientKey.pem())
  }
}
