import GatewayCore
import Testing

@testable import PushGateway

/// Protects pushes under way from the end of their connection, and the end of a connection from clients that hear nothing.
@Suite("The goodbye to a provider") struct FarewellTests {
  private let quiet = Farewell.View(hasAnnounced: false, isQuiet: true, lastStream: 1)
  private let busy = Farewell.View(hasAnnounced: false, isQuiet: false, lastStream: 3)
  private let told = Farewell.View(hasAnnounced: true, isQuiet: true, lastStream: 3)

  /// A turn-by-turn script: what is seen and when, and what follows. Without a view, a PING is acknowledged.
  private func play(_ turns: [(at: Int64, view: Farewell.View?, step: Farewell.Step?)]) {
    var farewell = Farewell(Refusal(.shutdown), at: 0)
    for turn in turns {
      if let view = turn.view {
        let step = farewell.next(view, at: turn.at)
        #expect(step == turn.step, "at \(turn.at)")
      } else {
        farewell.pingAcknowledged(at: turn.at)
      }
    }
  }

  @Test(
    "A quiet connection is told after a round trip and a moment, and again two round trips later",
    arguments: [(3, 20), (40, 80), (450, 900)])
  func pause(roundTrip: Int64, wait: Int64) {
    let announced = roundTrip + 25
    play([
      (0, quiet, .ping), (1, quiet, .wait), (roundTrip, nil, nil), (announced - 1, quiet, .wait),
      (announced, quiet, .announce(whenQuiet: false)), (announced, told, .wait), (announced + wait - 1, told, .wait),
      (announced + wait, told, .leave),
    ])
  }

  @Test("A push that came while the PING was on its way, or right after, makes it wait for the next pause")
  func crossed() {
    let later = Farewell.View(hasAnnounced: false, isQuiet: true, lastStream: 3)
    play([
      (0, quiet, .ping), (10, nil, nil), (20, busy, .wait), (50, later, .ping), (60, nil, nil), (75, later, .wait),
      (100, later, .announce(whenQuiet: false)),
    ])
    play([(0, quiet, .ping), (10, nil, nil), (25, quiet, .wait), (50, later, .ping)])
  }

  @Test(
    "A client that never pauses is told behind an answer, and in the midst of its pushes when there is no other way")
  func neverQuiet() {
    play([
      (0, busy, .ping), (1, nil, nil), (25, busy, .wait), (499, busy, .wait),
      (500, busy, .announce(whenQuiet: true)), (999, busy, .announce(whenQuiet: true)),
      (1000, busy, .announce(whenQuiet: false)), (1025, told, .wait), (1045, told, .leave),
    ])
  }

  @Test("A client that answers no PING is told all the same, and has a second between both goodbyes")
  func deaf() {
    play([
      (0, quiet, .ping), (475, quiet, .wait), (500, quiet, .announce(whenQuiet: true)), (525, told, .wait),
      (1524, told, .wait), (1525, told, .leave),
    ])
  }

  @Test("An answer to a PING that was not sent changes nothing")
  func unasked() { play([(0, nil, nil), (1, quiet, .ping), (50, quiet, .wait)]) }

  @Test("After the second goodbye only the end is left, in the end for those too who talk on")
  func ends() {
    play([
      (0, told, .wait), (1000, told, .leave), (1025, told, .end(silence: 2000)), (10_999, told, .end(silence: 2000)),
      (11_000, told, .end(silence: 0)),
    ])
  }
}
