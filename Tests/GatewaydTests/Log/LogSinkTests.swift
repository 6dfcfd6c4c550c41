import Foundation
import GatewayCore
import Testing
import TokenStore

@testable import gatewayd

/// Protects the gateway from its own log: levels hold, lines stay whole, and a reader that does not read stops nobody.
@Suite("Log sink") struct LogSinkTests {
  private let clock: @Sendable () -> UnixTime = { UnixTime(milliseconds: 1) }

  @Test("A line below the level is not written, and the level can be changed while it runs") func levels() throws {
    let pipe = Pipe()
    let log = LogSink(
      format: .text, level: .warning, descriptor: pipe.fileHandleForWriting.fileDescriptor, clock: clock)
    log.info("no")
    #expect(!log.isRecording(.info) && log.isRecording(.warning))
    log.warning("first")
    log.setLevel(.debug)
    log.debug("second", (.count, "2"))
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == "1970-01-01T00:00:00.001Z warning first\n1970-01-01T00:00:00.001Z debug second count=2\n")
  }

  @Test("A reader that stands still costs lines, never the writer; the gap is told") func stalledReader() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    let log = LogSink(format: .json, level: .info, descriptor: descriptor, clock: clock)
    let filler = String(repeating: "x", count: 900)
    for _ in 0..<200 { log.info(filler) }
    let before = pipe.fileHandleForReading.availableData
    #expect(before.count < 200 * 900)
    log.info("again")
    try pipe.fileHandleForWriting.close()
    let rest = before + pipe.fileHandleForReading.readDataToEndOfFile()
    let lines = String(decoding: rest, as: UTF8.self).split(separator: "\n")
    let objects = lines.compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: String]
    }
    #expect(objects.count == lines.count, "every line is whole")
    let written = objects.count { $0["message"] == filler }
    let lost = objects.filter { $0["message"]?.contains("were lost") == true }.compactMap {
      $0["count"].flatMap(Int.init)
    }
    #expect(written + lost.reduce(0, +) == 200)
    #expect(lines.last?.contains("again") == true)
  }

  @Test("Lines of many threads are not mixed") func threads() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("log", "")
    let handle = try #require(FileHandle(forWritingAtPath: path))
    let log = LogSink(format: .json, level: .info, descriptor: handle.fileDescriptor, clock: clock)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask { for number in 0..<100 { log.info("writer \(writer)", (.count, "\(number)")) } }
      }
    }
    let lines = try folder.contents("log").split(separator: "\n")
    #expect(lines.count == 800)
    #expect(lines.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil })
  }
}
