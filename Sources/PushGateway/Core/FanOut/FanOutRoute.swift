package import TokenStore

/// What a request of the provider listener asks for below `/v1`, where fan-outs live.
package enum FanOutRoute: Equatable, Sendable {
  /// `POST /v1/apps/<bundleID>/fan-outs`
  case begin(BundleID)
  /// `GET /v1/fan-outs/<id>`
  case report(CanonicalUUID)
  /// `GET /v1/fan-outs/<id>/events`: the same, again and again until it ends.
  case watch(CanonicalUUID)
  /// `DELETE /v1/fan-outs/<id>`
  case cancel(CanonicalUUID)

  private static let prefix: StaticString = "/v1/"

  /// Whether a path is one of these at all; everything else is judged as a push.
  package static func isOne(_ path: UnsafeRawBufferPointer) -> Bool { path.hasPrefix(prefix) }

  /// As with a push the method is judged first, as far as any fan-out has it, then the path.
  package static func parse(
    method: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer
  ) throws(Refusal) -> FanOutRoute {
    let parts = path.split(separator: UInt8(ascii: "/"), maxSplits: 6, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    switch (parts.count, parts.count > 2 ? parts[2] : "") {
    case (5, "apps") where parts[4] == "fan-outs":
      guard method.equals("POST") else { throw Refusal(.methodNotAllowed, "A fan-out is begun with POST.") }
      guard let bundleID = BundleID(parts[3]) else {
        throw Refusal(.badPath, "The path names no bundle ID; post to /v1/apps/<bundle ID>/fan-outs.")
      }
      return .begin(bundleID)
    case (4, "fan-outs"):
      if method.equals("GET") { return .report(try id(parts[3])) }
      if method.equals("DELETE") { return .cancel(try id(parts[3])) }
      throw Refusal(.methodNotAllowed, "A fan-out is looked at with GET and cancelled with DELETE.")
    case (5, "fan-outs") where parts[4] == "events":
      guard method.equals("GET") else { throw Refusal(.methodNotAllowed, "A fan-out is watched with GET.") }
      return .watch(try id(parts[3]))
    default:
      throw Refusal(.badPath, "Below /v1 there are /v1/apps/<bundle ID>/fan-outs and /v1/fan-outs/<id>.")
    }
  }

  private static func id(_ text: String) throws(Refusal) -> CanonicalUUID {
    guard let id = CanonicalUUID(text) else {
      throw Refusal(.badPath, "The path names no fan-out; its id is the UUID that the location of its 202 ends in.")
    }
    return id
  }
}
