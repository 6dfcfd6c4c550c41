import TokenStore

/// The values that several answers of the device listener share.
extension JSONTextWriter {
  /// `kind`, `family` and `configuration`, within an object.
  mutating func members(of widget: Widget) {
    key("kind")
    string(widget.kind)
    key("family")
    string(widget.family.rawValue)
    key("configuration")
    if let configuration = widget.configuration { string(configuration) } else { null() }
  }

  mutating func uuid(_ uuid: CanonicalUUID) {
    withUnsafeTemporaryAllocation(byteCount: CanonicalUUID.textCount, alignment: 1) { text in
      uuid.write(to: text)
      string(utf8: UnsafeRawBufferPointer(text))
    }
  }

  mutating func time(_ time: UnixTime?) {
    if let time { string(time.rfc3339) } else { null() }
  }
}
