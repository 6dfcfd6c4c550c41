import GatewayCore
import TokenStore

/// One event as text for standard error, of one line whatever stands in it.
struct LogLine: Sendable {
  let time: UnixTime
  let level: GatewayConfiguration.LogLevel
  let message: String
  let fields: [(LogKey, String)]

  /// What it takes in memory, roughly.
  var byteCount: Int { fields.reduce(message.utf8.count + 128) { $0 + $1.1.utf8.count + 32 } }

  /// Characters of one value; what is longer is cut, for a value may come from a peer.
  static let maximumCount = 1000

  /// `2026-03-01T09:30:00.250Z warning message key=value key="two words"`.
  var text: String {
    var line = "\(time.rfc3339) \(level.rawValue) \(Self.escaped(message, as: .text))"
    for (key, value) in fields {
      line += " \(key.rawValue)="
      let shown = Self.escaped(value, as: .text)
      let isPlain = !shown.isEmpty && !shown.contains { " =\"".contains($0) }
      line += isPlain ? shown : "\"\(shown)\""
    }
    return line
  }

  /// `{"time":"…","level":"warning","message":"…","key":"value"}`.
  var json: String {
    var line = "{\"time\":\"\(time.rfc3339)\",\"level\":\"\(level.rawValue)\","
    line += "\"message\":\"\(Self.escaped(message, as: .json))\""
    for (key, value) in fields { line += ",\"\(key.rawValue)\":\"\(Self.escaped(value, as: .json))\"" }
    return line + "}"
  }

  private enum Notation { case text, json }

  /// Nothing that begins a line, moves a cursor or turns the direction of writing gets through.
  private static func escaped(_ value: String, as notation: Notation) -> String {
    var shown = ""
    for (count, scalar) in value.unicodeScalars.enumerated() {
      if count == maximumCount {
        shown += "…"
        break
      }
      switch scalar {
      case "\\": shown += "\\\\"
      case "\"": shown += "\\\""
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        default: shown.unicodeScalars.append(scalar)
        }
      }
    }
    return shown
  }
}
