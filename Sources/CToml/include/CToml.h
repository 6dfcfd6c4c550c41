#pragma once
/// toml++ behind a C header: no C++ type and no exception leaves this target.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed text, held as a flat list of nodes in depth-first order. Node 0 is the root table. Immutable.
typedef struct CTomlDocument CTomlDocument;

typedef enum {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_TEXT,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  /// A date, a time or both.
  CTOML_DATE,
} CTomlKind;

/// One node. Its pointers belong to the document; the text is UTF-8 and may hold NUL, hence the counts.
typedef struct {
  CTomlKind kind;
  /// From 1, of the key where the node has one and else of the value; 0 when toml++ does not know.
  uint32_t line;
  uint32_t column;
  /// The name in the table around it; null for elements of an array and for the root.
  const char *key;
  size_t keyCount;
  /// CTOML_TEXT only.
  const char *text;
  size_t textCount;
  int64_t integer;
  double real;
  uint8_t boolean;
  /// The number of the first node after this one and everything inside it.
  size_t end;
} CTomlNode;

/// Why a text is not TOML. `description` is always terminated, and cut if need be.
typedef struct {
  uint32_t line;
  uint32_t column;
  char description[256];
} CTomlFailure;

/// The document, to be given back to `ctoml_free`, or null with `failure` filled in.
CTomlDocument *ctoml_parse(const char *text, size_t count, CTomlFailure *failure);
void ctoml_free(CTomlDocument *document);
size_t ctoml_count(const CTomlDocument *document);
/// The node; `index` must be below `ctoml_count`.
CTomlNode ctoml_node(const CTomlDocument *document, size_t index);

#ifdef __cplusplus
}
#endif
