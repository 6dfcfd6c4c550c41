package import TokenStore

/// What a refresh tells its device of the push behind it.
package struct PushContent: Hashable, Sendable {
  package var number: UInt64
  package var id: PushID
  /// The payload's bytes; nil for the usual `{"aps":{"content-changed":true}}`, which then costs nothing.
  package var payload: [UInt8]?

  package init(number: UInt64, id: PushID, payload: [UInt8]?) {
    self.number = number
    self.id = id
    self.payload = payload
  }
}
