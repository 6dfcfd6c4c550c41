/// Why a gateway could not start or change: one sentence that names the thing and the mend.
public struct GatewayError: Error, CustomStringConvertible, Sendable {
  public let description: String
  public init(_ description: String) { self.description = description }
}
