/// Whether a store was there before it was opened, so that an empty one is not served without a word where another had
/// been.
package enum StoreOrigin: Sendable, Equatable {
  case found
  /// There was no file.
  case made
  /// There was a file without a single byte, as a crash in the first moment leaves it, or a lost disk.
  case emptyFile
}
