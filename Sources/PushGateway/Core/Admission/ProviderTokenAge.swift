package import TokenStore

/// How old a provider token may be (Apple: Establishing a token-based connection to APNs): issued within one hour of
/// now. Judged on every request, also for a token that was verified long ago.
package enum ProviderTokenAge {
  package static let maximumSeconds: Int64 = 3600
  /// Apple names no tolerance for clocks that run ahead. A minute covers machines that keep time at all.
  package static let toleratedLeadSeconds: Int64 = 60
  /// A lead beyond this (year 5138) is milliseconds, which is what JavaScript's clock gives.
  private static let firstMillisecondLike: Int64 = 100_000_000_000

  package static func check(issuedAt: Int64, now: UnixTime) throws(Refusal) {
    let (age, overflow) = now.seconds.subtractingReportingOverflow(issuedAt)
    if !overflow, age <= maximumSeconds, age >= -toleratedLeadSeconds { return }
    throw refusal(issuedAt: issuedAt, age: age)
  }

  private static func refusal(issuedAt: Int64, age: Int64) -> Refusal {
    if issuedAt >= firstMillisecondLike {
      return Refusal(.invalidProviderToken, "The JWT's iat looks like milliseconds; it must be UNIX seconds.")
    }
    if age < 0 {
      return Refusal(
        .invalidProviderToken,
        "The JWT's iat lies \(age.magnitude) s in the future (60 s are tolerated); set the clock that signs it.")
    }
    return Refusal(
      .expiredProviderToken, "The JWT was issued \(age) s ago and is good for \(maximumSeconds) s; sign a new one.")
  }
}
