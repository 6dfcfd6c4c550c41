/// One value of a TOML text and where it stands.
struct TOMLNode {
  indirect enum Value {
    case table([TOMLEntry])
    case array([TOMLNode])
    case text(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    case date
  }

  /// From 1; of the key where there is one.
  let line: Int
  let value: Value
}

/// A named value of a table, in the order of the text.
struct TOMLEntry {
  let name: String
  let node: TOMLNode
}

/// Why a text is not TOML.
struct TOMLFailure: Error, Equatable {
  let line: Int
  let column: Int
  let description: String
}
