import Foundation

/// A folder of its own for one test, gone with it.
final class SQLiteTemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/gateway.sqlite" }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  func size(of name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
    return (attributes?[.size] as? Int) ?? 0
  }
}
