import COpenSSL

/// Owns one X509 while it is put together.
struct CertificateDraft: ~Copyable {
  let raw: OpaquePointer

  init() throws(TLSError) {
    guard let raw = X509_new() else { throw .drain("OpenSSL gave no certificate") }
    self.raw = raw
  }

  deinit { X509_free(raw) }

  /// - Parameters:
  ///   - subject: short names of attributes (CN, UID, OU …) with their texts.
  ///   - seconds: since 1970.
  borrowing func fill(
    subject: [(attribute: String, text: String)], key: borrowing P256Key, from seconds: Int64, for duration: Int64
  ) throws(TLSError) {
    var serial = SecureRandom.bytes(16)
    // Positive and not zero (RFC 5280 §4.1.2.2).
    serial[0] = serial[0] & 0x7F | 0x40
    let number = BN_bin2bn(serial, Int32(serial.count), nil)
    defer { BN_free(number) }
    guard X509_set_version(raw, 2) == 1,  // counted from 0: version 3
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw)) != nil,
      ASN1_TIME_set(X509_getm_notBefore(raw), Int(seconds)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(raw), Int(seconds + duration)) != nil,
      X509_set_pubkey(raw, key.raw) == 1
    else { throw .drain("the certificate cannot be made") }
    for (attribute, text) in subject {
      let added = X509_NAME_add_entry_by_txt(
        X509_get_subject_name(raw), attribute, gateway_utf8_string, Array(text.utf8), Int32(text.utf8.count), -1, 0)
      guard added == 1 else { throw .drain("the certificate's \(attribute) cannot be \(text)") }
    }
  }

  borrowing func add(_ nid: Int32, _ value: String, issuer: borrowing CertificateDraft) throws(TLSError) {
    guard gateway_add_extension(raw, issuer.raw, nid, value) == 1 else {
      throw .drain("the extension \(value) cannot be added")
    }
  }

  /// - Parameter oid: dotted.
  borrowing func add(oid: String, der: [UInt8]) throws(TLSError) {
    guard gateway_add_raw_extension(raw, oid, der, Int32(der.count)) == 1 else {
      throw .drain("the extension \(oid) cannot be added")
    }
  }

  borrowing func sign(by issuer: borrowing CertificateDraft, key: borrowing P256Key) throws(TLSError) {
    guard X509_set_issuer_name(raw, X509_get_subject_name(issuer.raw)) == 1,
      X509_sign(raw, key.raw, SHA256Digest.Algorithm.shared.raw) > 0
    else { throw .drain("the certificate cannot be signed") }
  }

  borrowing func pem() throws(TLSError) -> [UInt8] {
    guard let text = PEM.text({ PEM_write_bio_X509($0, raw) }) else {
      throw .drain("the certificate cannot be written as PEM")
    }
    return text
  }
}
