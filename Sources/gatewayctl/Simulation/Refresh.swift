/// The data of a `refresh` event, as far as the simulator shows it.
struct Refresh: Decodable {
  struct Widget: Decodable {
    let kind: String
    let family: String
    let configuration: String?
  }

  /// The payload is the app's business. The simulator understands one member of its own.
  struct Payload: Decodable {
    /// When the push was sent, in milliseconds since 1970, if its sender has written that as `sent`: only then can a
    /// device know how long it took.
    let sent: Double?

    private enum CodingKeys: CodingKey { case sent }

    init(from decoder: any Decoder) throws {
      let container = try? decoder.container(keyedBy: CodingKeys.self)
      sent = try? container?.decode(Double.self, forKey: .sent)
    }
  }

  let apnsID: String
  let app: String
  let widgets: [Widget]
  let payload: Payload?

  private enum CodingKeys: String, CodingKey {
    case apnsID = "apns-id"
    case app, widgets, payload
  }
}
