/// Moves the WAL's pages into the database, on a thread and over a connection of its own: SQLite lets commits go on
/// meanwhile (sqlite.org/wal.html, "Concurrency"), which else would wait for a thousand pages and their fsync.
///
/// What is committed while it works is left for another pass, and at last as a short rest for the store thread: the WAL
/// begins anew only if nothing at all is left, and while commits keep coming, only who makes them can see to that.
final class Checkpointer: Sendable {
  /// Pages that the store thread moves between two commits in about the time of a commit.
  private static let shortRest = 64
  /// Each pass finds what was committed during the one before it. Where that does not become less, the disk is slower
  /// than the commits, and these have to wait for it.
  private static let passes = 4

  private enum Phase: Equatable { case idle, ordered, ending }

  private let phase: Monitor<Phase>
  private let thread: PosixThread

  /// - Parameter path: a database in WAL mode, which another connection holds open for longer than this lives.
  init(path: String) throws(StoreOpenError) {
    let phase = Monitor(Phase.idle)
    self.phase = phase
    let database: Database
    do throws(DatabaseError) { database = try Database(path: path) } catch { throw .failed(error) }
    do throws(PosixThread.Refused) {
      thread = try PosixThread { Self.run(over: database, phase) }
    } catch {
      throw .noThread(path: path, cause: error.description)
    }
  }

  /// Whether nothing was ordered, or it is done.
  var isIdle: Bool { phase.locked { $0 == .idle } }

  /// Orders the WAL to be moved.
  func begin() { phase.locked { if $0 == .idle { $0 = .ordered } } }

  /// Ends, when the pass under way is over, closes the connection and joins. Once only.
  func end() {
    phase.locked { $0 = .ending }
    thread.join()
  }

  private static func run(over database: Database, _ phase: Monitor<Phase>) {
    PosixThread.nameCurrent("gateway-wal")
    while phase.wait({ $0 == .idle ? nil : $0 }) == .ordered {
      move(from: database) { phase.locked { $0 == .ending } }
      phase.locked { if $0 == .ordered { $0 = .idle } }
    }
  }

  /// What fails here is tried again later and loses nothing: the WAL holds it.
  private static func move(from database: Database, until isEnding: () -> Bool) {
    for _ in 0..<passes {
      guard !isEnding(), let left = try? database.checkpoint(.passive), left > shortRest else { return }
    }
  }
}
