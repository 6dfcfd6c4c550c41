/// What `PUT /v1/developer-mode` bears.
public struct DeveloperModeRequest: Codable, Sendable, Equatable {
  /// A bundle ID; exactly one of `app` and `device` is there.
  public var app: String?
  public var device: String?
  public var seconds: Int
  public var who: String
  public var why: String

  public init(app: String? = nil, device: String? = nil, seconds: Int, who: String, why: String) {
    self.app = app
    self.device = device
    self.seconds = seconds
    self.who = who
    self.why = why
  }

  /// Throws an error that names the key also for `1.5` and `1e30`, of which a decoder says only that they are no `Int`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    device = try container.decodeIfPresent(String.self, forKey: .device)
    guard let seconds = Int(exactly: try container.decode(Double.self, forKey: .seconds)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .seconds, in: container, debugDescription: "must be a whole number")
    }
    self.seconds = seconds
    who = try container.decode(String.self, forKey: .who)
    why = try container.decode(String.self, forKey: .why)
  }
}
