import Foundation
import GatewayCore
import GatewayIO
import Testing

@testable import gatewayd

/// Protects socket activation: a socket goes to the listener of its address, once, and a wrong one is named.
@Suite("Inherited sockets") struct InheritedSocketsTests {
  /// A second descriptor of the same socket, as systemd hands one over.
  private func inherit(_ socket: ListeningSocket) -> Int32 { dup(socket.raw) }

  @Test("Each is matched by its address and given out once") func matching() throws {
    let folder = try TemporaryFolder()
    let tcp = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    let unix = try ListeningSocket(.unix(path: folder.path + "/s"))
    guard case .tcp(_, let port) = tcp.address else {
      Issue.record("a TCP listener has a TCP address")
      return
    }
    var inherited = try InheritedSockets(descriptors: [inherit(unix), inherit(tcp)])
    let elsewhere = inherited.take(.tcp(host: "::", port: port))
    #expect(elsewhere == nil)
    let found = inherited.take(.tcp(host: "127.0.0.1", port: port))
    #expect(found?.address == tcp.address)
    let again = inherited.take(.tcp(host: "127.0.0.1", port: port))
    #expect(again == nil)
    #expect(inherited.unclaimed == ["unix:\(folder.path)/s"])
    let second = inherited.take(.unix(path: folder.path + "/s"))
    #expect(second != nil)
    #expect(inherited.unclaimed.isEmpty)
  }

  @Test("A descriptor that is no listening socket is refused") func wrongDescriptor() throws {
    let folder = try TemporaryFolder()
    let file = open(try folder.write("file", "x"), O_RDONLY)
    #expect(throws: ListenError.self) { try InheritedSockets(descriptors: [file]) }
  }
}
