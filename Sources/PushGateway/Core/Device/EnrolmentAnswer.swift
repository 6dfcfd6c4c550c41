package import TokenStore

/// Hands out a device's key: 201 to an enrolment, 200 to a change of key.
package struct EnrolmentAnswer: Sendable {
  package var device: DeviceID
  package var key: DeviceKey

  package init(device: DeviceID, key: DeviceKey) {
    self.device = device
    self.key = key
  }

  /// Holds the key: for the device's eyes only, never for a log.
  package var body: [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("device")
    writer.uuid(device.uuid)
    writer.key("key")
    writer.string(key.revealedText)
    writer.endObject()
    return writer.bytes
  }
}
