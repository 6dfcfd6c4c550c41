/// Why a store could not be opened or started. Each text names the file and the mend, on one line.
package enum StoreOpenError: Error, Equatable, CustomStringConvertible {
  case folderMissing(path: String, folder: String)
  case notAFile(path: String)
  /// Where one was to be looked at.
  case missing(path: String)
  /// Another gateway holds the store; its process number where it could be read.
  case inUse(path: String, process: Int?)
  case notWritable(path: String, cause: String)
  case notADatabase(path: String)
  /// It is a gateway's and holds what nobody has written.
  case damaged(path: String, finding: String)
  /// An SQLite file of some other program.
  case foreign(path: String)
  case newerSchema(path: String, found: Int, known: Int)
  case failed(DatabaseError)
  /// The system gave no thread.
  case noThread(path: String, cause: String)

  package var description: String {
    switch self {
    case .folderMissing(let path, let folder):
      "\(path): the folder \(folder) does not exist; create it, or name another file in [store] database"
    case .notAFile(let path):
      "\(path): is not a regular file; name a file in [store] database"
    case .missing(let path): "\(path): there is no such file"
    case .inUse(let path, let process):
      "\(path): is in use by another gatewayd\(process.map { " (process \($0))" } ?? ""); "
        + "stop that one, or name another file in [store] database"
    case .notWritable(let path, let cause):
      "\(path): cannot be written (\(cause)); make the file, its folder and the files beside it whose names begin "
        + "with its name writable for the user that runs gatewayd"
    case .notADatabase(let path):
      "\(path): is not an SQLite database or is damaged; restore it from a backup, or name another file in [store] database"
    case .damaged(let path, let finding):
      "\(path): is damaged (\(finding)); nothing is served over it: restore a backup (gatewayd restore). "
        + "gatewayd check --database tells more"
    case .foreign(let path):
      "\(path): is the SQLite database of another program; name another file in [store] database"
    case .newerSchema(let path, let found, let known):
      "\(path): has schema \(found), this gatewayd knows \(known); run the newer gatewayd, or restore the backup made before the upgrade"
    case .failed(let error): error.description
    case .noThread(let path, let cause):
      "\(path): no thread for the store (\(cause)); raise the limit of tasks (TasksMax, ulimit -u)"
    }
  }
}
