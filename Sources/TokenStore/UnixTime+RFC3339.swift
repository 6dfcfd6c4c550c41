extension UnixTime {
  /// `2026-03-01T09:30:00Z`, with three decimals when the time is no whole second (RFC 3339 §5.6). Years that four
  /// digits cannot write become the first or last instant that they can.
  package var rfc3339: String {
    let clamped = min(max(milliseconds, Self.firstWritable), Self.lastWritable)
    let day = clamped.quotient(flooredBy: Self.millisecondsPerDay)
    let time = clamped - day * Self.millisecondsPerDay
    let date = CivilDate(daysSince1970: day)

    var text: [UInt8] = []
    text.reserveCapacity(24)
    text.append(date.year, digits: 4)
    text.append(UInt8(ascii: "-"))
    text.append(date.month, digits: 2)
    text.append(UInt8(ascii: "-"))
    text.append(date.day, digits: 2)
    text.append(UInt8(ascii: "T"))
    text.append(time / 3_600_000, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(time / 60_000 % 60, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(time / 1000 % 60, digits: 2)
    if time % 1000 != 0 {
      text.append(UInt8(ascii: "."))
      text.append(time % 1000, digits: 3)
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The whole second at or after this time: what happens "by then" has happened.
  package var roundedUpToSecond: UnixTime {
    let rest = milliseconds - milliseconds.quotient(flooredBy: 1000) * 1000
    guard rest != 0 else { return self }
    let (sum, overflow) = milliseconds.addingReportingOverflow(1000 - rest)
    return overflow ? self : UnixTime(milliseconds: sum)
  }

  private static let millisecondsPerDay: Int64 = 86_400_000
  /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z.
  private static let firstWritable: Int64 = -719_528 * millisecondsPerDay
  private static let lastWritable: Int64 = 2_932_897 * millisecondsPerDay - 1
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
  var year: Int64
  var month: Int64
  var day: Int64

  /// Counts years from the first of March, so that a leap day is the last of its year and months need no table: from
  /// March on, the day on which month m begins is (153 m + 2) / 5.
  init(daysSince1970: Int64) {
    let sinceMarch0 = daysSince1970 + 719_468
    let cycle = sinceMarch0.quotient(flooredBy: 146_097)
    let dayOfCycle = sinceMarch0 - cycle * 146_097
    // Takes out the leap days before `dayOfCycle`: one in 4 years, none in 100, one in 400.
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }
}

extension Int64 {
  fileprivate func quotient(flooredBy divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: Int64, digits: Int) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}
