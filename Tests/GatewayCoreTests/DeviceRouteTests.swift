import GatewayCore
import Testing
import TokenStore

/// Protects who may reach what: a path leads to exactly one resource, and names the device whose key it needs.
@Suite("Device routes") struct DeviceRouteTests {
  static let name = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
  static let device = DeviceID(CanonicalUUID(high: 0x0A1B_2C3D_4E5F_4A6B, low: 0x8C7D_9E0F_1A2B_3C4D))
  static let root = "/v1/devices/" + name

  @Test("Each path and method leads to its route")
  func routes() throws {
    let app = try #require(BundleID("com.example.caffeine"))
    let expected: [(String, String, DeviceRoute)] = [
      ("POST", "/v1/devices", .enrol),
      ("DELETE", Self.root, .leave(Self.device)),
      ("POST", Self.root + "/key", .rotateKey(Self.device)),
      ("PUT", Self.root + "/apps/com.example.caffeine", .register(Self.device, app)),
      ("DELETE", Self.root + "/apps/com.example.caffeine", .removeApp(Self.device, app)),
      ("GET", Self.root + "/updates", .updates(Self.device)),
      ("POST", Self.root + "/receipts", .receipts(Self.device)),
      ("PUT", Self.root + "/state", .state(Self.device)),
      ("GET", Self.root + "/explain", .explain(Self.device, last: 20)),
      ("GET", Self.root + "/explain?", .explain(Self.device, last: 20)),
      ("GET", Self.root + "/explain?last=1", .explain(Self.device, last: 1)),
      ("GET", Self.root + "/explain?last=200", .explain(Self.device, last: 200)),
      ("POST", "/v1/devices?", .enrol),
    ]
    for (method, target, route) in expected { #expect(try parse(method, target) == route, "\(method) \(target)") }
  }

  @Test("A device may be spelt in either case")
  func upperCase() throws {
    #expect(try parse("PUT", "/v1/devices/\(Self.name.uppercased())/state") == .state(Self.device))
  }

  @Test("Enrolment needs an enrolment key, all else the key of the device in the path")
  func credentials() throws {
    #expect(try parse("POST", "/v1/devices").credential == .enrolmentKey)
    for (method, rest) in [
      ("DELETE", ""), ("POST", "/key"), ("PUT", "/apps/a"), ("DELETE", "/apps/a"), ("GET", "/updates"),
      ("POST", "/receipts"), ("PUT", "/state"), ("GET", "/explain"),
    ] {
      #expect(try parse(method, Self.root + rest).credential == .deviceKey(Self.device))
    }
  }

  @Test(
    "A path that does not exist is 404, whatever the method",
    arguments: [
      "", "/", "*", "/v1", "/v2/devices", "/v1/device", "v1/devices", "//v1/devices", "/v1/devices/", "/V1/devices",
      "/v1/devices/x", root + "/", root + "/apps", root + "/apps/", root + "/apps/com.example/x", root + "/updates/",
      root + "/update", root + "/key/x", "/v1/devices/%30a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d", root + "/a/b/c/d/e/f/g",
      "/v1/devices/0a1b2c3d4e5f4a6b8c7d9e0f1a2b3c4d",
    ], ["GET", "POST", "BREW"])
  func notFound(target: String, method: String) {
    let error = #expect(throws: DeviceRefusal.self) { try parse(method, target) }
    if target.hasSuffix("/apps/") {
      #expect(error?.error == .badBundleID)
    } else {
      #expect(error?.error == .notFound)
    }
  }

  @Test(
    "Another method on a path that exists is 405, and says which are allowed",
    arguments: [
      ("GET", "/v1/devices", "POST"), ("GET", root, "DELETE"), ("PUT", root + "/key", "POST"),
      ("GET", root + "/apps/a", "PUT, DELETE"), ("POST", root + "/updates", "GET"), ("HEAD", root + "/updates", "GET"),
      ("PUT", root + "/receipts", "POST"), ("GET", root + "/state", "PUT"), ("POST", root + "/explain", "GET"),
      ("put", root + "/state", "PUT"), ("", root + "/state", "PUT"),
    ])
  func methodNotAllowed(method: String, target: String, allow: String) {
    #expect(
      throws: DeviceRefusal(
        .methodNotAllowed, "\"\(method)\" is not allowed here; allowed: \(allow)", allow: allow)
    ) { try parse(method, target) }
  }

  @Test("A path with a bundle ID that is none is refused as such")
  func badBundleID() {
    let error = #expect(throws: DeviceRefusal.self) { try parse("PUT", Self.root + "/apps/com.example%2Ecaffeine") }
    #expect(error?.error == .badBundleID)
    #expect(error?.detail.hasPrefix("the path names the app \"com.example%2Ecaffeine\";") == true)
  }

  @Test(
    "A query that is not known is refused",
    arguments: [
      ("GET", "/explain?last=0", "the query should be last=<1 to 200>, and is \"last=0\""),
      ("GET", "/explain?last=201", "the query should be last=<1 to 200>, and is \"last=201\""),
      ("GET", "/explain?last=", "the query should be last=<1 to 200>, and is \"last=\""),
      ("GET", "/explain?last=-1", "the query should be last=<1 to 200>, and is \"last=-1\""),
      ("GET", "/explain?last=+1", "the query should be last=<1 to 200>, and is \"last=+1\""),
      ("GET", "/explain?last=1&x=2", "the query should be last=<1 to 200>, and is \"last=1&x=2\""),
      ("GET", "/explain?first=1", "the query should be last=<1 to 200>, and is \"first=1\""),
      ("GET", "/explain?last=99999999999999999999", nil),
      ("GET", "/updates?x=1", "this path takes no query, and has \"x=1\""),
    ])
  func badQuery(method: String, rest: String, detail: String?) {
    let error = #expect(throws: DeviceRefusal.self) { try parse(method, Self.root + rest) }
    #expect(error?.error == .badQuery)
    if let detail { #expect(error?.detail == detail) }
  }

  private func parse(_ method: String, _ target: String) throws -> DeviceRoute {
    try Array(method.utf8).withUnsafeBytes { method in
      try Array(target.utf8).withUnsafeBytes { try DeviceRoute.parse(method: method, target: $0) }
    }
  }
}
