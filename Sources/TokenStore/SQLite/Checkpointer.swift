import Synchronization

/// Moves the WAL's pages into the database, on a thread and over a connection of its own: SQLite lets commits go on
/// meanwhile (sqlite.org/wal.html, "Concurrency"), which else would wait for a thousand pages and their fsync.
///
/// What is committed during a pass is left for another one, and at last as a short rest for the store thread: the WAL
/// begins anew only if nothing at all is left, and while commits keep coming, only who makes them can see to that.
///
/// **No pass begins on a WAL of which all may have been moved.** SQLite before 3.51.3 (Debian 12 has 3.40.1) can take pages
/// for moved that are not, if a checkpoint begins just when a commit of another connection begins the WAL anew
/// (sqlite.org/wal.html, "The WAL-Reset Bug"). While something is left, no commit begins it anew.
final class Checkpointer: Sendable {
  /// Pages that the store thread moves between two commits in about the time of a commit.
  private static let shortRest = 64
  /// Each pass finds what was committed during the one before it. Where that does not become less, the disk is slower
  /// than the commits, and these have to wait for it.
  private static let passes = 4

  private enum Phase: Equatable { case idle, ordered, ending }

  private let phase: Monitor<Phase>
  private let committed: CommittedPages
  private let thread: PosixThread

  /// How many pages the WAL has, as of the last commit.
  private final class CommittedPages: Sendable {
    let count = Atomic<Int>(0)
  }

  /// - Parameter path: a database in WAL mode, which another connection holds open for longer than this lives.
  init(path: String) throws(StoreOpenError) {
    let phase = Monitor(Phase.idle)
    let committed = CommittedPages()
    self.phase = phase
    self.committed = committed
    let database: Database
    do throws(DatabaseError) {
      database = try Database(path: path)
      // A connection that has read nothing has no WAL, and a checkpoint of it does nothing. Now and not on the thread: the
      // WAL is found by its name, and the file of that name may be another one later.
      _ = try database.integer("SELECT count(*) FROM sqlite_schema")
    } catch {
      throw .failed(error)
    }
    do throws(PosixThread.Refused) {
      thread = try PosixThread { Self.run(over: database, phase, committed) }
    } catch {
      throw .noThread(path: path, cause: error.description)
    }
  }

  /// Whether nothing was ordered, or it is done.
  var isIdle: Bool { phase.locked { $0 == .idle } }

  /// Sleeps until what was ordered is done.
  func waitUntilIdle() { phase.wait { $0 == .ordered ? nil : () } }

  /// Orders the WAL to be moved. Called by who commits, right after a commit: its pages have not been moved by anybody.
  func begin(pages: Int) {
    note(pages: pages)
    phase.locked { if $0 == .idle { $0 = .ordered } }
  }

  /// A commit was made, and the WAL has so many pages now.
  func note(pages: Int) { committed.count.store(pages, ordering: .relaxed) }

  /// Ends, when the pass under way is over, closes the connection and joins. Once only.
  func end() {
    phase.locked { $0 = .ending }
    thread.join()
  }

  private static func run(over database: Database, _ phase: Monitor<Phase>, _ committed: CommittedPages) {
    PosixThread.nameCurrent("gateway-wal")
    while phase.wait({ $0 == .idle ? nil : $0 }) == .ordered {
      move(from: database, committed) { phase.locked { $0 == .ending } }
      phase.locked { if $0 == .ordered { $0 = .idle } }
    }
  }

  /// What fails here is tried again later and loses nothing: the WAL holds it.
  private static func move(from database: Database, _ committed: CommittedPages, until isEnding: () -> Bool) {
    for _ in 0..<passes {
      guard !isEnding(), let result = try? database.checkpoint(.passive) else { return }
      // Another program's long read holds back what is left of those that there were.
      guard result.moved == result.pages else { return }
      guard committed.count.load(ordering: .relaxed) - result.moved > shortRest else { return }
    }
  }
}
