/// Names one device, in its own paths and in the operator's. Made by the gateway at enrolment, lower case.
package struct DeviceID: Hashable, Sendable, CustomStringConvertible {
  package var uuid: CanonicalUUID
  package init(_ uuid: CanonicalUUID) { self.uuid = uuid }
  package var description: String { uuid.description }
}
