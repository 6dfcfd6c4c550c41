import GatewayIO
import Testing

@testable import PushGateway

/// The descriptors that a gateway keeps for its store, its backups and its operators must not go to connections.
@Suite("Room for connections") struct ConnectionRoomTests {
  @Test("Those that stay and those that are told to leave have descriptors together", arguments: 9...3000)
  func leavingCountToo(descriptors: Int) {
    let bound = LoopWorker.connectionBound(descriptors: descriptors)
    #expect(bound >= 1 && bound + LoopWorker.leavingLimit(of: bound) <= descriptors)
  }

  @Test("Few descriptors are room for one", arguments: -1...9) func few(descriptors: Int) {
    #expect(LoopWorker.connectionBound(descriptors: descriptors) == 1)
  }
}

/// A full gateway sends away the connection that deserves it most, whichever loop has it.
@Suite("Room for one more, among loops") struct RoomSearchTests {
  private typealias Rank = RoomSearch.Rank

  private func search(among loops: Int) -> RoomSearch {
    RoomSearch(
      for: Newcomer(descriptor: -1, peer: PeerAddress(address: .unix(path: "")), door: 0), among: loops)
  }

  @Test("Every loop is asked once, and the one with the oldest idle connection makes room") func oldest() {
    var search = search(among: 3)
    #expect(search.heard(Rank(isTrusted: true, lastInput: 20), of: 1) == .ask(loop: 2))
    #expect(search.heard(Rank(isTrusted: true, lastInput: 10), of: 2) == .ask(loop: 0))
    #expect(search.heard(nil, of: 0) == .makeRoom(loop: 2))
  }

  @Test("A stranger goes before a backend that has been silent for longer") func strangers() {
    var search = search(among: 2)
    #expect(search.heard(Rank(isTrusted: true, lastInput: 1), of: 0) == .ask(loop: 1))
    #expect(search.heard(Rank(isTrusted: false, lastInput: 99), of: 1) == .makeRoom(loop: 1))
  }

  @Test("Where nobody is idle the newcomer is turned away", arguments: 1...3) func nobody(loops: Int) {
    var search = search(among: loops)
    for loop in 0..<(loops - 1) { #expect(search.heard(nil, of: loop) == .ask(loop: loop + 1)) }
    #expect(search.heard(nil, of: loops - 1) == .turnAway)
  }
}
