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
