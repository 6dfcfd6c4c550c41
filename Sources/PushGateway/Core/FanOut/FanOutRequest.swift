import BudgetThrottle
import TokenStore

/// The body of `POST /v1/apps/<bundleID>/fan-outs`: a payload as a push has it, and which widgets it is for.
package struct FanOutRequest: Equatable, Sendable {
  /// What a body may measure: a whole payload and a list of kinds.
  package static let maximumBodyBytes = 16_384
  private static let maximumKinds = 64

  package static var tooLarge: Refusal {
    Refusal(.payloadTooLarge, "The body has more than \(maximumBodyBytes) bytes; name fewer kinds, and send less.")
  }

  /// nil for the usual payload, which is also what an absent one means.
  package var payload: [UInt8]?
  package var filter: FanOutFilter
  /// What is wrong with the payload, where `checks.payload` is lenient and takes it all the same.
  package var objection: String?

  /// - Throws: 413 for a payload beyond what a push may have; else `PayloadEmpty`, the reason that APNs has for a body
  ///   that says nothing, with a detail that says what is wrong.
  package static func parse(
    _ body: UnsafeRawBufferPointer, validator: PayloadValidator
  ) throws(Refusal) -> FanOutRequest {
    guard !body.isEmpty else {
      throw wrong("The body is empty; send {} to refresh every widget of the app.")
    }
    let parts: Parts
    do throws(JSONFault) {
      parts = try Parts(reading: body)
    } catch {
      throw wrong("The body is not JSON: \(error.description).")
    }
    if let problem = parts.problem { throw wrong(problem) }
    var request = FanOutRequest(payload: nil, filter: try parts.filter(in: body), objection: nil)
    if let range = parts.payload { try request.take(UnsafeRawBufferPointer(rebasing: body[range]), validator) }
    return request
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ validator: PayloadValidator) throws(Refusal) {
    do throws(PayloadFault) {
      let acceptance = try validator.validate(bytes)
      payload = acceptance.isUsual ? nil : Array(bytes)
      objection = acceptance.objection?.detail
    } catch {
      throw Refusal(error.reason, "payload: \(error.detail)")
    }
  }

  fileprivate static func wrong(_ detail: String) -> Refusal { Refusal(.payloadEmpty, detail) }

  /// Where the members stand.
  private struct Parts {
    var payload: Range<Int>?
    var kinds: Range<Int>?
    var families: Range<Int>?
    var platforms: Range<Int>?
    var problem: String?

    init(reading body: UnsafeRawBufferPointer) throws(JSONFault) {
      var scanner = try JSONScanner(body)
      guard try scanner.peekKind() == .object else {
        problem = "The body should be an object with payload, kinds, families and platforms, all of them optional."
        return
      }
      var more = try scanner.enterObject()
      while more {
        let key = try scanner.key()
        let start = scanner.offset
        try scanner.skipValue(depth: 1)
        note(key, start..<scanner.offset, in: body)
        more = try scanner.nextMember()
      }
      try scanner.finish()
    }

    private mutating func note(_ key: JSONText, _ range: Range<Int>, in body: UnsafeRawBufferPointer) {
      let members: [(StaticString, WritableKeyPath<Parts, Range<Int>?>)] = [
        ("payload", \.payload), ("kinds", \.kinds), ("families", \.families), ("platforms", \.platforms),
      ]
      guard let (name, path) = members.first(where: { key.equals($0.0, in: body) }) else {
        problem =
          problem ?? "At byte \(range.lowerBound) stands the value of an unknown key; known are payload, kinds, "
          + "families and platforms."
        return
      }
      if self[keyPath: path] != nil { problem = problem ?? "\(name) comes twice." }
      self[keyPath: path] = range
    }

    func filter(in body: UnsafeRawBufferPointer) throws(Refusal) -> FanOutFilter {
      FanOutFilter(
        kinds: try list("kinds", kinds, in: body, of: "kinds of at most \(Widget.maximumKindBytes) bytes") {
          $0.isEmpty || $0.utf8.count > Widget.maximumKindBytes ? nil : $0
        },
        families: try list("families", families, in: body, of: Self.words(WidgetFamily.allCases)) {
          WidgetFamily(rawValue: $0)
        },
        platforms: try list("platforms", platforms, in: body, of: Self.words(Platform.allCases)) {
          Platform(rawValue: $0)
        })
    }

    private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
      words.map(\.rawValue).joined(separator: ", ")
    }

    private func list<Value>(
      _ name: StaticString, _ range: Range<Int>?, in body: UnsafeRawBufferPointer, of expected: String,
      _ read: (String) -> Value?
    ) throws(Refusal) -> [Value]? {
      guard let range else { return nil }
      let value: JSONValue
      do throws(JSONFault) {
        value = try JSONValue(reading: UnsafeRawBufferPointer(rebasing: body[range]))
      } catch {
        throw wrong("\(name): \(error.description).")
      }
      guard case .array(let elements) = value, (1...FanOutRequest.maximumKinds).contains(elements.count) else {
        throw wrong(
          "\(name) should be an array of 1 to \(FanOutRequest.maximumKinds) texts; leave it out to ask for nothing.")
      }
      var values: [Value] = []
      for element in elements {
        guard case .string(let text) = element, let value = read(text) else {
          throw wrong("\(name) holds something other than \(expected).")
        }
        values.append(value)
      }
      return values
    }
  }
}
