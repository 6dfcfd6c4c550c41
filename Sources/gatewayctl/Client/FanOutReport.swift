import CommandLineInterface

/// A fan-out as the gateway tells it (docs/http-api.md, "Fan-outs"). All counts but `percent` are widgets.
struct FanOutReport: Codable, Equatable {
  enum State: String, Codable { case running, done, cancelled }

  var id: String
  var apnsID: String
  var app: String
  var environment: String
  var state: State
  var percent: Int
  var matched: Int
  var marked: Int
  var skipped: Int
  var sent: Int
  var received: Int
  var deferred: Int
  var dropped: Int
  var superseded: Int
  var expired: Int
  var removed: Int

  private enum CodingKeys: String, CodingKey {
    case id, app, environment, state, percent, matched, marked, skipped, sent, received, deferred, dropped, superseded,
      expired, removed
    case apnsID = "apns-id"
  }

  /// A bar of a fixed width and what it stands for, on one line.
  var progressLine: String {
    let width = 30
    let full = max(0, min(width, percent * width / 100))
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    return "[\(bar)] \(percent)%  \(marked) marked, \(sent) sent, \(deferred) waiting"
  }

  func text(style: Style) -> String {
    var table = Table([
      .init("STATE"), .number("MATCHED"), .number("MARKED"), .number("SKIPPED"), .number("SENT"), .number("RECEIVED"),
      .number("DEFERRED"), .number("DROPPED"), .number("SUPERSEDED"), .number("EXPIRED"), .number("REMOVED"),
    ])
    table.add(
      [state.rawValue]
        + [matched, marked, skipped, sent, received, deferred, dropped, superseded, expired, removed].map { String($0) }
    )
    return "fan-out \(id) to \(app) (\(environment)), apns-id \(apnsID)\n" + table.text(style: style)
  }
}
