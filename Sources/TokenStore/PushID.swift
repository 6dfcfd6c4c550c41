/// `apns-id`: names one push. What a client sends comes back in its spelling; what the gateway makes is upper case.
package struct PushID: Hashable, Sendable, CustomStringConvertible {
  package var uuid: CanonicalUUID
  package init(_ uuid: CanonicalUUID) { self.uuid = uuid }
  package var description: String { uuid.description }
}
