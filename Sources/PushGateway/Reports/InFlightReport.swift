/// A hand-over without a receipt.
public struct InFlightReport: Codable, Sendable, Equatable {
  /// `<epoch>-<sequence>`.
  public var eventID: String
  public var apnsID: String

  public init(eventID: String, apnsID: String) {
    self.eventID = eventID
    self.apnsID = apnsID
  }

  private enum CodingKeys: String, CodingKey {
    case eventID = "event"
    case apnsID = "apns-id"
  }
}
