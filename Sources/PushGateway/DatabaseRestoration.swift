import TokenStoreSQLite

/// Puts a backup in the place of a store on which no gateway runs.
package enum DatabaseRestoration {
  /// - Parameter backup: a file that ``DatabaseExamination`` has found whole.
  /// - Returns: where the old database is now; nil if there was none.
  package static func replace(_ database: String, with backup: String) throws(GatewayError) -> String? {
    do {
      return try StoreReplacement.replace(database, with: backup)
    } catch {
      throw GatewayError("\(error)")
    }
  }
}
