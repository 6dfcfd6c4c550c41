package import TokenStore

/// 200 to a change of state: the whole state as it stands now.
package struct DeviceStateAnswer: Equatable, Sendable {
  package var foreground: BundleID?
  package var session: DeviceState.AppSession?
  package var asleep: Bool
  /// When the developer mode that this device switched on ends; nil when it is off.
  package var developerModeUntil: UnixTime?

  package init(
    foreground: BundleID? = nil, session: DeviceState.AppSession? = nil, asleep: Bool = false,
    developerModeUntil: UnixTime? = nil
  ) {
    self.foreground = foreground
    self.session = session
    self.asleep = asleep
    self.developerModeUntil = developerModeUntil
  }

  package var body: [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("foreground")
    if let foreground { writer.string(foreground.description) } else { writer.null() }
    writer.key("session")
    if let session {
      writer.beginObject()
      writer.key("app")
      writer.string(session.app.description)
      writer.key("kind")
      writer.string(session.kind.rawValue)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("asleep")
    writer.bool(asleep)
    writer.key("developerMode")
    writer.bool(developerModeUntil != nil)
    writer.key("developerModeUntil")
    writer.time(developerModeUntil)
    writer.endObject()
    return writer.bytes
  }
}
