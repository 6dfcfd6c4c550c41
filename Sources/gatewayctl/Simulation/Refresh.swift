/// The data of a `refresh` event, as far as the simulator shows it.
struct Refresh: Decodable {
  struct Widget: Decodable {
    let kind: String
    let family: String
    let configuration: String?
  }

  let apnsID: String
  let app: String
  let widgets: [Widget]

  private enum CodingKeys: String, CodingKey {
    case apnsID = "apns-id"
    case app, widgets
  }
}
