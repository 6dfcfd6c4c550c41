import Foundation
import Testing
import TokenStore

/// Protects every date that a device or an operator reads.
@Suite("RFC 3339 dates") struct RFC3339Tests {
  @Test(
    "Known instants are written as they should",
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (1, "1970-01-01T00:00:00.001Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"),
      (951_868_800_000, "2000-03-01T00:00:00Z"),
      (1_772_357_400_250, "2026-03-01T09:30:00.250Z"),
      (4_107_456_000_000, "2100-02-28T00:00:00Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
      (Int64.max, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
      (Int64.min, "0000-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func known(milliseconds: Int64, expected: String) {
    #expect(UnixTime(milliseconds: milliseconds).rfc3339 == expected)
  }

  @Test("Every day of one whole cycle of leap years, and then some, is written as Foundation's calendar has it")
  func everyDay() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for day in stride(from: Int64(-10_000), to: 140_000, by: 1) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86400))
      let text = UnixTime(seconds: day * 86400 + 86399).rfc3339
      let expected = [parts.year, parts.month, parts.day].map { Int64($0 ?? -1) }
      let written = text.prefix(10).split(separator: "-").map { Int64($0) ?? -2 }
      guard written == expected, text.hasSuffix("T23:59:59Z") else {
        Issue.record("day \(day): \(text) is not \(expected)")
        return
      }
    }
  }

  @Test(
    "Rounding up reaches the next whole second and never passes it",
    arguments: [
      (0, 0), (1, 1000), (999, 1000), (1000, 1000), (1001, 2000), (-1, 0), (-1000, -1000), (-1001, -1000),
      (Int64.max, Int64.max),
    ] as [(Int64, Int64)])
  func rounding(milliseconds: Int64, expected: Int64) {
    #expect(UnixTime(milliseconds: milliseconds).roundedUpToSecond.milliseconds == expected)
  }
}
