/// An instant as the admin API writes it: RFC 3339 text in UTC with milliseconds, `2026-11-30T03:01:02.123Z`.
public struct ReportTime: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// Since 1970-01-01 UTC.
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// nil unless the text is of exactly the form that ``description`` writes.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00T00:00:00.000Z".utf8)
    guard bytes.count == pattern.count else { return nil }
    var numbers = [Int64(0)]
    for (byte, expected) in zip(bytes, pattern) {
      if expected == UInt8(ascii: "0") {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
      } else {
        guard byte == expected else { return nil }
        numbers.append(0)
      }
    }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    guard numbers[3] < 24, numbers[4] < 60, numbers[5] < 60 else { return nil }
    let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    milliseconds = (Self.days(year: year, month: month, day: day) * 86_400 + seconds) * 1000 + numbers[6]
    // Days that a month does not have come out as another date.
    guard description == text else { return nil }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected RFC 3339 in UTC, not \(text)")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  public var description: String {
    let (days, time) = milliseconds.flooredQuotientAndRemainder(by: 86_400_000)
    let (year, month, day) = Self.date(days: days)
    let second = time / 1000
    return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
      + Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":" + Self.padded(second % 60, 2)
      + "." + Self.padded(time % 1000, 3) + "Z"
  }

  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // The Gregorian calendar repeats every 400 years (an era of 146 097 days). Counted from 1 March, so that the leap
  // day comes last, the months before month m have (153 m + 2) / 5 days.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  /// Division that rounds down, so that instants before 1970 fall into the right day.
  fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
