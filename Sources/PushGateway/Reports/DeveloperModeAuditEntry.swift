/// One line of the append-only record of what operators and device switches did; `GET /v1/developer-mode/audit`.
public struct DeveloperModeAuditEntry: Codable, Sendable, Equatable {
  public enum Action: String, Codable, Sendable, CaseIterable {
    case granted
    /// By hand.
    case ended
    /// By time.
    case expired
    /// Budgets of an app on a device were filled by hand.
    case reset
    /// Registrations of silent devices were removed by hand, of one app or of all.
    case swept
  }

  public var time: ReportTime
  public var action: Action
  public var app: String?
  public var device: String?
  /// The end that was granted.
  public var until: ReportTime?
  public var who: String
  public var why: String
  public var by: DeveloperModeSource
  /// Of the process at the other end of the Unix socket.
  public var peerUID: UInt32?

  public init(
    time: ReportTime, action: Action, app: String? = nil, device: String? = nil, until: ReportTime? = nil,
    who: String, why: String, by: DeveloperModeSource, peerUID: UInt32? = nil
  ) {
    self.time = time
    self.action = action
    self.app = app
    self.device = device
    self.until = until
    self.who = who
    self.why = why
    self.by = by
    self.peerUID = peerUID
  }

  private enum CodingKeys: String, CodingKey {
    case time, action, app, device, until, who, why, by
    case peerUID = "peer-uid"
  }
}
