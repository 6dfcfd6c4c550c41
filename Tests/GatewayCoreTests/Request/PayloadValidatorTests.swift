import GatewayCore
import Testing

/// Protects the rule of what a widget push says, and that a refused sender learns what to change.
@Suite("Payload validator") struct PayloadValidatorTests {
  private let strict = PayloadValidator(strictness: .strict)
  private let lenient = PayloadValidator(strictness: .lenient)

  private func judge(_ text: String, with validator: PayloadValidator) -> Result<PayloadAcceptance, PayloadFault> {
    withBytes(text) { bytes in Result { () throws(PayloadFault) in try validator.validate(bytes) } }
  }

  @Test("The payload of Apple's sample is accepted and costs nothing to keep")
  func usual() {
    #expect(judge(#"{"aps":{"content-changed":true}}"#, with: strict) == .success(.init(isUsual: true)))
  }

  @Test(
    "Other ways to say content-changed are accepted and kept",
    arguments: [
      #" { "aps" : { "content-changed" : true } } "#,
      "{\r\n\t\"aps\":{\"content-changed\":true}\n}\n",
      #"{"aps":{"content-changed":true},"name":"espresso","n":[1,-0.5e+3,{"deep":[[]]}]}"#,
      #"{"a\u0070s":{"content\u002Dchanged":true}}"#,
      #"{"aps":{"content-available":1,"content-changed":true}}"#,
      #"{"aps":{"alert":"hi"},"aps":{"content-changed":true}}"#,
      #"{"aps":{"content-changed":false,"content-changed":true}}"#,
      #"{"content-changed":false,"aps":{"content-changed":true}}"#,
      #"{"aps":{"content-changed":true},"text":"ä€😀\ud83d\ude00\"\\\/\b\f\n\r\t"}"#,
      #"{"":0,"aps":{"":null,"content-changed":true}}"#,
    ])
  func accepted(payload: String) {
    #expect(judge(payload, with: strict) == .success(.init(isUsual: false)))
    #expect(judge(payload, with: lenient) == .success(.init(isUsual: false)))
  }

  @Test(
    "A JSON object that does not say content-changed is refused, with what is wrong; lenient takes it and says the same",
    arguments: [
      (#"{}"#, PayloadFault.apsMissing),
      (#"{"APS":{"content-changed":true}}"#, .apsMissing),
      (#"{"data":{"content-changed":true}}"#, .apsMissing),
      (#"{"content-changed":true}"#, .keyOutsideAps),
      (#"{"aps":{},"content-changed":true}"#, .keyOutsideAps),
      (#"{"aps":{"content-changed":true},"aps":{}}"#, .keyMissing),
      (#"{"aps":{"content-changed":true},"aps":1}"#, .apsNotAnObject),
      (#"{"aps":[{"content-changed":true}]}"#, .apsNotAnObject),
      (#"{"aps":null}"#, .apsNotAnObject),
      (#"{"aps":{"alert":"hello"}}"#, .keyMissing),
      (#"{"aps":{"x":{"content-changed":true}}}"#, .keyMissing),
      (#"{"aps":{"content-available":1}}"#, .contentAvailable),
      (#"{"aps":{"content-changed":true},"aps":{"content-available":1}}"#, .contentAvailable),
      (#"{"aps":{"content_changed":true}}"#, .keyMisspelled),
      (#"{"aps":{"contentChanged":true}}"#, .keyMisspelled),
      (#"{"aps":{"Content-Changed":true}}"#, .keyMisspelled),
      (#"{"aps":{"content-change":true}}"#, .keyMisspelled),
      (#"{"aps":{"content-changed":1}}"#, .wrongValue(.one)),
      (#"{"aps":{"content-changed":1.0}}"#, .wrongValue(.number)),
      (#"{"aps":{"content-changed":"true"}}"#, .wrongValue(.quotedTrue)),
      (#"{"aps":{"content-changed":"yes"}}"#, .wrongValue(.text)),
      (#"{"aps":{"content-changed":false}}"#, .wrongValue(.no)),
      (#"{"aps":{"content-changed":null}}"#, .wrongValue(.null)),
      (#"{"aps":{"content-changed":[true]}}"#, .wrongValue(.array)),
      (#"{"aps":{"content-changed":{}}}"#, .wrongValue(.object)),
      (#"{"aps":{"content-changed":true,"content-changed":1}}"#, .wrongValue(.one)),
    ])
  func wrongMeaning(payload: String, fault: PayloadFault) {
    #expect(judge(payload, with: strict) == .failure(fault))
    #expect(fault.reason == .payloadEmpty)
    #expect(judge(payload, with: lenient) == .success(.init(isUsual: false, objection: fault)))
  }

  @Test(
    "What is not JSON is refused in both modes, with the kind and the offset of the fault",
    arguments: [
      (" ", JSONFault(.unexpectedEnd, at: 1)),
      ("{", .init(.unexpectedEnd, at: 1)),
      (#"{"aps"#, .init(.unexpectedEnd, at: 5)),
      (#"{"aps""#, .init(.unexpectedEnd, at: 6)),
      (#"{"aps":"#, .init(.unexpectedEnd, at: 7)),
      (#"{"aps":{"#, .init(.unexpectedEnd, at: 8)),
      (#"{"aps":{"content-changed":true}"#, .init(.unexpectedEnd, at: 31)),
      (#"{"aps":{"content-changed":true},}"#, .init(.trailingComma, at: 31)),
      (#"{"aps":{"content-changed":true ,  }}"#, .init(.trailingComma, at: 31)),
      (#"{"a":[1,]}"#, .init(.trailingComma, at: 7)),
      (#"{"aps":{"content-changed":true}}}"#, .init(.trailingContent, at: 32)),
      (#"{"aps":{"content-changed":true}} x"#, .init(.trailingContent, at: 33)),
      (#"{"aps":{"content-changed":True}}"#, .init(.expectedValue, at: 26)),
      (#"{"aps":{"content-changed":tru}}"#, .init(.badLiteral, at: 26)),
      (#"{"aps":{"content-changed":nul"#, .init(.badLiteral, at: 26)),
      (#"{"aps":{"content-changed":}}"#, .init(.expectedValue, at: 26)),
      (#"{'aps':{}}"#, .init(.expectedKey, at: 1)),
      (#"{aps:{}}"#, .init(.expectedKey, at: 1)),
      (#"{,}"#, .init(.expectedKey, at: 1)),
      (#"{"aps"{}}"#, .init(.expectedColon, at: 6)),
      (#"{"aps":{} "x":1}"#, .init(.expectedCommaOrEnd, at: 10)),
      (#"{"a":[1 2]}"#, .init(.expectedCommaOrEnd, at: 8)),
      (#"{"a":[1}"#, .init(.expectedCommaOrEnd, at: 7)),
      (#"{"a":{"b":1]}"#, .init(.expectedCommaOrEnd, at: 11)),
      (#"{"a":01}"#, .init(.badNumber, at: 5)),
      (#"{"a":-}"#, .init(.badNumber, at: 5)),
      (#"{"a":1.}"#, .init(.badNumber, at: 5)),
      (#"{"a":1e}"#, .init(.badNumber, at: 5)),
      (#"{"a":1e+}"#, .init(.badNumber, at: 5)),
      (#"{"a":.5}"#, .init(.expectedValue, at: 5)),
      (#"{"a":+1}"#, .init(.expectedValue, at: 5)),
      (#"{"a":NaN}"#, .init(.expectedValue, at: 5)),
      (#"{"a":"\x"}"#, .init(.badEscape, at: 6)),
      (#"{"a":"\u12G4"}"#, .init(.badEscape, at: 6)),
      (#"{"a":"\ud800"}"#, .init(.loneSurrogate, at: 6)),
      (#"{"a":"\ud800\u0041"}"#, .init(.loneSurrogate, at: 6)),
      (#"{"a":"\udc00"}"#, .init(.loneSurrogate, at: 6)),
      ("{\"a\":\"b\nc\"}", .init(.controlCharacter, at: 7)),
      ("{\"a\":\"long text before it \u{0}\"}", .init(.controlCharacter, at: 26)),
      ("\u{FEFF}{\"aps\":{\"content-changed\":true}}", .init(.byteOrderMark, at: 0)),
      ("content-changed", .init(.expectedValue, at: 0)),
      ("\u{B}{}", .init(.expectedValue, at: 0)),
      (#"{"a":1}/* */"#, .init(.trailingContent, at: 7)),
    ])
  func notJSON(payload: String, fault: JSONFault) {
    #expect(judge(payload, with: strict) == .failure(.notJSON(fault)))
    #expect(judge(payload, with: lenient) == .failure(.notJSON(fault)))
  }

  @Test(
    "UTF-8 is checked as strictly as RFC 3629 says",
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xC3], [0xC3, 0x28], [0xE2, 0x82],
      [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func badUTF8(sequence: [UInt8]) {
    let head = Array(#"{"aps":{"content-changed":true},"x":"12345"#.utf8)
    let bytes = head + sequence + Array(#""}"#.utf8)
    let result = bytes.withUnsafeBytes { body in
      Result { () throws(PayloadFault) in try strict.validate(body) }
    }
    #expect(result == .failure(.notJSON(JSONFault(.notUTF8, at: head.count))))
  }

  @Test("A JSON value that is no object is refused in both modes", arguments: ["[]", "true", "\"aps\"", "1", "null"])
  func notAnObject(payload: String) {
    #expect(judge(payload, with: strict) == .failure(.notAnObject))
    #expect(judge(payload, with: lenient) == .failure(.notAnObject))
  }

  @Test("No body at all is refused in both modes")
  func empty() {
    #expect(judge("", with: strict) == .failure(.empty))
    #expect(judge("", with: lenient) == .failure(.empty))
  }

  @Test("4096 bytes pass, 4097 are too large")
  func size() {
    let frame = #"{"aps":{"content-changed":true},"x":""}"#
    let filling = String(repeating: "x", count: 4096 - frame.utf8.count)
    let full = frame.dropLast(2) + filling + #""}"#
    #expect(judge(String(full), with: strict) == .success(.init(isUsual: false)))
    #expect(judge(full + " ", with: lenient) == .failure(.tooLarge))
    #expect(PayloadFault.tooLarge.reason == .payloadTooLarge)
  }

  @Test("64 levels of nesting pass, 65 do not", arguments: ["[]", "{}"])
  func depth(brackets: String) {
    let isObject = brackets == "{}"
    func nested(_ levels: Int) -> String {
      let open = isObject ? #"{"k":"# : "["
      let inner = levels - 2
      return #"{"aps":{"content-changed":true},"x":"# + String(repeating: open, count: inner)
        + (isObject ? "{}" : "[]") + String(repeating: isObject ? "}" : "]", count: inner) + "}"
    }
    #expect(judge(nested(64), with: strict) == .success(.init(isUsual: false)))
    guard case .failure(.notJSON(let fault)) = judge(nested(65), with: strict) else {
      Issue.record("65 levels were accepted")
      return
    }
    #expect(fault.kind == .tooDeep)
  }

  @Test("A special byte is found wherever it stands in a word", arguments: 0..<24)
  func alignment(position: Int) {
    let before = String(repeating: "x", count: position)
    let after = String(repeating: "y", count: 24 - position)
    let start = #"{"aps":{"content-changed":true},"x":""#
    #expect(judge(start + before + "\\n" + after + "\"}", with: strict) == .success(.init(isUsual: false)))
    #expect(judge(start + before + "€" + after + "\"}", with: strict) == .success(.init(isUsual: false)))
    #expect(
      judge(start + before + "\u{1F}" + after + "\"}", with: strict)
        == .failure(.notJSON(JSONFault(.controlCharacter, at: start.utf8.count + position))))
  }

  @Test("Each fault says something of its own, and says it in a body of 512 bytes")
  func details() {
    var faults: [PayloadFault] = [
      .empty, .tooLarge, .notAnObject, .apsMissing, .apsNotAnObject, .keyMissing, .keyOutsideAps, .contentAvailable,
      .keyMisspelled,
    ]
    faults += JSONFault.Kind.allCases.map { .notJSON(JSONFault($0, at: 4095)) }
    faults += ([.no, .one, .number, .quotedTrue, .text, .null, .array, .object] as [PayloadFault.WrongValue]).map {
      .wrongValue($0)
    }
    #expect(Set(faults.map(\.detail)).count == faults.count)
    for fault in faults {
      #expect(Refusal(fault.reason, fault.detail).body.count < 300)
    }
  }
}
