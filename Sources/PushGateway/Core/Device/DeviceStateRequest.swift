package import TokenStore

/// `PUT /v1/devices/<device>/state`: what the person is doing with the device. A body may be partial: what it does not
/// name stays as it was, and `null` says "none".
package struct DeviceStateRequest: Equatable, Sendable {
  /// What a body says of a value that can be none.
  package enum Change<Value: Equatable & Sendable>: Equatable, Sendable {
    case keep
    case set(Value?)
  }

  /// The app on the screen.
  package var foreground: Change<BundleID>
  package var session: Change<DeviceState.AppSession>
  /// nil: stays as it was.
  package var asleep: Bool?
  /// nil: stays as it was.
  package var developerMode: Bool?

  package init(
    foreground: Change<BundleID> = .keep, session: Change<DeviceState.AppSession> = .keep, asleep: Bool? = nil,
    developerMode: Bool? = nil
  ) {
    self.foreground = foreground
    self.session = session
    self.asleep = asleep
    self.developerMode = developerMode
  }

  /// The part that lasts as long as the stream; developer mode outlives it and goes its own way.
  package var said: Ledger.DeviceSays {
    var said = Ledger.DeviceSays(isAsleep: asleep)
    if case .set(let app) = foreground { said.foreground = .some(app) }
    if case .set(let app) = session { said.session = .some(app) }
    return said
  }

  package static func parse(_ body: [UInt8]) throws(DeviceRefusal) -> DeviceStateRequest {
    let object = try RequestObject(body: body, keys: ["foreground", "session", "asleep", "developerMode"])
    var request = DeviceStateRequest()
    if object.value("foreground") != nil {
      if let text = try object.optionalText("foreground") {
        request.foreground = .set(try object.bundleID(text, at: "foreground"))
      } else {
        request.foreground = .set(nil)
      }
    }
    if let value = object.value("session") {
      request.session = .set(value == .null ? nil : try session(value))
    }
    request.asleep = try object.optionalBool("asleep")
    request.developerMode = try object.optionalBool("developerMode")
    return request
  }

  private static func session(_ value: JSONValue) throws(DeviceRefusal) -> DeviceState.AppSession {
    let object = try RequestObject(value, at: "session", keys: ["app", "kind"])
    let app = try object.bundleID(try object.text("app"), at: "app")
    let name = try object.text("kind")
    guard let kind = DeviceState.AppSession.Kind(rawValue: name) else {
      throw DeviceRefusal(
        .unknownSessionKind, "session.kind is \(InputQuote(name)); \(DeviceError.unknownSessionKind.standardDetail)")
    }
    return DeviceState.AppSession(app: app, kind: kind)
  }
}
