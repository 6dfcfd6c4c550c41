import CommandLineInterface
import Glibc

/// Reads a file of any length, line by line.
final class LineReader {
  private let path: String
  private let descriptor: Int32
  /// Bytes that a line may have; of a longer one no more than this is kept.
  private let longest: Int
  private var buffer: [UInt8] = []
  private var start = 0

  /// - Parameter path: `-` is standard input.
  init(_ path: String, longest: Int) throws {
    self.path = path
    self.longest = longest
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  enum Line {
    /// Without its end.
    case whole(ArraySlice<UInt8>)
    case tooLong
  }

  /// nil at the end.
  func next() throws -> Line? {
    var isTooLong = false
    var searched = start
    while true {
      if let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = feed + 1 }
        return isTooLong || feed - start > longest ? .tooLong : .whole(buffer[start..<feed])
      }
      if buffer.count - start > longest {
        isTooLong = true
        start = buffer.count
      }
      let more = try fill()
      searched = buffer.count - more
      guard more == 0 else { continue }
      defer { start = buffer.count }
      if isTooLong { return .tooLong }
      return start < buffer.count ? .whole(buffer[start...]) : nil
    }
  }

  /// Drops what was given out, and reads on.
  private func fill() throws -> Int {
    buffer.removeFirst(start)
    start = 0
    var part = [UInt8](repeating: 0, count: 1 << 17)
    let count = Glibc.read(descriptor, &part, part.count)
    guard count >= 0 else { throw refusal }
    buffer += part[..<count]
    return count
  }

  private var refusal: CommandFailure {
    CommandFailure("cannot read \(path == "-" ? "standard input" : path): \(String(cString: strerror(errno)))")
  }
}
