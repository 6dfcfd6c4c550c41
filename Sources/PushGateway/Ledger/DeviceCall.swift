import GatewayCore
import TokenStore

/// A request of the device listener whose path and credential can be read.
struct DeviceCall: Sendable {
  enum Caller: Sendable {
    /// - host: where it comes from, without the port.
    case enrolling(DeviceScope, host: String)
    case device(DeviceID, keyHash: [UInt8])
  }

  enum Body: Sendable {
    case whole([UInt8])
    /// Longer than any request's. Who may not ask at all is told that first.
    case tooLong

    var byteCount: Int { if case .whole(let bytes) = self { bytes.count } else { 0 } }
  }

  var place: RequestPlace
  var route: DeviceRoute
  var caller: Caller
  var body: Body
  var lastEventID: [UInt8]?
}
