import CToml

/// Turns TOML text into values. The one place that knows the C wrapper; nothing of it survives the call.
enum TOMLDocument {
  /// - Returns: the root table.
  static func parse(_ bytes: [UInt8]) throws(TOMLFailure) -> TOMLNode {
    var failure = CTomlFailure()
    let document = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, $0.count, &failure) }
    }
    guard let document else { throw TOMLFailure(failure) }
    defer { ctoml_free(document) }
    return node(0, of: document)
  }

  private static func node(_ index: Int, of document: OpaquePointer) -> TOMLNode {
    let raw = ctoml_node(document, index)
    let value: TOMLNode.Value =
      switch raw.kind {
      case CTOML_TABLE:
        // toml++ keeps a table sorted by name; people read files by line.
        .table(
          children(of: raw, at: index, in: document).map { child in
            TOMLEntry(name: text(child.raw.key, child.raw.keyCount), node: node(child.index, of: document))
          }.sorted { ($0.node.line, $0.name) < ($1.node.line, $1.name) })
      case CTOML_ARRAY:
        .array(children(of: raw, at: index, in: document).map { node($0.index, of: document) })
      case CTOML_TEXT: .text(text(raw.text, raw.textCount))
      case CTOML_INTEGER: .integer(raw.integer)
      case CTOML_FLOAT: .float(raw.real)
      case CTOML_BOOLEAN: .boolean(raw.boolean != 0)
      default: .date
      }
    return TOMLNode(line: Int(raw.line), value: value)
  }

  private static func children(
    of parent: CTomlNode, at index: Int, in document: OpaquePointer
  ) -> [(index: Int, raw: CTomlNode)] {
    var found: [(index: Int, raw: CTomlNode)] = []
    var next = index + 1
    while next < parent.end {
      let child = ctoml_node(document, next)
      found.append((next, child))
      next = child.end
    }
    return found
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension TOMLFailure {
  fileprivate init(_ failure: CTomlFailure) {
    let description = withUnsafeBytes(of: failure.description) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(line: Int(failure.line), column: Int(failure.column), description: description)
  }
}
