import Foundation
import GatewayCore
import Testing
import TokenStore

@testable import gatewayd

/// Protects the gateway from its own log: levels hold, lines stay whole, and a reader that does not read stops nobody.
@Suite("Log sink") struct LogSinkTests {
  private let clock: @Sendable () -> UnixTime = { UnixTime(milliseconds: 1) }
  private let patience = Duration.seconds(60)

  @Test("A line below the level is not written, and the level can be changed while it runs") func levels() throws {
    let pipe = Pipe()
    let log = try LogSink(
      format: .text, level: .warning, descriptor: pipe.fileHandleForWriting.fileDescriptor, clock: clock)
    log.info("no")
    #expect(!log.isRecording(.info) && log.isRecording(.warning))
    log.warning("first")
    log.setLevel(.debug)
    log.debug("second", (.count, "2"))
    log.flush(within: patience)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == "1970-01-01T00:00:00.001Z warning first\n1970-01-01T00:00:00.001Z debug second count=2\n")
    #expect(log.linesLost == 0)
  }

  @Test("A reader that stands still costs lines, never the writer; the gap is told, and counted") func stalledReader()
    throws
  {
    let pipe = Pipe()
    // Its descriptor blocks, as that of a service manager's pipe does.
    let log = try LogSink(
      format: .json, level: .info, descriptor: pipe.fileHandleForWriting.fileDescriptor,
      room: LogQueue.Room(lines: 50, bytes: 1 << 20), clock: clock)
    let filler = String(repeating: "x", count: 900)
    for _ in 0..<1000 { log.info(filler) }
    let lost = log.linesLost
    #expect(lost > 0 && lost < 1000)
    // Nobody reads, and yet it does not wait for long.
    log.flush(within: .milliseconds(1))
    let reading = DispatchQueue(label: "reader")
    let read = Box()
    reading.async { read.data = pipe.fileHandleForReading.readDataToEndOfFile() }
    log.flush(within: patience)
    log.info("again")
    log.flush(within: patience)
    try pipe.fileHandleForWriting.close()
    reading.sync {}
    let lines = String(decoding: read.data, as: UTF8.self).split(separator: "\n")
    let objects = lines.compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: String]
    }
    #expect(objects.count == lines.count, "every line is whole")
    #expect(objects.count { $0["message"] == filler } == 1000 - lost)
    let told = objects.filter { $0["message"]?.contains("were lost") == true }.compactMap {
      $0["count"].flatMap(Int.init)
    }
    #expect(told.reduce(0, +) == lost)
    #expect(lines.last?.contains("again") == true)
  }

  @Test("Lines of many threads are not mixed") func threads() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("log", "")
    let handle = try #require(FileHandle(forWritingAtPath: path))
    let log = try LogSink(format: .json, level: .info, descriptor: handle.fileDescriptor, clock: clock)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask { for number in 0..<100 { log.info("writer \(writer)", (.count, "\(number)")) } }
      }
    }
    log.flush(within: patience)
    let lines = try folder.contents("log").split(separator: "\n")
    #expect(lines.count == 800)
    #expect(lines.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil })
  }

  @Test("A reader that has gone stops nobody either") func closedReader() throws {
    let pipe = Pipe()
    let log = try LogSink(
      format: .text, level: .info, descriptor: pipe.fileHandleForWriting.fileDescriptor, clock: clock)
    try pipe.fileHandleForReading.close()
    for _ in 0..<100 { log.info("to nobody") }
    log.flush(within: patience)
    #expect(log.linesLost == 0)
  }

  /// Written on the reader's queue, read after it has ended.
  private final class Box: @unchecked Sendable { var data = Data() }
}
