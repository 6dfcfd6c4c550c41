import Foundation
import GatewayReports
import Testing

/// Protects the one form of time in the admin API.
@Suite("Report time") struct ReportTimeTests {
  @Test(
    "Instants are written as RFC 3339 in UTC with milliseconds, and read back",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_796_007_662_123, "2026-11-30T03:01:02.123Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]) func text(milliseconds: Int64, text: String) throws
  {
    #expect(ReportTime(milliseconds: milliseconds).description == text)
    #expect(ReportTime(text)?.milliseconds == milliseconds)
    let json = try JSONEncoder().encode([ReportTime(milliseconds: milliseconds)])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
  }

  @Test("It agrees with Foundation's calendar over four centuries") func calendar() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for step in stride(from: Int64(-80_000), through: 80_000, by: 37) {
      // Multiples of 125 ms, which a Double holds exactly.
      let milliseconds = step * 86_400_000 + step * 1009 * 125
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      #expect(ReportTime(milliseconds: milliseconds).description == date.formatted(style))
    }
  }

  @Test(
    "Other texts are not times",
    arguments: [
      "", "2026-11-30", "2026-02-30T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-11-30T24:00:00.000Z",
      "2026-11-30T03:01:02Z", "2026-11-30t03:01:02.123Z", "2026-11-30T03:01:02.123+00:00", "２026-11-30T03:01:02.123Z",
    ]) func refused(text: String)
  {
    #expect(ReportTime(text) == nil)
  }
}
