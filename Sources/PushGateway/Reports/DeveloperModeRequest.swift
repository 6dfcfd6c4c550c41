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

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    device = try container.decodeIfPresent(String.self, forKey: .device)
    seconds = try container.decodeWholeNumber(forKey: .seconds)
    who = try container.decode(String.self, forKey: .who)
    why = try container.decode(String.self, forKey: .why)
  }
}
