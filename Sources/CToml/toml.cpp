#include "CToml.h"

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace {

struct Node {
  CTomlKind kind = CTOML_TABLE;
  toml::source_position position{};
  bool hasKey = false;
  std::string key;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  size_t end = 0;
};

// Depth is bounded by toml++'s own limit on nested values.
void flatten(const toml::node &value, const toml::key *key, std::vector<Node> &nodes) {
  const size_t index = nodes.size();
  nodes.emplace_back();
  Node node;
  node.position = value.source().begin;
  if (key != nullptr) {
    node.hasKey = true;
    node.key = std::string(key->str());
    // A table keeps its header's place: for `[a.b]` toml++ gives the key that of the whole header as well.
    if (!value.is_table() && key->source().begin.line != 0) node.position = key->source().begin;
  }
  if (const auto *table = value.as_table()) {
    node.kind = CTOML_TABLE;
    for (auto &&[name, child] : *table) flatten(child, &name, nodes);
  } else if (const auto *array = value.as_array()) {
    node.kind = CTOML_ARRAY;
    for (auto &&child : *array) flatten(child, nullptr, nodes);
  } else if (const auto *text = value.as_string()) {
    node.kind = CTOML_TEXT;
    node.text = text->get();
  } else if (const auto *integer = value.as_integer()) {
    node.kind = CTOML_INTEGER;
    node.integer = integer->get();
  } else if (const auto *real = value.as_floating_point()) {
    node.kind = CTOML_FLOAT;
    node.real = real->get();
  } else if (const auto *boolean = value.as_boolean()) {
    node.kind = CTOML_BOOLEAN;
    node.boolean = boolean->get();
  } else {
    node.kind = CTOML_DATE;
  }
  node.end = nodes.size();
  nodes[index] = std::move(node);
}

void describe(CTomlFailure *failure, toml::source_position position, std::string_view text) {
  if (failure == nullptr) return;
  failure->line = position.line;
  failure->column = position.column;
  std::snprintf(failure->description, sizeof failure->description, "%.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace

struct CTomlDocument {
  std::vector<Node> nodes;
};

extern "C" CTomlDocument *ctoml_parse(const char *text, size_t count, CTomlFailure *failure) {
  try {
    const toml::table root = toml::parse(std::string_view(text == nullptr ? "" : text, text == nullptr ? 0 : count));
    auto *document = new CTomlDocument;
    try {
      flatten(root, nullptr, document->nodes);
    } catch (...) {
      delete document;
      throw;
    }
    return document;
  } catch (const toml::parse_error &error) {
    describe(failure, error.source().begin, error.description());
  } catch (const std::exception &error) {
    describe(failure, {}, error.what());
  } catch (...) {
    describe(failure, {}, "the parser failed for an unknown reason");
  }
  return nullptr;
}

extern "C" void ctoml_free(CTomlDocument *document) { delete document; }

extern "C" size_t ctoml_count(const CTomlDocument *document) {
  return document == nullptr ? 0 : document->nodes.size();
}

extern "C" CTomlNode ctoml_node(const CTomlDocument *document, size_t index) {
  const Node &node = document->nodes[index];
  CTomlNode result{};
  result.kind = node.kind;
  result.line = node.position.line;
  result.column = node.position.column;
  result.key = node.hasKey ? node.key.data() : nullptr;
  result.keyCount = node.key.size();
  result.text = node.text.data();
  result.textCount = node.text.size();
  result.integer = node.integer;
  result.real = node.real;
  result.boolean = node.boolean ? 1 : 0;
  result.end = node.end;
  return result;
}
