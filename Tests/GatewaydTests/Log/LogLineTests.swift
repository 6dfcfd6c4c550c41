import Foundation
import GatewayCore
import Testing
import TokenStore

@testable import gatewayd

/// Protects the log from what peers send: an event is one line, and nothing in it acts on a terminal or a parser.
@Suite("Log line") struct LogLineTests {
  private static let time = UnixTime(milliseconds: 1_772_357_400_250)

  private func line(_ message: String, _ fields: (LogKey, String)...) -> LogLine {
    LogLine(time: Self.time, level: .warning, message: message, fields: fields)
  }

  @Test("Text has time, level, message and fields, quoted where they need it") func text() {
    #expect(
      line("listening", (.address, "[::]:2197"), (.why, "two words"), (.who, ""), (.app, "a=b")).text
        == #"2026-03-01T09:30:00.250Z warning listening address=[::]:2197 why="two words" who="" app="a=b""#)
  }

  @Test(
    "JSON is an object that any parser takes back",
    arguments: [
      "plain", "quote \" backslash \\", "line\nbreak\r", "nul \0", "escape \u{1B}[2J", "csi \u{9B}2J",
      "rtl \u{202E}abc",
      "separator \u{2028}", "tag \u{E0001}", "✓ ☕️",
    ])
  func json(value: String) throws {
    let text = line(value, (.who, value)).json
    #expect(!text.contains { $0.isNewline })
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
    #expect(
      object == ["time": "2026-03-01T09:30:00.250Z", "level": "warning", "message": value, "who": value])
  }

  @Test(
    "No control or direction character stands in any line",
    arguments: [
      "\n", "\r", "\0", "\u{1B}]0;x\u{07}", "\u{7F}", "\u{85}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{2028}",
      "\u{FEFF}",
    ])
  func controls(value: String) {
    let event = line("m" + value, (.who, "w" + value))
    for text in [event.text, event.json] {
      #expect(
        !text.unicodeScalars.contains { scalar in
          [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        })
      #expect(text.contains("\\u"))
    }
  }

  @Test("A long value is cut") func long() {
    let text = line("m", (.why, String(repeating: "x", count: 5000))).text
    #expect(text.count < LogLine.maximumCount + 100)
    #expect(text.hasSuffix("x…"))
  }

  @Test("The journal gets its fields by name, and the message as it is") func journal() {
    #expect(
      SystemJournal.entries(.error, "two\nlines", [(.app, "com.example.caffeine")]) == [
        "MESSAGE=two\nlines", "PRIORITY=3", "SYSLOG_IDENTIFIER=gatewayd", "GATEWAYD_APP=com.example.caffeine",
      ])
  }
}
