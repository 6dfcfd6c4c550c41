/// The removal of registrations whose devices have been silent for long.
public struct SweepRequest: Codable, Sendable, Equatable {
  /// At least a day.
  public var olderThanSeconds: Int
  /// Only the registrations of this bundle ID.
  public var app: String?
  /// Counts, and removes nothing.
  public var dryRun: Bool
  /// For the audit.
  public var who: String

  public init(olderThanSeconds: Int, app: String? = nil, dryRun: Bool = false, who: String) {
    self.olderThanSeconds = olderThanSeconds
    self.app = app
    self.dryRun = dryRun
    self.who = who
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    olderThanSeconds = try container.decodeWholeNumber(forKey: .olderThanSeconds)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    dryRun = try container.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    who = try container.decode(String.self, forKey: .who)
  }
}
