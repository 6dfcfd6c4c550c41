import COpenSSL
import Glibc

/// Reads what Apple writes into the certificates of providers. All lengths are OpenSSL's to check.
///
/// The marks and the topics are extensions of Apple's own; no page of Apple's has their ASN.1. It was taken from public
/// code that issues and reads such certificates: xipki/xipki, certificate profile "apple-wwdr" (1.2.840.113635.100.6.3.1
/// and .2 are NULL; .6 is a flat SEQUENCE in which each topic, a UTF8String, is followed by a SEQUENCE of UTF8Strings that
/// name its kind: app, voip, complication), and alloy/lowdown, lib/lowdown/certificate.rb (.1 development, .2 production,
/// .6 universal).
enum ProviderCertificateReader {
  private typealias DER = UnsafePointer<ASN1_STRING>

  static let development = "1.2.840.113635.100.6.3.1"
  static let production = "1.2.840.113635.100.6.3.2"
  static let topicLists = ["1.2.840.113635.100.6.3.6", "1.2.840.113635.100.6.3.4"]

  enum Fault: String, Error {
    case subject = "its subject cannot be read"
    case repeatedExtension = "one of Apple's extensions is there twice"
    case topics = "its topic extension is not a sequence of topics and their kinds"
    case dates = "its dates cannot be read"
  }

  static func read(_ certificate: OpaquePointer) throws(Fault) -> PeerCertificate.Contents {
    let subject = X509_get_subject_name(certificate)
    var contents = PeerCertificate.Contents(
      validity: try validity(of: certificate))
    contents.subjectID = try entry(NID_userId, of: subject)
    contents.organizationalUnit = try entry(NID_organizationalUnitName, of: subject)
    contents.isMarkedDevelopment = try data(of: development, in: certificate) != nil
    contents.isMarkedProduction = try data(of: production, in: certificate) != nil
    for oid in topicLists {
      guard let data = try data(of: oid, in: certificate) else { continue }
      // Older certificates for VoIP have the second one as a mere mark.
      if oid == topicLists[1], bytes(of: data).elementsEqual([0x05, 0x00]) { continue }
      contents.topics = (contents.topics ?? []) + (try topics(in: data))
    }
    return contents
  }

  /// The one entry of that kind; nil if there is none.
  private static func entry(_ kind: Int32, of name: OpaquePointer?) throws(Fault) -> String? {
    let place = X509_NAME_get_index_by_NID(name, kind, -1)
    guard place >= 0 else { return nil }
    // Which of two would be meant?
    guard X509_NAME_get_index_by_NID(name, kind, place) < 0 else { throw .subject }
    var text: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place)))
    guard count >= 0, let text else { throw .subject }
    defer { CRYPTO_free(text, nil, 0) }
    guard let value = string(UnsafeBufferPointer(start: text, count: Int(count))) else { throw .subject }
    return value
  }

  /// The content of an extension; nil if the certificate has it not. RFC 5280 §4.2 allows no extension twice.
  private static func data(of oid: String, in certificate: OpaquePointer) throws(Fault) -> DER? {
    guard let object = OBJ_txt2obj(oid, 1) else { return nil }
    defer { ASN1_OBJECT_free(object) }
    let place = X509_get_ext_by_OBJ(certificate, object, -1)
    guard place >= 0 else { return nil }
    guard X509_get_ext_by_OBJ(certificate, object, place) < 0 else { throw .repeatedExtension }
    return X509_EXTENSION_get_data(X509_get_ext(certificate, place)).map { DER($0) }
  }

  private static func topics(in data: DER) throws(Fault) -> [String] {
    try withElements(of: data) { (elements) throws(Fault) in
      var topics: [String] = []
      var mayHaveKinds = false
      for index in 0..<gateway_sequence_count(elements) {
        if let topic = gateway_sequence_element(elements, index, V_ASN1_UTF8STRING) {
          guard let text = string(bytes(of: topic)), !text.isEmpty else { throw .topics }
          topics.append(text)
          mayHaveKinds = true
        } else if let kinds = gateway_sequence_element(elements, index, V_ASN1_SEQUENCE), mayHaveKinds {
          mayHaveKinds = false
          try checkKinds(kinds)
        } else {
          throw .topics
        }
      }
      return topics
    }
  }

  /// The kinds tell nothing that a topic's own ending does not; they must only be what they should be.
  private static func checkKinds(_ data: DER) throws(Fault) {
    try withElements(of: data) { (elements) throws(Fault) in
      for index in 0..<gateway_sequence_count(elements)
      where gateway_sequence_element(elements, index, V_ASN1_UTF8STRING) == nil { throw .topics }
    }
  }

  private static func withElements<Value>(
    of data: DER, _ body: (OpaquePointer) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    guard let elements = gateway_sequence_parse(ASN1_STRING_get0_data(data), Int(ASN1_STRING_length(data))) else {
      throw .topics
    }
    defer { gateway_sequence_free(elements) }
    return try body(elements)
  }

  private static func bytes(of data: DER) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
  }

  /// nil unless it is UTF-8 without a zero, which other programs would take for its end.
  private static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  private static func validity(of certificate: OpaquePointer) throws(Fault) -> ClosedRange<Int64> {
    guard let first = seconds(X509_get0_notBefore(certificate)), let last = seconds(X509_get0_notAfter(certificate)),
      first <= last
    else { throw .dates }
    return first...last
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts))
  }
}
