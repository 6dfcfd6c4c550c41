import GatewayReports

/// Cuts what an export makes to the room that libmicrohttpd has. Only its connection's thread touches it.
final class AdminStream {
  private let export: any RegistrationExport
  private var part: ArraySlice<UInt8> = []

  init(_ export: any RegistrationExport) { self.export = export }

  /// - Returns: how many bytes were written, 0 at the end; nil when it cannot go on.
  func read(into room: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(AdminFailure) {
      if part.isEmpty { part = try export.nextPart()?[...] ?? [] }
    } catch {
      return nil
    }
    let count = min(room.count, part.count)
    part.prefix(count).withUnsafeBytes { room.copyMemory(from: $0) }
    part = part.dropFirst(count)
    return count
  }
}
