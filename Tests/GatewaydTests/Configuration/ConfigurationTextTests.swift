import GatewayCore
import Testing

@testable import ConfigurationFile

/// Protects the small notations of the configuration: durations and addresses.
@Suite("Configuration notations") struct ConfigurationTextTests {
  @Test(
    "Durations are a whole number and one unit",
    arguments: [
      ("0s", 0), ("500ms", 500), ("25s", 25_000), ("10m", 600_000), ("8h", 28_800_000), ("30d", 2_592_000_000),
      ("", nil), ("s", nil), ("5", nil), ("5 s", nil), ("-5s", nil), ("1.5h", nil), ("1h30m", nil), ("5S", nil),
      ("٥s", nil), ("9223372036854775807d", nil), ("99999999999999999999s", nil),
    ] as [(String, Int64?)])
  func durations(text: String, milliseconds: Int64?) {
    #expect(DurationText.milliseconds(text) == milliseconds)
  }

  @Test(
    "A duration is written in its largest whole unit",
    arguments: [
      (0, "0s"), (1, "1ms"), (1500, "1500ms"), (90_000, "90s"), (3_600_000, "1h"), (86_400_000, "1d"),
    ] as [(Int64, String)])
  func durationTexts(milliseconds: Int64, text: String) {
    #expect(DurationText.text(milliseconds) == text)
    #expect(DurationText.milliseconds(text) == milliseconds)
  }

  @Test(
    "Addresses are numeric and come out in their shortest form",
    arguments: [
      ("[::]:2197", "[::]:2197"), ("[0:0:0::1]:0", "[::1]:0"), ("127.0.0.1:65535", "127.0.0.1:65535"),
      ("unix:/run/x.sock", "unix:/run/x.sock"), ("unix:x.sock", "unix:x.sock"),
      ("", nil), ("localhost:1", nil), (":2197", nil), ("*:2197", nil), ("::1:2197", nil), ("127.0.0.1", nil),
      ("127.0.0.1:", nil), ("127.0.0.1:65536", nil), ("127.0.0.1:+5", nil), ("127.0.0.1: 5", nil), ("unix:", nil),
      ("unix:a\0b", nil), ("[127.0.0.1]:1", nil), ("[::1:1", nil), ("0127.0.0.1:1", nil), ("[fe80::1%lo]:1", nil),
    ] as [(String, String?)])
  func addresses(text: String, expected: String?) {
    #expect(ListenAddress(text: text)?.description == expected)
  }
}
