import GatewayCore
import Testing

@testable import PushGateway

/// Protects pushes under way from the end of their connection, and the end of a connection from clients that hear nothing.
@Suite("The goodbye to a provider") struct FarewellTests {
  private let quiet = Farewell.View(hasAnnounced: false, isQuiet: true, lastStream: 1)
  private let busy = Farewell.View(hasAnnounced: false, isQuiet: false, lastStream: 3)
  private let told = Farewell.View(hasAnnounced: true, isQuiet: true, lastStream: 3)

  /// A turn-by-turn script: what is seen and when, and what follows. `pong` is an acknowledged PING.
  private func play(_ turns: [(pong: Bool, view: Farewell.View, at: Int64, step: Farewell.Step)]) {
    var farewell = Farewell(Refusal(.shutdown), at: 0)
    for turn in turns {
      let step = turn.pong ? farewell.pingAcknowledged(turn.view, at: turn.at) : farewell.next(turn.view, at: turn.at)
      #expect(step == turn.step, "at \(turn.at)")
    }
  }

  @Test(
    "A quiet connection is told after one round trip, and again two later", arguments: [(3, 20), (40, 80), (450, 900)])
  func pause(roundTrip: Int64, wait: Int64) {
    play([
      (false, quiet, 0, .ping), (false, quiet, 1, .wait), (true, quiet, roundTrip, .announce(whenQuiet: false)),
      (false, told, roundTrip, .wait), (false, told, roundTrip + wait - 1, .wait),
      (false, told, roundTrip + wait, .leave),
    ])
  }

  @Test("A push that came while the PING was on its way makes it wait for the next pause")
  func crossed() {
    let later = Farewell.View(hasAnnounced: false, isQuiet: true, lastStream: 3)
    play([
      (false, quiet, 0, .ping), (true, busy, 10, .wait), (false, busy, 25, .wait), (false, later, 50, .ping),
      (true, later, 60, .announce(whenQuiet: false)),
    ])
    play([(false, quiet, 0, .ping), (true, later, 10, .wait)])
  }

  @Test(
    "A client that never pauses is told behind an answer, and in the midst of its pushes when there is no other way")
  func neverQuiet() {
    play([
      (false, busy, 0, .ping), (true, busy, 1, .wait), (false, busy, 499, .wait),
      (false, busy, 500, .announce(whenQuiet: true)), (false, busy, 999, .announce(whenQuiet: true)),
      (false, busy, 1000, .announce(whenQuiet: false)), (false, told, 1025, .wait), (false, told, 1045, .leave),
    ])
  }

  @Test("A client that answers no PING is told all the same, and has a second between both goodbyes")
  func deaf() {
    play([
      (false, quiet, 0, .ping), (false, quiet, 475, .wait), (false, quiet, 500, .announce(whenQuiet: true)),
      (false, told, 525, .wait), (false, told, 1524, .wait), (false, told, 1525, .leave),
    ])
  }

  @Test("An answer to a PING that was not sent changes nothing")
  func unasked() { play([(true, quiet, 0, .wait), (false, quiet, 1, .ping)]) }

  @Test("After the second goodbye only the end is left, in the end for those too who talk on")
  func ends() {
    play([
      (false, told, 0, .wait), (false, told, 1000, .leave), (false, told, 1025, .end(silence: 2000)),
      (false, told, 10_999, .end(silence: 2000)), (false, told, 11_000, .end(silence: 0)),
    ])
  }
}
