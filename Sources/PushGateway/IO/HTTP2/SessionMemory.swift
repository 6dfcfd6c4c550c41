import CNGHTTP2
import Glibc

/// What nghttp2 allocates for the sessions of one loop. It asks for six pieces with each request, all of a few sizes and
/// all given back within milliseconds; they rest here in between and not in the process's heap, whose threads share it.
///
/// Not Sendable: one loop's, as its sessions are.
final class SessionMemory {
  /// Sizes are rounded up to a multiple of this; what is larger than `largest` is the heap's.
  private static let step = 64
  private static let largest = 512
  /// Stands before each piece: its kind, which is its size with this in units of `step`, or 0 for the heap's; and how much
  /// it holds. As long as malloc's alignment.
  private static let header = 16
  /// Pieces of one size that may rest here; more go back to the heap.
  private static let mostResting = 4096

  /// The first piece of each kind that rests here; each points to the next with its first word.
  private var first = InlineArray<9, UnsafeMutableRawPointer?>(repeating: nil)
  private var resting = InlineArray<9, Int>(repeating: 0)

  deinit {
    for kind in first.indices {
      while let piece = first[kind] {
        first[kind] = piece.load(as: UnsafeMutableRawPointer?.self)
        Glibc.free(piece - Self.header)
      }
    }
  }

  /// What a session is made with. The session must end before this object does.
  var functions: nghttp2_mem {
    nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(), malloc: takeMemory, free: giveMemoryBack,
      calloc: takeClearedMemory, realloc: resizeMemory)
  }

  func take(_ size: Int) -> UnsafeMutableRawPointer? {
    let (whole, overflow) = size.addingReportingOverflow(Self.header + Self.step - 1)
    guard !overflow else { return nil }
    let kind = whole < Self.largest + Self.step ? whole / Self.step : 0
    if let piece = first[kind] {
      first[kind] = piece.load(as: UnsafeMutableRawPointer?.self)
      resting[kind] -= 1
      return piece
    }
    let room = kind == 0 ? size : kind * Self.step - Self.header
    guard let block = malloc(room + Self.header) else { return nil }
    block.storeBytes(of: kind, as: Int.self)
    block.storeBytes(of: room, toByteOffset: 8, as: Int.self)
    return block + Self.header
  }

  func giveBack(_ piece: UnsafeMutableRawPointer) {
    let kind = Self.kind(of: piece)
    guard kind > 0, resting[kind] < Self.mostResting else { return Glibc.free(piece - Self.header) }
    piece.storeBytes(of: first[kind], as: UnsafeMutableRawPointer?.self)
    first[kind] = piece
    resting[kind] += 1
  }

  func takeCleared(_ count: Int, of size: Int) -> UnsafeMutableRawPointer? {
    let (whole, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, let piece = take(whole) else { return nil }
    return memset(piece, 0, whole)
  }

  /// - Returns: nil when there is no memory; the piece then stays as it was.
  func resize(_ piece: UnsafeMutableRawPointer, to size: Int) -> UnsafeMutableRawPointer? {
    let room = Self.room(in: piece)
    guard size > room else { return piece }
    guard let larger = take(size) else { return nil }
    larger.copyMemory(from: piece, byteCount: room)
    giveBack(piece)
    return larger
  }

  private static func kind(of piece: UnsafeMutableRawPointer) -> Int { (piece - header).load(as: Int.self) }

  /// What fits in `piece`.
  static func room(in piece: UnsafeMutableRawPointer) -> Int { (piece - 8).load(as: Int.self) }
}

@inline(__always)
private func memory(_ context: UnsafeMutableRawPointer?) -> Unmanaged<SessionMemory> {
  guard let context else { preconditionFailure("A session is made with its memory.") }
  return Unmanaged.fromOpaque(context)
}

private func takeMemory(_ size: Int, context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  memory(context)._withUnsafeGuaranteedRef { $0.take(size) }
}

private func giveMemoryBack(_ piece: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?) {
  guard let piece else { return }
  memory(context)._withUnsafeGuaranteedRef { $0.giveBack(piece) }
}

private func takeClearedMemory(
  _ count: Int, _ size: Int, context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  memory(context)._withUnsafeGuaranteedRef { $0.takeCleared(count, of: size) }
}

private func resizeMemory(
  _ piece: UnsafeMutableRawPointer?, _ size: Int, context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  guard let piece else { return takeMemory(size, context: context) }
  return memory(context)._withUnsafeGuaranteedRef { $0.resize(piece, to: size) }
}
