import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects the form in which marks and hand-overs are kept, each once for all widgets that share it, against the plain
/// one: a mark and a hand-over a widget.
@Suite("Marks and hand-overs that widgets share") struct StandingPushesTests {
  private static let widgets = 5

  /// Each widget for itself, by the rules of `Mark` and `InFlight` alone.
  private struct Plain: Equatable {
    var marks = [Mark?](repeating: nil, count: StandingPushesTests.widgets)
    var flights = [InFlight?](repeating: nil, count: StandingPushesTests.widgets)

    init() {}

    init(_ standing: StandingPushes) {
      for widget in 0..<StandingPushesTests.widgets {
        marks[widget] = standing.mark(of: widget)
        flights[widget] = standing.inFlight(of: widget)
      }
    }
  }

  private static func content(_ number: UInt64) -> PushContent {
    PushContent(
      number: number, id: SampleLedger.pushID(number), payload: number % 3 == 0 ? [UInt8(number & 0xFF)] : nil)
  }

  @Test(
    "They agree with one for each widget, whatever is marked, handed over, confirmed or cleared",
    arguments: Seeds.usual(60))
  func likePlain(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var standing = StandingPushes()
    var plain = Plain()
    var sequence: UInt64 = 1
    for number in UInt64(1)...400 {
      let some = WidgetSet(bits: UInt64.random(in: 0..<(1 << UInt64(Self.widgets)), using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let now = Int64(number) * 10
        let mark = Mark(
          number: number,
          expires: random.oneIn(4) ? .distantPast : LedgerTime(milliseconds: now + .random(in: 1...60, using: &random)),
          first: LedgerTime(milliseconds: now),
          priority: RefreshPriority.allCases.randomElement(using: &random) ?? .immediate)
        guard !some.isEmpty else { continue }
        standing.mark(some, by: mark, Self.content(number))
        for widget in some { plain.marks[widget] = plain.marks[widget].map { $0.renewed(by: mark) } ?? mark }
      case 2, 3:
        standing.handOver(some, epoch: 2, sequence: sequence)
        for widget in some {
          guard let mark = plain.marks[widget] else { continue }
          plain.flights[widget] = InFlight(of: mark, epoch: 2, sequence: sequence, after: plain.flights[widget])
          plain.marks[widget] = nil
        }
        sequence += 1
      case 4:
        let upTo = UInt64.random(in: 0...sequence, using: &random)
        let epoch: UInt64 = random.oneIn(4) ? 1 : 2
        standing.receive(epoch: epoch, upTo: upTo)
        for widget in 0..<Self.widgets where plain.flights[widget]?.isConfirmed(by: epoch, upTo: upTo) == true {
          plain.flights[widget] = nil
        }
      default:
        let others = WidgetSet(bits: UInt64.random(in: 0..<8, using: &random))
        standing.clear(marks: some, inFlight: others)
        for widget in some { plain.marks[widget] = nil }
        for widget in others { plain.flights[widget] = nil }
      }
      #expect(Plain(standing) == plain)
      let named = Set((plain.marks.map { $0?.number } + plain.flights.map { $0?.number }).compactMap { $0 })
      #expect(Set(standing.map(\.content.number)) == named, "a push stays exactly as long as a widget names it")
      for number in named { #expect(standing.content(of: number) == Self.content(number)) }
      #expect(standing.allSatisfy { !$0.widgets.isEmpty })
      #expect(
        standing.marked
          == WidgetSet(bits: plain.marks.indices.reduce(0) { $0 | (plain.marks[$1] == nil ? 0 : 1 << $1) }))
      for one in standing.indices {
        for other in standing.indices where other > one { #expect(standing[one].role != standing[other].role) }
      }
    }
  }

  @Test("What all widgets share is kept once")
  func shares() {
    var standing = StandingPushes()
    let mark = Mark(
      number: 1, expires: .distantFuture, first: LedgerTime(milliseconds: 0), priority: .immediate)
    standing.mark(WidgetSet(first: 64), by: mark, Self.content(1))
    #expect(standing.count == 1)
    standing.handOver(WidgetSet(first: 64), epoch: 1, sequence: 1)
    #expect(standing.count == 1)
    #expect(standing.marked.isEmpty)
    #expect(standing.inFlight.count == 64)
  }
}
