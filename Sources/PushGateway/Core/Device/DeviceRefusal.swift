/// One refused request of the device listener: the code, and what a developer needs to mend it.
package struct DeviceRefusal: Error, Equatable, Sendable {
  package var error: DeviceError
  package var detail: String
  /// Whole seconds for `retry-after`.
  package var retryAfter: Int?
  /// For `allow`, which a 405 must carry (RFC 9110 §15.5.6).
  package var allow: String?

  package init(_ error: DeviceError, _ detail: String? = nil, retryAfter: Int? = nil, allow: String? = nil) {
    self.error = error
    self.detail = detail ?? error.standardDetail
    self.retryAfter = retryAfter
    self.allow = allow
  }

  package var status: Int { error.status }

  /// For `www-authenticate`, which a 401 must carry (RFC 9110 §15.5.2).
  package var challenge: StaticString? { status == 401 ? "Bearer" : nil }

  /// `{"error":"…","detail":"…"}`
  package var body: [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("error")
    writer.string(error.rawValue)
    writer.key("detail")
    writer.string(detail)
    writer.endObject()
    return writer.bytes
  }
}

extension DeviceRefusal {
  package init(registering refusal: Ledger.RegistrationRefusal) {
    switch refusal {
    case .tokenInUse: self.init(.tokenInUse)
    case .tooManyApps(let limit): self.init(.tooManyApps, "a device has at most \(limit) apps")
    case .tooManyWidgets(let limit): self.init(.tooManyWidgets, "a registration has at most \(limit) widgets")
    }
  }

  /// - Parameter refusal: what the ledger said to a device that switches developer mode on for itself.
  package init(developerMode refusal: Ledger.DeveloperModeRefusal) {
    switch refusal {
    case .forbidden: self.init(.developerModeForbidden, "developer mode is forbidden on this gateway")
    case .switchForbidden: self.init(.developerModeForbidden)
    case .tooLong(let longest):
      self.init(.developerModeForbidden, "developer mode lasts at most \(longest / 1000) seconds")
    case .tooOften(let wait): self.init(.developerModeLimit, retryAfter: wait)
    // It left between its request and the ledger's turn; the other two are about apps.
    case .unknownDevice, .unknownApp, .productionOnly: self.init(.badCredential)
    }
  }
}
