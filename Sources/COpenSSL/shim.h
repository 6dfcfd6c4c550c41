#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Function-like macros and constants with casts do not reach Swift; each wrapper below stands for one of them. */

/// What every context of ours has: TLS 1.2 at least, no renegotiation, no compression, buffers given back while a
/// connection idles (11 KB each), reads that fetch all there is, writes that may end early and be repeated from another
/// address. The peer that leaves without close_notify has simply left: HTTP/2 knows itself whether it was complete.
static inline void gateway_ctx_set_up(SSL_CTX *context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_read_ahead(context, 1);
}

static inline void gateway_ctx_set_session_cache_off(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int gateway_ctx_set_max_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version);
}

/// Takes the reference over when it succeeds.
static inline int gateway_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

/// OpenSSL's own verification would end a handshake with an alert, and an alert tells a client nothing that it logs. So any
/// certificate passes here, marked as not verified, and is judged when HTTP/2 can say what is wrong with it. That its
/// owner has the key was proved all the same.
static inline int gateway_take_unverified(X509_STORE_CTX *verification, void *unused) {
  (void)unused;
  X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION);
  return 1;
}

/// Asks clients for a certificate, without insisting. Sends no names of authorities: clients would keep a certificate of
/// another issuer to themselves, and nobody would learn that it is the wrong one. 32 KB are room for a long chain of large
/// keys. Sessions are not resumed: a ticket would carry an old verdict past a change of the authorities.
static inline void gateway_ctx_ask_for_certificates(SSL_CTX *context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_cert_verify_callback(context, gateway_take_unverified, NULL);
  SSL_CTX_set_max_cert_list(context, 32768);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

static inline int gateway_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int gateway_error_is_end_of_pem(unsigned long code) {
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

/// MBSTRING_UTF8 is an expression.
static const int gateway_utf8_string = MBSTRING_UTF8;

/// EVP_PKEY_Q_keygen is variadic.
static inline EVP_PKEY *gateway_generate_p256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

/// Adds one extension in the notation of x509v3_config(5).
static inline int gateway_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (extension == NULL) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

/// Adds one extension whose content is given as DER. `oid` is in the dotted form.
static inline int gateway_add_raw_extension(X509 *certificate, const char *oid, const unsigned char *der, int count) {
  ASN1_OBJECT *name = OBJ_txt2obj(oid, 1);
  ASN1_OCTET_STRING *content = ASN1_OCTET_STRING_new();
  X509_EXTENSION *extension = NULL;
  if (name != NULL && content != NULL && ASN1_OCTET_STRING_set(content, der, count) == 1)
    extension = X509_EXTENSION_create_by_OBJ(NULL, name, 0, content);
  int added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  ASN1_OCTET_STRING_free(content);
  ASN1_OBJECT_free(name);
  return added;
}

/// The elements of a DER sequence that fills `der` exactly; NULL for anything else. Freed by gateway_sequence_free.
static inline ASN1_SEQUENCE_ANY *gateway_sequence_parse(const unsigned char *der, long count) {
  const unsigned char *cursor = der;
  ASN1_SEQUENCE_ANY *elements = d2i_ASN1_SEQUENCE_ANY(NULL, &cursor, count);
  if (elements != NULL && cursor != der + count) {
    sk_ASN1_TYPE_pop_free(elements, ASN1_TYPE_free);
    return NULL;
  }
  return elements;
}

static inline void gateway_sequence_free(ASN1_SEQUENCE_ANY *elements) {
  sk_ASN1_TYPE_pop_free(elements, ASN1_TYPE_free);
}

static inline int gateway_sequence_count(const ASN1_SEQUENCE_ANY *elements) { return sk_ASN1_TYPE_num(elements); }

/// The bytes of an element, if it has that type: of a UTF8String its text, of a SEQUENCE its whole DER.
static inline const ASN1_STRING *gateway_sequence_element(const ASN1_SEQUENCE_ANY *elements, int index, int type) {
  const ASN1_TYPE *element = sk_ASN1_TYPE_value(elements, index);
  return element != NULL && element->type == type ? element->value.asn1_string : NULL;
}
