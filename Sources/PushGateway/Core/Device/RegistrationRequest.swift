package import TokenStore

/// `PUT /v1/devices/<device>/apps/<bundleID>`: the whole state of one app on one device.
package struct RegistrationRequest: Equatable, Sendable {
  package var environment: GatewayEnvironment
  /// nil: keep the one that is there, or make one.
  package var token: DeviceToken?
  /// In the device's order. Equal ones may stand among them; their order tells them apart.
  package var widgets: [Widget]

  package init(environment: GatewayEnvironment, token: DeviceToken? = nil, widgets: [Widget]) {
    self.environment = environment
    self.token = token
    self.widgets = widgets
  }

  /// - Parameters:
  ///   - platform: the device's, as it enrolled.
  ///   - os: the device's, as it enrolled.
  package static func parse(
    _ body: [UInt8], platform: Platform, os: OSVersion
  ) throws(DeviceRefusal) -> RegistrationRequest {
    try RegistrationRequest(
      try RequestObject(body: body, keys: ["environment", "token", "widgets"]), platform: platform, os: os)
  }

  /// Reads `environment`, `token` and `widgets`.
  init(_ object: RequestObject, platform: Platform, os: OSVersion) throws(DeviceRefusal) {
    let name = try object.text("environment")
    guard let environment = GatewayEnvironment(rawValue: name) else {
      throw DeviceRefusal(
        .unknownEnvironment,
        "\(InputQuote(name)) is none of \(GatewayEnvironment.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var token: DeviceToken?
    if let hex = try object.optionalText("token") {
      // The text itself is not quoted: it is as good as a token to whoever reads the answer in a log.
      guard let parsed = DeviceToken(hex: hex) else {
        throw DeviceRefusal(.badToken, "token has \(hex.utf8.count) characters; \(DeviceError.badToken.standardDetail)")
      }
      token = parsed
    }
    let elements = try object.array("widgets")
    guard elements.count <= DeviceLimits.widgets else {
      throw DeviceRefusal(
        .tooManyWidgets, "widgets has \(elements.count); \(DeviceError.tooManyWidgets.standardDetail)")
    }
    var widgets: [Widget] = []
    widgets.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      widgets.append(try Self.widget(element, at: "widgets[\(index)]", platform: platform, os: os))
    }
    self.init(environment: environment, token: token, widgets: widgets)
  }

  private static func widget(
    _ element: JSONValue, at place: String, platform: Platform, os: OSVersion
  ) throws(DeviceRefusal) -> Widget {
    let object = try RequestObject(element, at: place, keys: ["kind", "family", "configuration"])
    let kind = try object.text("kind")
    guard !kind.isEmpty else { throw DeviceRefusal(.kindEmpty, "\(place).kind is empty") }
    guard kind.utf8.count <= Widget.maximumKindBytes else {
      throw DeviceRefusal(
        .kindTooLong, "\(place).kind has \(kind.utf8.count) bytes; at most \(Widget.maximumKindBytes) are allowed")
    }
    let name = try object.text("family")
    guard let family = WidgetFamily(rawValue: name) else {
      throw DeviceRefusal(
        .unknownFamily,
        "\(place).family is \(InputQuote(name)), none of "
          + WidgetFamily.allCases.map(\.rawValue).joined(separator: ", "))
    }
    if let reason = family.reasonForAbsence(on: platform, os: os) {
      throw DeviceRefusal(.familyNotAvailable, "\(place).family: \(reason)")
    }
    let configuration = try object.optionalText("configuration")
    let count = configuration?.utf8.count ?? 0
    guard count <= Widget.maximumConfigurationBytes else {
      throw DeviceRefusal(
        .configurationTooLong,
        "\(place).configuration has \(count) bytes; at most \(Widget.maximumConfigurationBytes) are allowed")
    }
    return Widget(kind: kind, family: family, configuration: configuration)
  }
}
