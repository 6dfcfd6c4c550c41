import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

private let caffeine = "com.example.caffeine"

/// Protects what a certificate is worth: its topics and no others, in its environments, as long as it is valid.
@Suite("Provider certificate") struct ProviderCertificateTests {
  private static func certificate(
    subjectID: String? = caffeine, topics: [String]? = nil, environments: Set<GatewayEnvironment> = [.development],
    team: String? = "TEAM000001"
  ) -> ProviderCertificate {
    ProviderCertificate(
      subjectID: subjectID, team: team, topics: topics, environments: environments,
      validFrom: UnixTime(seconds: 1000), validUntil: UnixTime(seconds: 2000))
  }

  private static func refusal(
    of certificate: ProviderCertificate, in environment: GatewayEnvironment = .development, at seconds: Int64 = 1500
  ) -> RejectionReason? {
    do throws(Refusal) {
      _ = try certificate.credential(in: environment, at: UnixTime(seconds: seconds))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(
    "Each defect has its reason, and of two the certificate's own goes before the environment's",
    arguments: [
      (certificate(), GatewayEnvironment.development, 1500, nil),
      (certificate(), .development, 1000, nil),
      (certificate(), .development, 2000, nil),
      (certificate(), .development, 999, .badCertificate),
      (certificate(), .development, 2001, .badCertificate),
      (certificate(), .production, 1500, .badCertificateEnvironment),
      (certificate(), .production, 2001, .badCertificate),
      (certificate(environments: [.production]), .development, 1500, .badCertificateEnvironment),
      (certificate(environments: [.production, .development]), .production, 1500, nil),
      (certificate(environments: []), .production, 1500, nil),
      (certificate(subjectID: nil), .development, 1500, .badCertificate),
      (certificate(subjectID: nil, topics: []), .development, 1500, .badCertificate),
      (certificate(topics: []), .development, 1500, .badCertificate),
      (certificate(subjectID: nil, topics: [caffeine]), .development, 1500, nil),
    ] as [(ProviderCertificate, GatewayEnvironment, Int64, RejectionReason?)])
  func defects(
    certificate: ProviderCertificate, environment: GatewayEnvironment, seconds: Int64, expected: RejectionReason?
  ) {
    #expect(Self.refusal(of: certificate, in: environment, at: seconds) == expected)
  }

  /// A loop with one connection that was let in with a certificate, and a provider key besides.
  private struct Door {
    let authenticator = ProviderAuthenticator(
      environment: .development,
      keyring: ProviderKeyring(
        keys: [
          .init(
            keyID: "ABCDEFGHIJ", team: "TEAM000002", environment: .development,
            topics: [BundlePattern("*")].compactMap(\.self))
        ], generation: 1))
    let session = ProviderSession()
    var topics = TopicTable(seed: 1)
    let verifier = ChecksumVerifier()

    init(_ certificate: ProviderCertificate) throws {
      session.accept(try certificate.credential(in: .development, at: UnixTime(seconds: 1500)))
    }

    mutating func push(
      topic: String?, at seconds: Int64 = 1500, authorization: String? = nil, repeating: String? = nil
    ) -> Result<BundleID, Refusal> {
      let header = HeaderBlock()
      var fields = [(":method", "POST"), (":path", "/3/device/0f"), ("apns-push-type", "widgets")]
      if let topic { fields.append(("apns-topic", topic)) }
      if let authorization { fields.append(("authorization", authorization)) }
      if let repeating { fields.append((repeating, "again")) }
      for (name, value) in fields {
        withBytes(name) { name in withBytes(value) { _ = header.append(name: name, value: $0) } }
      }
      return Result { () throws(Refusal) in
        try PushHeadValidator(checks: .init()).validate(header, topics: &topics) { () throws(Refusal) in
          try authenticator.authenticate(
            header, session: session, now: UnixTime(seconds: seconds), ledgerNow: LedgerTime(milliseconds: 0),
            signatures: verifier)
        }.bundleID
      }
    }
  }

  private static func widgets(_ app: String) -> String { app + ".push-type.widgets" }

  @Test(
    "A topic is allowed if it is listed, or its bundle ID is, or nothing is and it is the subject's",
    arguments: [
      (certificate(), widgets(caffeine), nil),
      (certificate(), widgets("com.example.water"), .topicDisallowed),
      (certificate(), widgets("com.example"), .topicDisallowed),
      (certificate(), widgets(caffeine + ".tea"), .topicDisallowed),
      (certificate(), caffeine, .badTopic),
      (certificate(topics: [caffeine, caffeine + ".voip"]), widgets(caffeine), nil),
      (certificate(topics: [caffeine, caffeine + ".voip"]), widgets(caffeine + ".voip"), .topicDisallowed),
      (certificate(topics: [caffeine, caffeine + ".voip"]), caffeine + ".voip", .badTopic),
      (certificate(topics: [widgets(caffeine)]), widgets(caffeine), nil),
      (certificate(topics: ["com.example.water", widgets("com.example.tea")]), widgets("com.example.tea"), nil),
      (certificate(topics: ["com.example.water"]), widgets(caffeine), .topicDisallowed),
      (certificate(topics: [caffeine + ".voip"]), widgets(caffeine), .topicDisallowed),
      (certificate(subjectID: "*"), widgets(caffeine), .topicDisallowed),
      (certificate(subjectID: "com.example.*"), widgets(caffeine), .topicDisallowed),
      (certificate(topics: ["*", "com.*"]), widgets(caffeine), .topicDisallowed),
      (certificate(topics: ["*.push-type.widgets", "x"]), widgets(caffeine), .topicDisallowed),
      (certificate(subjectID: ""), widgets(caffeine), .topicDisallowed),
    ] as [(ProviderCertificate, String, RejectionReason?)])
  func topics(certificate: ProviderCertificate, topic: String, expected: RejectionReason?) throws {
    var door = try Door(certificate)
    switch door.push(topic: topic) {
    case .success(let app): #expect(expected == nil && Self.widgets(app.description) == topic)
    case .failure(let refusal): #expect(refusal.reason == expected)
    }
  }

  @Test(
    "Without apns-topic the only topic counts; one of several must be named",
    arguments: [
      (certificate(), caffeine),
      (certificate(topics: [widgets("com.example.tea")]), "com.example.tea"),
      (certificate(topics: ["com.example.tea"]), "com.example.tea"),
      (certificate(topics: [caffeine, caffeine + ".voip"]), nil),
      (certificate(topics: [caffeine + ".voip"]), nil),
      (certificate(subjectID: "*"), nil),
    ] as [(ProviderCertificate, String?)])
  func standardTopic(certificate: ProviderCertificate, expected: String?) throws {
    var door = try Door(certificate)
    for absent in [nil, ""] {
      switch door.push(topic: absent) {
      case .success(let app): #expect(app.description == expected)
      case .failure(let refusal): #expect(expected == nil && refusal.reason == .missingTopic)
      }
    }
  }

  @Test("authorization is ignored, right or wrong, and costs no signature check; twice is still twice")
  func authorization() throws {
    var door = try Door(Self.certificate())
    #expect(door.session.isAuthenticated)
    for text in [nil, "", "bearer x", "bearer " + JWT(claims: #"{"iss":"TEAM000002","iat":1400}"#).text] {
      #expect((try? door.push(topic: Self.widgets(caffeine), authorization: text).get()) != nil)
      #expect((try? door.push(topic: Self.widgets("com.example.water"), authorization: text).get()) == nil)
    }
    #expect(door.verifier.questions == 0)
    #expect(door.session.team == "TEAM000001")
    guard
      case .failure(let refusal) = door.push(
        topic: Self.widgets(caffeine), authorization: "bearer x", repeating: "authorization")
    else { return #expect(Bool(false), "a header came twice and was taken") }
    #expect(refusal.reason == .duplicateHeaders)
  }

  @Test("A connection outlives neither its certificate nor the beginning of it, and a reload of keys is nothing to it")
  func age() throws {
    var door = try Door(Self.certificate())
    let topic = Self.widgets(caffeine)
    #expect((try? door.push(topic: topic, at: 2000).get()) != nil)
    for seconds: Int64 in [2001, 999] {
      guard case .failure(let refusal) = door.push(topic: topic, at: seconds) else {
        return #expect(Bool(false), "accepted at \(seconds)")
      }
      #expect(refusal.reason == .badCertificate)
    }
    door.authenticator.replaceKeyring(ProviderKeyring(keys: [], generation: 2))
    #expect((try? door.push(topic: topic).get()) != nil)
  }

  @Test("What is written of it in a log is what it has proved")
  func proven() throws {
    let session = try Door(Self.certificate()).session
    for keyID in [nil, "ABCDEFGHIJ"] {
      #expect(session.provenGrant(naming: keyID)?.standard?.description == caffeine)
    }
    #expect(ProviderSession().provenGrant(naming: nil) == nil)
    #expect(ProviderSession().team == nil)
  }

  @Test(
    "A certificate belongs to its team, and one that names none, or an endless one, to itself",
    arguments: [
      ("TEAM000001", "TEAM000001"), (nil, caffeine), ("", caffeine), (String(repeating: "T", count: 65), caffeine),
    ]
      as [(String?, String)])
  func team(named team: String?, expected: String) throws {
    #expect(try Door(Self.certificate(team: team)).session.team == expected)
    #expect(try Door(Self.certificate(subjectID: nil, topics: [caffeine], team: team)).session.team == expected)
  }

  @Test("A refusal for the topic speaks of what the provider has shown")
  func words() throws {
    var door = try Door(Self.certificate())
    guard case .failure(let refusal) = door.push(topic: Self.widgets("com.example.water")) else {
      return #expect(Bool(false), "a topic of another app was taken")
    }
    #expect(refusal.detail?.contains("certificate") == true && refusal.detail?.contains("key") == false)
  }
}
