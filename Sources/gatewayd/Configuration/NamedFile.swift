/// A file that a configuration names and the daemon opens later than the rest.
package enum NamedFile {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// At most 256 KB of a regular file.
  package static func contents(of path: String) throws(Failure) -> [UInt8] {
    do {
      return try FileContents.read(path, limit: 1 << 18, regularOnly: true).bytes
    } catch {
      throw Failure(description: error.explanation(path: path))
    }
  }
}
