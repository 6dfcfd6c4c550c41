/// Judges the body of a widget push: a JSON object whose `aps.content-changed` is `true`, of two equal keys the last
/// one counting, as JSON parsers at large have it.
///
/// Ours and not a library's for its price: a usual body is four comparisons, and of any other it tells the offset of
/// what is wrong.
package struct PayloadValidator: Sendable {
  /// Apple: Generating a remote notification; 4 KB for all but VoIP.
  package static let maximumBytes = 4096
  /// What nearly every widget push says.
  package static let usual: StaticString = #"{"aps":{"content-changed":true}}"#

  private let isLenient: Bool

  package init(strictness: GatewayConfiguration.Checks.Strictness) { isLenient = strictness == .lenient }

  package func validate(_ body: UnsafeRawBufferPointer) throws(PayloadFault) -> PayloadAcceptance {
    let usual = UnsafeRawBufferPointer(start: Self.usual.utf8Start, count: Self.usual.utf8CodeUnitCount)
    if body.hasSameBytes(as: usual) { return PayloadAcceptance(isUsual: true) }
    guard !body.isEmpty else { throw .empty }
    guard body.count <= Self.maximumBytes else { throw .tooLarge }
    let findings: Findings
    do throws(JSONFault) {
      findings = try Findings(reading: body)
    } catch {
      throw .notJSON(error)
    }
    guard let fault = findings.fault else { return PayloadAcceptance(isUsual: false) }
    guard isLenient, fault.concernsMeaningOnly else { throw fault }
    return PayloadAcceptance(isUsual: false, objection: fault)
  }
}

/// What one pass over a body found. Each `aps` begins anew, so the last one counts.
private struct Findings {
  private enum Aps { case missing, notAnObject, object }

  private var isObject = true
  private var aps = Aps.missing
  private var hasTrue = false
  private var wrongValue: PayloadFault.WrongValue?
  private var hasContentAvailable = false
  private var hasLookalike = false
  private var hasKeyOutside = false

  init(reading body: UnsafeRawBufferPointer) throws(JSONFault) {
    var scanner = try JSONScanner(body)
    if try scanner.peekKind() == .object {
      var more = try scanner.enterObject()
      while more {
        let key = try scanner.key()
        if key.equals("aps", in: body) {
          try readAps(&scanner)
        } else {
          if key.equals("content-changed", in: body) { hasKeyOutside = true }
          try scanner.skipValue(depth: 1)
        }
        more = try scanner.nextMember()
      }
    } else {
      isObject = false
      try scanner.skipValue(depth: 0)
    }
    try scanner.finish()
  }

  private mutating func readAps(_ scanner: inout JSONScanner) throws(JSONFault) {
    hasTrue = false
    wrongValue = nil
    hasContentAvailable = false
    hasLookalike = false
    guard try scanner.peekKind() == .object else {
      aps = .notAnObject
      return try scanner.skipValue(depth: 1)
    }
    aps = .object
    var more = try scanner.enterObject()
    while more {
      let key = try scanner.key()
      if key.equals("content-changed", in: scanner.bytes) {
        try readContentChanged(&scanner)
      } else {
        if key.equals("content-available", in: scanner.bytes) {
          hasContentAvailable = true
        } else if Self.resemblesContentChanged(key, in: scanner.bytes) {
          hasLookalike = true
        }
        try scanner.skipValue(depth: 2)
      }
      more = try scanner.nextMember()
    }
  }

  private mutating func readContentChanged(_ scanner: inout JSONScanner) throws(JSONFault) {
    let kind = try scanner.peekKind()
    let start = scanner.offset
    try scanner.skipValue(depth: 2)
    let value = UnsafeRawBufferPointer(rebasing: scanner.bytes[start..<scanner.offset])
    hasTrue = kind == .yes
    switch kind {
    case .yes: wrongValue = nil
    case .no: wrongValue = .no
    case .number: wrongValue = value.equals("1") ? .one : .number
    case .text: wrongValue = value.equals("\"true\"") ? .quotedTrue : .text
    case .null: wrongValue = .null
    case .array: wrongValue = .array
    case .object: wrongValue = .object
    }
  }

  var fault: PayloadFault? {
    guard isObject else { return .notAnObject }
    switch aps {
    case .missing: return hasKeyOutside ? .keyOutsideAps : .apsMissing
    case .notAnObject: return .apsNotAnObject
    case .object: break
    }
    if hasTrue { return nil }
    if let wrongValue { return .wrongValue(wrongValue) }
    if hasContentAvailable { return .contentAvailable }
    if hasKeyOutside { return .keyOutsideAps }
    return hasLookalike ? .keyMisspelled : .keyMissing
  }

  /// `content_changed`, `contentChanged`, `Content-Changed`, `content-change` and their like.
  private static func resemblesContentChanged(_ key: JSONText, in bytes: UnsafeRawBufferPointer) -> Bool {
    guard (13...15).contains(key.end - key.start) else { return false }
    let model: StaticString = "contentchanged"
    var matched = 0
    for position in key.start..<key.end {
      let byte = bytes[position]
      if byte == 0x2D || byte == 0x5F || byte == 0x20 { continue }
      guard matched < model.utf8CodeUnitCount, byte | 0x20 == model.utf8Start[matched] else { return false }
      matched += 1
    }
    return matched >= model.utf8CodeUnitCount - 1
  }
}
