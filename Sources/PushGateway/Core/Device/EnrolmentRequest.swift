package import TokenStore

/// `POST /v1/devices`: what a device says about itself when it asks for an id and a key.
package struct EnrolmentRequest: Equatable, Sendable {
  package var platform: Platform
  package var os: OSVersion

  package init(platform: Platform, os: OSVersion) {
    self.platform = platform
    self.os = os
  }

  package static func parse(_ body: [UInt8]) throws(DeviceRefusal) -> EnrolmentRequest {
    try EnrolmentRequest(try RequestObject(body: body, keys: ["platform", "os"]))
  }

  /// Reads `platform` and `os`.
  init(_ object: RequestObject) throws(DeviceRefusal) {
    let name = try object.text("platform")
    guard let platform = Platform(rawValue: name) else {
      throw DeviceRefusal(
        .unknownPlatform,
        "\(InputQuote(name)) is none of \(Platform.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let version = try object.text("os")
    guard let os = OSVersion(version) else {
      throw DeviceRefusal(.badOSVersion, "os is \(InputQuote(version)); \(DeviceError.badOSVersion.standardDetail)")
    }
    guard os >= Platform.firstOSWithWidgetPushes else {
      throw DeviceRefusal(
        .osTooOld, "widget pushes exist on \(platform.rawValue) from \(Platform.firstOSWithWidgetPushes), not on \(os)")
    }
    self.init(platform: platform, os: os)
  }
}
