import Glibc
import Synchronization

/// Paths short enough for a Unix socket, different in every test and process.
enum TemporaryPath {
  private static let serial = Atomic<Int>(0)

  static func fresh(_ name: String) -> String {
    let number = serial.add(1, ordering: .relaxed).newValue
    let directory = "/tmp/gatewayd-test-\(getpid())-\(number)"
    mkdir(directory, 0o700)
    return directory + "/" + name
  }
}

/// Lets other threads run.
func yieldBriefly() { usleep(1000) }
