/// What is wrong with a push's body.
///
/// APNs has no reason for a widget payload without `content-changed`, so all but one of these are `PayloadEmpty` with a
/// detail (design §5).
package enum PayloadFault: Error, Equatable, Sendable {
  /// What `aps.content-changed` is in place of `true`.
  package enum WrongValue: Equatable, Sendable { case no, one, number, quotedTrue, text, null, array, object }

  case empty
  case tooLarge
  case notJSON(JSONFault)
  case notAnObject
  case apsMissing
  case apsNotAnObject
  case keyMissing
  case keyOutsideAps
  case contentAvailable
  /// A key such as `contentChanged` or `content_changed`.
  case keyMisspelled
  case wrongValue(WrongValue)

  package var reason: RejectionReason { self == .tooLarge ? .payloadTooLarge : .payloadEmpty }

  /// Whether the body is a JSON object all the same, which is all that the lenient check asks.
  package var concernsMeaningOnly: Bool {
    switch self {
    case .empty, .tooLarge, .notJSON, .notAnObject: false
    case .apsMissing, .apsNotAnObject, .keyMissing, .keyOutsideAps, .contentAvailable, .keyMisspelled, .wrongValue: true
    }
  }

  /// One sentence that says what to change.
  package var detail: String {
    switch self {
    case .empty: #"The body is empty; a widget push needs {"aps":{"content-changed":true}}."#
    case .tooLarge: "The body has more than 4096 bytes; send less, and let the device fetch the rest."
    case .notJSON(let fault): "The body is not JSON: \(fault)."
    case .notAnObject: #"The body is not a JSON object; a widget push needs {"aps":{"content-changed":true}}."#
    case .apsMissing: #"The key "aps" is missing; a widget push needs {"aps":{"content-changed":true}}."#
    case .apsNotAnObject: #""aps" is not an object; a widget push needs {"aps":{"content-changed":true}}."#
    case .keyMissing: #""aps" has no key "content-changed"; a widget push needs "content-changed":true there."#
    case .keyOutsideAps: #""content-changed" stands outside "aps"; move it into "aps"."#
    case .contentAvailable: #""aps" has "content-available"; a widget push needs "content-changed":true in its place."#
    case .keyMisspelled: #""aps" has a key that resembles "content-changed"; spell it so, with a hyphen."#
    case .wrongValue(let value): "\"content-changed\" is \(value.text); write true\(value.addition)."
    }
  }
}

extension PayloadFault.WrongValue {
  fileprivate var text: StaticString {
    switch self {
    case .no: "false"
    case .one: "the number 1"
    case .number: "a number"
    case .quotedTrue: "the text \"true\""
    case .text: "a text"
    case .null: "null"
    case .array: "an array"
    case .object: "an object"
    }
  }

  fileprivate var addition: StaticString { self == .quotedTrue ? " without quotation marks" : "" }
}
