import Testing

@testable import PushGateway

/// Limits hold for all loops together, and no loop gets all the connections.
@Suite("Connections of all loops") struct ConnectionRegisterTests {
  @Test("A new connection goes to the loop that has the fewest") func balance() {
    let register = ConnectionRegister(loops: 3)
    for _ in 0..<2 {
      for loop in 0..<3 { #expect(register.admit("a", atMost: 100, perAddress: 0) == .admitted(loop: loop)) }
    }
    register.release("a", from: 1, wasLeaving: false)
    #expect(register.admit("b", atMost: 100, perAddress: 0) == .admitted(loop: 1))
  }

  @Test("One address is held to its share, whichever loops its connections are on") func perAddress() {
    let register = ConnectionRegister(loops: 2)
    for _ in 0..<4 { #expect(register.admit("a", atMost: 100, perAddress: 4) != .tooManyOfAddress) }
    #expect(register.admit("a", atMost: 100, perAddress: 4) == .tooManyOfAddress)
    #expect(register.admit("b", atMost: 100, perAddress: 4) == .admitted(loop: 0))
    register.release("a", from: 1, wasLeaving: false)
    #expect(register.admit("a", atMost: 100, perAddress: 4) == .admitted(loop: 1))
  }

  @Test("One handshake too many ends the oldest of the loop that has the most, and never that of another")
  func handshakes() {
    let register = ConnectionRegister(loops: 2)
    for _ in 0..<3 { #expect(register.handshakeBegan(on: 1, atMost: 3) == nil) }
    #expect(register.handshakeBegan(on: 0, atMost: 3) == 1)
    register.handshakeEnded(on: 1)
    #expect(register.handshakeBegan(on: 0, atMost: 4) == nil)
  }

  @Test("Room is looked for on behalf of a few at once") func searches() {
    let register = ConnectionRegister(loops: 2)
    #expect(register.beginSearch(atMost: 1))
    #expect(!register.beginSearch(atMost: 1))
    register.endSearch()
    #expect(register.beginSearch(atMost: 1))
  }

  @Test("When all places are taken, one that leaves makes room for one, and only so many may leave at once")
  func leaving() {
    let register = ConnectionRegister(loops: 2)
    for _ in 0..<2 { _ = register.admit("a", atMost: 2, perAddress: 0) }
    #expect(register.admit("a", atMost: 2, perAddress: 0) == .full)
    #expect(register.beginLeaving(atMost: 1))
    #expect(!register.beginLeaving(atMost: 1))
    #expect(register.admit("a", atMost: 2, perAddress: 0) == .admitted(loop: 0))
    #expect(register.admit("a", atMost: 2, perAddress: 0) == .full)
    register.release("a", from: 1, wasLeaving: true)
    #expect(register.beginLeaving(atMost: 1))
  }
}
