import CSQLite

/// An SQLite result code, extended where SQLite extends it. Open, since newer SQLites add codes.
package struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code without its extension: what kind of failure it is.
  package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  package static let ok = ResultCode(rawValue: SQLITE_OK)
  package static let permissionDenied = ResultCode(rawValue: SQLITE_PERM)
  package static let busy = ResultCode(rawValue: SQLITE_BUSY)
  package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
  package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  package static let full = ResultCode(rawValue: SQLITE_FULL)
  package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// The file was removed or replaced under an open connection.
  package static let readOnlyMoved = ResultCode(rawValue: SQLITE_READONLY | (4 << 8))
  package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

  /// The file holds what SQLite cannot have written. No later success makes that undone.
  package var isDamage: Bool { primary == .corrupt || primary == .notADatabase }

  /// SQLite's own words for the code.
  package var description: String {
    guard let text = sqlite3_errstr(rawValue) else { return "SQLite error \(rawValue)" }
    return "\(String(cString: text)) (SQLite \(rawValue))"
  }

  /// What the operator can do about it; nil where nothing general can be said.
  var mend: String? {
    if self == .readOnlyMoved { return "put the file back; gatewayd goes on by itself then" }
    return switch primary {
    case .full: "free space on that file system"
    case .inputOutput: "check the disk and the kernel's log"
    case .readOnly, .permissionDenied, .cannotOpen:
      "make the file, its -wal and -shm beside it and their folder writable for the user that runs gatewayd"
    case .busy, .locked: "another program holds a lock on it: end that program's transaction"
    case .corrupt, .notADatabase:
      "the file is damaged: restore a backup; gatewayd check --database says what is wrong with it"
    case .outOfMemory: "give the process more memory"
    default: nil
    }
  }
}
