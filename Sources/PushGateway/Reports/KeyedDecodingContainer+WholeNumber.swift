extension KeyedDecodingContainer {
  /// Throws an error that names the key also for `1.5` and `1e30`, of which a decoder says only that they are no `Int`.
  func decodeWholeNumber(forKey key: Key) throws -> Int {
    guard let number = Int(exactly: try decode(Double.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "must be a whole number")
    }
    return number
  }
}
