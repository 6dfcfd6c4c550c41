import GatewayIO
import Glibc
import Testing

/// Protects who is believed: a certificate counts if an authority of the listener's vouches for it today and it can be
/// understood whole. Whatever a client shows, its handshake succeeds, so that HTTP/2 can say what is wrong.
@Suite("TLS client certificates") struct TLSClientCertificateTests {
  private static let now = Int64(time(nil))
  private let authority: DevelopmentClientAuthority

  init() throws { authority = try DevelopmentClientAuthority(wallSeconds: Self.now) }

  private func listener(trusting authorities: [UInt8]? = nil) throws -> TLSContext {
    let identity = try TestAuthority.shared.get()
    return try TLSContext.server(
      certificateChain: identity.serverCertificate, privateKey: identity.serverKey,
      clientAuthorities: try authorities ?? authority.certificate())
  }

  /// Connects and asks what the listener thinks.
  private func show(
    _ identity: CertificateAndKey?, to listener: TLSContext, maximumVersion: TLSVersion = .tls13
  ) throws -> PeerCertificate? {
    let client = try TLSContext.client(
      trust: .certificates(try TestAuthority.shared.get().caCertificate), identity: identity,
      maximumVersion: maximumVersion)
    let pair = try TransportPair(server: listener, client: client)
    let (serverStep, clientStep) = pair.handshake()
    try #require(serverStep.isDone && clientStep.isDone)
    #expect(pair.client.write([7]).isDone)
    #expect(pair.server.readAll().bytes == [7])
    return try #require(pair.server.session).peerCertificate(judgedBy: listener)
  }

  private static var wish: DevelopmentClientAuthority.Wish {
    .init(bundleIDs: ["com.example.caffeine"], team: "A1B2C3D4E5")
  }

  private func contents(_ wish: DevelopmentClientAuthority.Wish) throws -> PeerCertificate.Contents? {
    guard case .verified(let contents)? = try show(authority.issue(wish), to: listener()) else { return nil }
    return contents
  }

  private func refusal(_ wish: DevelopmentClientAuthority.Wish) throws -> String? {
    guard case .refused(let why)? = try show(authority.issue(wish), to: listener()) else { return nil }
    return why
  }

  @Test("A good certificate is read whole, over each version of TLS", arguments: TLSVersion.allCases)
  func good(version: TLSVersion) throws {
    var wish = Self.wish
    wish.topics = [("com.example.caffeine", "app"), ("com.example.caffeine.voip", "voip")]
    wish.isForProduction = true
    let shown = try show(authority.issue(wish), to: listener(), maximumVersion: version)
    var expected = PeerCertificate.Contents(validity: Self.now - 3600...Self.now - 3600 + 30 * 86400)
    expected.subjectID = "com.example.caffeine"
    expected.organizationalUnit = "A1B2C3D4E5"
    expected.topics = ["com.example.caffeine", "com.example.caffeine.voip"]
    expected.isMarkedDevelopment = true
    expected.isMarkedProduction = true
    #expect(shown == .verified(expected))
  }

  @Test("Who shows none is let in without one", arguments: TLSVersion.allCases)
  func none(version: TLSVersion) throws {
    #expect(try show(nil, to: listener(), maximumVersion: version) == nil)
  }

  @Test("A listener without authorities asks for nothing, and believes nothing")
  func notAsked() throws {
    #expect(try show(authority.issue(Self.wish), to: TestAuthority.serverContext()) == nil)
  }

  @Test("An expired certificate, one from tomorrow and one for servers are refused, each with its reason")
  func dates() throws {
    var wish = Self.wish
    wish.validFromSeconds = -7200
    wish.validForSeconds = 3600
    #expect(try refusal(wish) == "certificate has expired")
    wish.validFromSeconds = 86400
    #expect(try refusal(wish) == "certificate is not yet valid")
    wish = Self.wish
    wish.extendedKeyUsage = "serverAuth"
    #expect(try refusal(wish)?.contains("purpose") == true)
  }

  @Test("Who is vouched for by a stranger, or by nobody, is refused, though the stranger has the authority's name")
  func issuers() throws {
    let stranger = try DevelopmentClientAuthority(wallSeconds: Self.now)
    guard case .refused(let why)? = try show(stranger.issue(Self.wish), to: listener()) else {
      return #expect(Bool(false), "a stranger's certificate was believed")
    }
    #expect(why.contains("certificate"))
    guard case .refused? = try show(authority.issue(Self.wish, isSelfSigned: true), to: listener()) else {
      return #expect(Bool(false), "a self-signed certificate was believed")
    }
  }

  @Test("The authority's certificate itself is no client's")
  func authorityItself() throws {
    let identity = try TestAuthority.shared.get()
    let context = try listener(trusting: identity.caCertificate)
    let server = CertificateAndKey(certificateChain: identity.serverCertificate, privateKey: identity.serverKey)
    guard case .refused? = try show(server, to: context) else {
      return #expect(Bool(false), "the server's own certificate was believed")
    }
  }

  @Test("A chain is followed over what the client sends along, and an authority in its middle is enough")
  func chains() throws {
    let issuing = try DevelopmentClientAuthority(wallSeconds: Self.now, under: authority)
    let identity = try issuing.issue(Self.wish)
    func isVerified(_ shown: PeerCertificate?) -> Bool { if case .verified? = shown { true } else { false } }
    #expect(isVerified(try show(identity, to: listener())))
    #expect(isVerified(try show(identity, to: listener(trusting: issuing.certificate()))))
    let first = String(decoding: identity.certificateChain, as: UTF8.self).components(
      endingWith: "END CERTIFICATE-----\n")
    let bare = CertificateAndKey(certificateChain: Array(first[0].utf8), privateKey: identity.privateKey)
    #expect(!isVerified(try show(bare, to: listener())))
    #expect(isVerified(try show(bare, to: listener(trusting: issuing.certificate()))))
    #expect(isVerified(try show(bare, to: listener(trusting: authority.certificate() + issuing.certificate()))))
  }

  @Test("What was believed is judged anew by other authorities")
  func reload() throws {
    let old = try listener()
    let client = try TLSContext.client(
      trust: .certificates(try TestAuthority.shared.get().caCertificate), identity: try authority.issue(Self.wish))
    let pair = try TransportPair(server: old, client: client)
    _ = pair.handshake()
    let session = try #require(pair.server.session)
    guard case .verified? = session.peerCertificate(judgedBy: old) else { return #expect(Bool(false)) }
    let stranger = try DevelopmentClientAuthority(wallSeconds: Self.now)
    for other in [try listener(trusting: stranger.certificate()), try TestAuthority.serverContext()] {
      guard case .refused? = session.peerCertificate(judgedBy: other) else { return #expect(Bool(false)) }
    }
    guard case .verified? = session.peerCertificate(judgedBy: old) else { return #expect(Bool(false)) }
  }

  @Test("A certificate without topics, marks and names is read as such")
  func bare() throws {
    var wish = DevelopmentClientAuthority.Wish(bundleIDs: [])
    wish.isForDevelopment = false
    let contents = try #require(try contents(wish))
    #expect(contents.subjectID == nil && contents.organizationalUnit == nil && contents.topics == nil)
    #expect(!contents.isMarkedDevelopment && !contents.isMarkedProduction)
  }

  @Test("Two UIDs in the subject are one too many")
  func twoNames() throws {
    var wish = Self.wish
    wish.bundleIDs.append("com.example.water")
    #expect(try refusal(wish) == "its subject cannot be read")
  }

  private static let lists = "1.2.840.113635.100.6.3.6"
  private static let voip = "1.2.840.113635.100.6.3.4"

  @Test("The second topic extension adds to the first, unless it is a mere mark")
  func secondList() throws {
    var wish = Self.wish
    wish.topics = [("com.example.caffeine", "app")]
    wish.others = [(Self.voip, DERForm.sequence(DERForm.utf8("com.example.caffeine.voip")))]
    #expect(try contents(wish)?.topics == ["com.example.caffeine", "com.example.caffeine.voip"])
    wish.others = [(Self.voip, DERForm.null)]
    #expect(try contents(wish)?.topics == ["com.example.caffeine"])
    wish.topics = nil
    #expect(try contents(wish)?.topics == .some(nil))
  }

  @Test("No extension counts when it is there twice")
  func twice() throws {
    var wish = Self.wish
    wish.topics = [("com.example.caffeine", "app")]
    wish.others = [(Self.lists, DERForm.sequence(DERForm.utf8("com.example.water")))]
    #expect(try refusal(wish) == "one of Apple's extensions is there twice")
    wish = Self.wish
    wish.others = [("1.2.840.113635.100.6.3.1", DERForm.null)]
    #expect(try refusal(wish) == "one of Apple's extensions is there twice")
  }

  private static let topic = DERForm.utf8("com.example.caffeine")
  private static let kinds = DERForm.sequence(DERForm.utf8("app"))

  @Test(
    "A topic extension of the right form is read",
    arguments: [
      (DERForm.sequence(topic), ["com.example.caffeine"]),
      (DERForm.sequence(topic + kinds), ["com.example.caffeine"]),
      (DERForm.sequence(topic + DERForm.sequence([])), ["com.example.caffeine"]),
      (
        DERForm.sequence(topic + DERForm.sequence(DERForm.utf8("app") + DERForm.utf8("voip"))), ["com.example.caffeine"]
      ),
      (DERForm.sequence(topic + topic + kinds), ["com.example.caffeine", "com.example.caffeine"]),
      (DERForm.sequence(DERForm.utf8(String(repeating: "long", count: 200))), [String(repeating: "long", count: 200)]),
      (DERForm.sequence([]), []),
    ])
  func topicForms(der: [UInt8], topics: [String]) throws {
    var wish = Self.wish
    wish.others = [(Self.lists, der)]
    #expect(try contents(wish)?.topics == topics)
  }

  @Test(
    "A topic extension of any other form is refused",
    arguments: [
      [],
      DERForm.null,
      topic,
      [0x30],
      [0x30, 0x05],
      [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0x80] + topic,
      DERForm.sequence(topic) + [0],
      DERForm.sequence(topic).dropLast(),
      DERForm.sequence([0x0C, 0x7F, 0x61]),
      DERForm.sequence(kinds + topic),
      DERForm.sequence(topic + kinds + kinds),
      DERForm.sequence([0x16, 0x01, 0x61]),
      DERForm.sequence([0x01, 0x01, 0xFF]),
      DERForm.sequence(topic + DERForm.sequence([0x02, 0x01, 0x01])),
      DERForm.sequence(topic + DERForm.sequence([0x0C, 0x05, 0x61])),
      DERForm.sequence([0x0C, 0x00]),
      DERForm.sequence([0x0C, 0x02, 0x61, 0x00]),
      DERForm.sequence([0x0C, 0x02, 0xC3, 0x28]),
      DERForm.sequence([0x0C, 0x03, 0xED, 0xA0, 0x80]),
    ] as [[UInt8]])
  func damagedTopics(der: [UInt8]) throws {
    var wish = Self.wish
    wish.others = [(Self.lists, Array(der))]
    #expect(try refusal(wish) == "its topic extension is not a sequence of topics and their kinds")
  }

  @Test("Bytes of a topic extension may be anything: the answer is a list or a refusal")
  func anyBytes() throws {
    let whole = DERForm.sequence(Self.topic + Self.kinds + DERForm.utf8("com.example.caffeine.voip") + Self.kinds)
    var refused = 0
    for round in 0..<whole.count {
      var der = whole
      der[round] ^= [0x01, 0x10, 0x80, 0xFF][round % 4]
      var wish = Self.wish
      wish.others = [(Self.lists, der)]
      if try refusal(wish) != nil { refused += 1 } else { #expect(try contents(wish) != nil) }
    }
    #expect(refused > 4)
  }

  @Test("A client's certificate that is none, or not its key's, is told before anything connects")
  func wrongIdentity() throws {
    let identity = try authority.issue(Self.wish)
    let other = try authority.issue(Self.wish)
    for wrong in [
      CertificateAndKey(certificateChain: identity.certificateChain, privateKey: other.privateKey),
      CertificateAndKey(certificateChain: identity.privateKey, privateKey: identity.privateKey),
    ] {
      #expect(throws: TLSError.self) { try TLSContext.client(trust: .system, identity: wrong) }
    }
  }

  @Test("A file of authorities without any in it is an error")
  func noAuthorities() throws {
    let error = #expect(throws: TLSError.self) { try listener(trusting: Array("nobody".utf8)) }
    #expect(error?.problem.contains("the client CA file has no certificate in it") == true)
  }
}

extension String {
  /// Its parts, each up to and with the ending.
  fileprivate func components(endingWith ending: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let found = rest.firstRange(of: ending) {
      parts.append(String(rest[..<found.upperBound]))
      rest = rest[found.upperBound...]
    }
    return parts
  }
}
