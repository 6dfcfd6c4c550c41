import Foundation
import Synchronization
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects the start: a store that is not ours, not usable or in use is refused in one line, and nothing half made
/// stays behind.
@Suite("Opening a store") struct SQLiteOpeningTests {
  private let folder: SQLiteTemporaryFolder

  init() throws { folder = try SQLiteTemporaryFolder() }

  private func failure(opening path: String) -> StoreOpenError? {
    do throws(StoreOpenError) {
      _ = try StoreOpener.open(path: path, durability: .full)
      return nil
    } catch {
      return error
    }
  }

  private func isOneHelpfulLine(_ error: StoreOpenError?, about path: String) -> Bool {
    let text = error?.description ?? ""
    return text.hasPrefix(path + ": ") && !text.contains("\n") && text.contains(";")
  }

  @Test("A second gateway is told who holds the store, also under another name, and gets it afterwards")
  func secondOpener() throws {
    let link = folder.path + "/link.sqlite"
    do {
      let first = try StoreOpener.open(path: folder.database, durability: .full)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.database)
      for path in [folder.database, link] {
        let error = failure(opening: path)
        #expect(error == .inUse(path: path, process: Int(getpid())))
        #expect(isOneHelpfulLine(error, about: path))
      }
      _ = try first.beginEpoch()
    }
    #expect(failure(opening: link) == nil)
  }

  @Test("A running store keeps others out until it is stopped")
  func runningStore() throws {
    let store = try StoreThread(running: StoreOpener.open(path: folder.database, durability: .full)) { _ in }
    #expect(failure(opening: folder.database) == .inUse(path: folder.database, process: Int(getpid())))
    store.stop()
    #expect(failure(opening: folder.database) == nil)
  }

  @Test("A newer schema is refused with both numbers, and the file is left as it is")
  func newerSchema() throws {
    _ = try SQLiteContents(path: folder.database)
    try Database(path: folder.database).execute("PRAGMA user_version = 7")
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let error = failure(opening: folder.database)
    #expect(error == .newerSchema(path: folder.database, found: 7, known: Migrations.newest))
    #expect(error?.description.contains("has schema 7, this gatewayd knows \(Migrations.newest)") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
  }

  @Test(
    "Another program's database is refused and not touched",
    arguments: [
      "CREATE TABLE x(a)", "CREATE TABLE x(a); PRAGMA application_id = 5", "PRAGMA user_version = 1; CREATE TABLE x(a)",
    ])
  func foreignFile(sql: String) throws {
    try Data().write(to: URL(fileURLWithPath: folder.database))
    try Database(path: folder.database).execute(sql)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let error = failure(opening: folder.database)
    #expect(error == .foreign(path: folder.database))
    #expect(isOneHelpfulLine(error, about: folder.database))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    #expect(try folder.names == ["gateway.sqlite"])
  }

  @Test("A file that is no database is refused and not touched")
  func noDatabase() throws {
    let contents = Data(String(repeating: "not a database. ", count: 500).utf8)
    try contents.write(to: URL(fileURLWithPath: folder.database))
    let error = failure(opening: folder.database)
    #expect(error == .notADatabase(path: folder.database))
    #expect(isOneHelpfulLine(error, about: folder.database))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == contents)
  }

  @Test("An empty file, as a crash in the first moment leaves it, becomes a store")
  func emptyFile() throws {
    try Data().write(to: URL(fileURLWithPath: folder.database))
    do {
      let store = try StoreOpener.open(path: folder.database, durability: .full)
      #expect(store.origin == .emptyFile)
      #expect(try SQLiteContents(store).lastSequence == 0)
    }
    #expect(try StoreOpener.open(path: folder.database, durability: .full).origin == .found)
  }

  @Test("A new store's schema is in its file from the beginning, so that a lost log does not make it an empty one")
  func schemaInFile() throws {
    let store = try StoreOpener.open(path: folder.database, durability: .full)
    #expect(store.origin == .made)
    let copy = folder.path + "/copy.sqlite"
    try FileManager.default.copyItem(atPath: folder.database, toPath: copy)
    #expect(try StoreInspection(path: copy).schema == Migrations.newest)
    _ = store
  }

  @Test("A log without its database is refused and left as it is", arguments: [true, false])
  func logAlone(fileIsThere: Bool) throws {
    let log = Data(repeating: 7, count: 5000)
    try log.write(to: URL(fileURLWithPath: folder.database + "-wal"))
    if fileIsThere { try Data().write(to: URL(fileURLWithPath: folder.database)) }
    let names = try folder.names
    let error = failure(opening: folder.database)
    #expect(isOneHelpfulLine(error, about: folder.database))
    #expect(error?.description.contains("write-ahead log") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == log)
    #expect(try folder.names == names)
  }

  @Test("A folder that is missing is named, and is not made")
  func missingFolder() {
    let path = folder.path + "/none/gateway.sqlite"
    let error = failure(opening: path)
    #expect(error == .folderMissing(path: path, folder: folder.path + "/none/"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/none"))
  }

  @Test("What is no file is refused", arguments: ["", "/", "/dev/null", "/tmp"])
  func noFile(path: String) {
    #expect(failure(opening: path) == .notAFile(path: path))
  }

  @Test("A start that fails in the middle takes away what it made")
  func nothingHalfMade() throws {
    // A folder where the WAL should go lets the file be made and the schema fail.
    try FileManager.default.createDirectory(
      atPath: folder.database + "-wal", withIntermediateDirectories: false)
    let error = failure(opening: folder.database)
    #expect(error != nil)
    #expect(isOneHelpfulLine(error, about: folder.database))
    #expect(try folder.names == ["gateway.sqlite-wal"])
  }

  enum Withheld: CaseIterable { case folder, database }

  @Test("What this user may not write is refused with the reason", arguments: Withheld.allCases)
  func notWritable(withheld: Withheld) throws {
    _ = try SQLiteContents(path: folder.database)
    let manager = FileManager.default
    for name in try folder.names {
      try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder.path + "/" + name)
    }
    switch withheld {
    case .folder:
      try manager.removeItem(atPath: folder.database + "-lock")
      try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    case .database:
      try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
      try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.database)
    }
    let path = folder.database
    let found = Mutex<StoreOpenError?>(nil)
    try runWithoutPrivileges {
      do throws(StoreOpenError) {
        _ = try StoreOpener.open(path: path, durability: .full)
      } catch {
        found.withLock { $0 = error }
      }
    }
    try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    let error = found.withLock { $0 }
    guard case .notWritable(path, _) = error else {
      Issue.record("expected a refusal, got \(String(describing: error))")
      return
    }
    #expect(isOneHelpfulLine(error, about: path))
  }

  /// The superuser may write anything, and tests often run as one: this takes that right from one thread only.
  private func runWithoutPrivileges(_ body: @escaping @Sendable () -> Void) throws {
    typealias SetFileSystemUser = @convention(c) (UInt32) -> Int32
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "setfsuid"))
    let setFileSystemUser = unsafeBitCast(symbol, to: SetFileSystemUser.self)
    let thread = try PosixThread {
      if geteuid() == 0 { _ = setFileSystemUser(65534) }
      body()
    }
    thread.join()
  }
}
