import CSystemd
import GatewayCore
import Glibc

/// systemd's journal, with the fields as fields (systemd.journal-fields(7)).
enum SystemJournal {
  /// `sd_journal_sendv` says nothing when no journal listens, so that has to be asked first.
  static var isPresent: Bool { access("/run/systemd/journal/socket", W_OK) == 0 }

  static func send(
    _ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)]
  ) {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for entry in entries(level, message, fields) {
      bytes += entry.utf8
      ends.append(bytes.count)
    }
    bytes.withUnsafeMutableBytes { buffer in
      var start = 0
      let vectors = ends.map { end in
        defer { start = end }
        return iovec(iov_base: buffer.baseAddress.map { $0 + start }, iov_len: end - start)
      }
      _ = sd_journal_sendv(vectors, Int32(vectors.count))
    }
  }

  /// `NAME=value`, where the value may hold anything: the journal's own protocol counts it.
  static func entries(
    _ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)]
  ) -> [String] {
    ["MESSAGE=\(message)", "PRIORITY=\(priority(level))", "SYSLOG_IDENTIFIER=gatewayd"]
      + fields.map { "GATEWAYD_\($0.rawValue.uppercased())=\($1)" }
  }

  private static func priority(_ level: GatewayConfiguration.LogLevel) -> Int32 {
    switch level {
    case .debug: LOG_DEBUG
    case .info: LOG_INFO
    case .warning: LOG_WARNING
    case .error: LOG_ERR
    }
  }
}
