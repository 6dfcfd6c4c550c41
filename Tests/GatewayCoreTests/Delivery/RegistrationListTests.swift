@testable import GatewayCore
import Testing
import TokenStore

/// Protects: sweeps, pages and fan-outs, which walk over all registrations in slices while these come and go.
@Suite("A walk over the registrations meets everybody once, in the order in which they came")
struct RegistrationListTests {
  private let sample = SampleLedger()

  private func list(_ count: UInt8) throws -> RegistrationList {
    var list = RegistrationList()
    for number in 1...count {
      list.append(try sample.register([], on: sample.device(UInt64(number)), fresh: number))
    }
    return list
  }

  @Test("It goes on behind the last id, whatever left meanwhile", arguments: [1, 2, 3, 5])
  func survivesRemoval(everyNth: Int) throws {
    var list = try list(200)
    let all = Array(list)
    var walk = RegistrationWalk()
    var met: [UInt64] = []
    for _ in 0..<50 { if let next = walk.next(in: list) { met.append(next.id) } }
    for (place, registration) in all.enumerated() where place % everyNth == 0 { list.remove(registration) }
    while let next = walk.next(in: list) { met.append(next.id) }
    let stayed = all.enumerated().filter { $0.offset < 50 || $0.offset % everyNth != 0 }.map(\.element.id)
    #expect(met == stayed)
    #expect(list.count == Array(list).count)
  }

  @Test("It can be taken up again from an id alone", arguments: [0, 1, 77, 199, 200])
  func resumes(after count: Int) throws {
    var list = try list(200)
    let all = Array(list)
    for registration in all[20..<60] { list.remove(registration) }
    let id = count == 0 ? 0 : all[count - 1].id
    var walk = RegistrationWalk(after: id)
    var met: [UInt64] = []
    while let next = walk.next(in: list) { met.append(next.id) }
    #expect(met == all.map(\.id).filter { $0 > id && !(all[20].id...all[59].id).contains($0) })
  }
}
