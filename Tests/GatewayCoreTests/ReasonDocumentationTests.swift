import GatewayCore
import Testing

/// Keeps the examples of the table of reasons in `docs/http-api.md` and the code in step: a backend engineer searches
/// there for what he has sent.
@Suite("Documentation of the reasons") struct ReasonDocumentationTests {
  /// Examples that are a story and not a piece of a request; other tests tell them.
  private static let stories: Set<String> = [
    "IdleTimeout", "BadEnvironmentKeyIdInToken", "ExpiredProviderToken", "UnrelatedKeyIdInToken", "Unregistered",
    "PayloadTooLarge", "TooManyProviderTokenUpdates", "TooManyRequests", "ServiceUnavailable", "Shutdown",
    "BadCertificate", "BadCertificateEnvironment",
  ]

  private let section: DocumentSection

  init() throws {
    section = try DocumentSection(ofFile: "docs/http-api.md", titled: "Provider listener")
  }

  /// A right push, broken as an example says.
  private func request(_ example: String) -> PushRequestFixture? {
    var request = PushRequestFixture()
    let spans = example.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    guard spans.count == 3 else { return nil }
    let (before, code, after) = (spans[0], spans[1], spans[2])
    switch (before, after) {
    case ("no ", ""): request.set(code, to: nil)
    case ("", " twice"): request.repeatField(code)
    case ("body ", ""): request.payload = code
    case ("", ""):
      if let colon = code.firstRange(of: ": ") {
        request.set(String(code[..<colon.lowerBound]), to: String(code[colon.upperBound...]))
      } else {
        let words = code.split(separator: " ")
        guard words.count == 2 else { return nil }
        request.set(":method", to: String(words[0]))
        request.set(":path", to: String(words[1]))
      }
    default: return nil
    }
    return request
  }

  @Test("Each example is answered with its reason; those that are stories are known")
  func examples() throws {
    let rows = section.tables(headed: "| status | reason | when |")
    #expect(rows.count == RejectionReason.allCases.count)
    for row in rows where row.count == 5 && row[4] != "–" {
      let reason = row[1].filter { $0 != "`" }
      guard let request = request(row[4]) else {
        #expect(Self.stories.contains(reason), "\(reason): \(row[4])")
        continue
      }
      guard case .failure(let refusal) = try request.judgeWhole() else {
        Issue.record("accepted: \(row[4])")
        continue
      }
      #expect(refusal.reason.rawValue == reason, "\(row[4])")
    }
  }

  @Test("The answer that stands there in full is the answer")
  func answer() throws {
    let start = try #require(section.lines.firstIndex(of: "```json refusal"))
    var request = PushRequestFixture()
    request.payload = #"{"aps":{"content-available":1}}"#
    guard case .failure(let refusal) = request.judge() else {
      Issue.record("accepted")
      return
    }
    #expect(section.lines[start + 1] == String(decoding: refusal.body, as: UTF8.self))
  }

  @Test("The order of checks that stands there is the order of the steps that the fault pairs are made of")
  func order() throws {
    let text = section.lines.joined(separator: " ")
    let start = try #require(text.firstRange(of: "The first failure is the answer: "))
    let end = try #require(text[start.upperBound...].firstRange(of: " · accepted"))
    let words = text[start.upperBound..<end.lowerBound].split(separator: " · ")
    #expect(words.count == PushDefect.Step.allCases.count)
  }
}
