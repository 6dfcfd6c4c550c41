/// Everything that the device listener refuses a request for. The raw value is what the device reads as `error`, and
/// the metric's label.
///
/// There is no code for "another device's path": a device key is compared with the key of the device that the path
/// names, and an unknown device, a wrong key and another device's key get the same answer, so nobody learns which
/// devices exist.
package enum DeviceError: String, CaseIterable, Sendable {
  case notFound = "not-found"
  case methodNotAllowed = "method-not-allowed"
  case badQuery = "bad-query"
  case bodyTooLarge = "body-too-large"
  case headersTooLarge = "headers-too-large"

  case missingCredential = "missing-credential"
  case badCredential = "bad-credential"
  case enrolmentLimit = "enrolment-limit"
  case enrolmentFull = "enrolment-full"
  case appNotAllowed = "app-not-allowed"
  case environmentNotAllowed = "environment-not-allowed"

  case malformedJSON = "malformed-json"
  case unknownKey = "unknown-key"
  case missingKey = "missing-key"
  case wrongType = "wrong-type"

  case unknownPlatform = "unknown-platform"
  case badOSVersion = "bad-os-version"
  case osTooOld = "os-too-old"

  case badBundleID = "bad-bundle-id"
  case unknownEnvironment = "unknown-environment"
  case badToken = "bad-token"
  case tokenInUse = "token-in-use"
  case tooManyApps = "too-many-apps"
  case tooManyWidgets = "too-many-widgets"
  case kindEmpty = "kind-empty"
  case kindTooLong = "kind-too-long"
  case configurationTooLong = "configuration-too-long"
  case unknownFamily = "unknown-family"
  case familyNotAvailable = "family-not-available"

  case badReceipt = "bad-receipt"
  case receiptFromTheFuture = "receipt-from-the-future"
  case unknownSessionKind = "unknown-session-kind"
  case developerModeForbidden = "developer-mode-forbidden"
  case developerModeLimit = "developer-mode-limit"

  case busy = "busy"
  case storeUnavailable = "store-unavailable"

  /// The HTTP status that goes with it.
  package var status: Int {
    switch self {
    case .malformedJSON, .badQuery: 400
    case .missingCredential, .badCredential: 401
    case .enrolmentFull, .appNotAllowed, .environmentNotAllowed, .developerModeForbidden: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .tokenInUse, .tooManyApps: 409
    case .bodyTooLarge: 413
    case .headersTooLarge: 431
    case .unknownKey, .missingKey, .wrongType, .unknownPlatform, .badOSVersion, .osTooOld, .badBundleID,
      .unknownEnvironment, .badToken, .tooManyWidgets, .kindEmpty, .kindTooLong, .configurationTooLong,
      .unknownFamily, .familyNotAvailable, .badReceipt, .receiptFromTheFuture, .unknownSessionKind:
      422
    case .enrolmentLimit, .developerModeLimit: 429
    case .busy, .storeUnavailable: 503
    }
  }

  /// What is said where nothing more exact is known.
  package var standardDetail: String {
    switch self {
    case .notFound: "no such path on the device listener"
    case .methodNotAllowed: "the path exists and does not take this method"
    case .badQuery: "the query is not one that this path takes"
    case .bodyTooLarge: "a body has at most \(DeviceLimits.bodyBytes) bytes"
    case .headersTooLarge: "the headers are over limits.header-list-bytes, counted as name, value and 32"
    case .missingCredential: "the request needs \"authorization: Bearer <key>\""
    case .badCredential: "the key is not the one that this path takes"
    case .enrolmentLimit: "too many devices are enrolling with this key right now"
    case .enrolmentFull: "as many devices as this key may enrol are enrolled"
    case .appNotAllowed: "the key that enrolled this device is not for this app"
    case .environmentNotAllowed: "the key that enrolled this device is not for this environment"
    case .malformedJSON: "the body is not JSON"
    case .unknownKey: "the body has a key that is not known here"
    case .missingKey: "the body lacks a key"
    case .wrongType: "a value is of the wrong type"
    case .unknownPlatform: "there is no such platform"
    case .badOSVersion: "a version is one to three numbers, such as \"26\" or \"26.1\""
    case .osTooOld: "the system is older than widget pushes"
    case .badBundleID: "a bundle ID has 1 to 155 letters, digits, \"-\" and \".\", and no empty part"
    case .unknownEnvironment: "there is no such environment"
    case .badToken: "a token is 1 to 100 bytes as hex"
    case .tokenInUse: "the token belongs to another device or another app"
    case .tooManyApps: "a device has at most \(DeviceLimits.apps) apps"
    case .tooManyWidgets: "a registration has at most \(DeviceLimits.widgets) widgets"
    case .kindEmpty: "a widget's kind is empty"
    case .kindTooLong: "a widget's kind is too long"
    case .configurationTooLong: "a widget's configuration is too long"
    case .unknownFamily: "there is no such widget family"
    case .familyNotAvailable: "the device's system has no such widget family"
    case .badReceipt: "a receipt names an event as <epoch>-<sequence>"
    case .receiptFromTheFuture: "no event with this id has been sent"
    case .unknownSessionKind: "a session is \"audio\" or \"navigation\""
    case .developerModeLimit: "the device has switched developer mode on too often; it is on or off as it was"
    case .developerModeForbidden: "devices may not switch developer mode on here"
    case .busy: "this device's last question, or too many of others, is still being looked up; try again"
    case .storeUnavailable: "nothing can be stored right now; try again"
    }
  }
}
