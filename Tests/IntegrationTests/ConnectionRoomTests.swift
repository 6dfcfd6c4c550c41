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
