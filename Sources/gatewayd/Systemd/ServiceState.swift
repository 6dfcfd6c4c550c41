/// What a service tells systemd about itself (sd_notify(3)).
enum ServiceState: Equatable, Sendable {
  /// Serves; `status` is for people.
  case ready(status: String)
  case status(String)
  /// Microseconds of CLOCK_MONOTONIC, which systemd wants so that it can tell this reload from an earlier one.
  case reloading(monotonicMicroseconds: UInt64)
  case stopping(status: String)
  case alive

  /// As the socket takes it.
  var message: String {
    switch self {
    case .ready(let status): "READY=1\nSTATUS=\(Self.line(status))"
    case .status(let status): "STATUS=\(Self.line(status))"
    case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
    case .stopping(let status): "STOPPING=1\nSTATUS=\(Self.line(status))"
    case .alive: "WATCHDOG=1"
    }
  }

  /// A line break would begin another assignment.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
