import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects that a token always finds its own registration, also after removals between tokens that collide.
@Suite("Token index") struct TokenIndexTests {
  private static func registration(
    _ id: UInt64, _ token: DeviceToken, _ environment: GatewayEnvironment, on device: DeviceState, _ app: App
  ) -> RegistrationState {
    RegistrationState(id: id, app: app, device: device, environment: environment, token: token)
  }

  @Test("It agrees with a dictionary, whatever comes and goes", arguments: Seeds.usual(20))
  func likeDictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let device = SampleLedger().device()
    let app = App(try SampleLedger.bundleID())
    let index = TokenIndex()
    var plain: [RetiredToken.Key: RegistrationState] = [:]
    for step in UInt64(1)...2000 {
      // Tokens that differ in length only, too.
      let byte = UInt8.random(in: 0...60, using: &random)
      let token = try SampleLedger.token(byte, count: random.oneIn(2) ? 32 : 1 + Int(byte))
      let environment: GatewayEnvironment = random.oneIn(3) ? .production : .development
      let key = RetiredToken.Key(token: token, environment: environment)
      if let known = plain[key] {
        #expect(index.find(token, in: environment) === known)
        if random.oneIn(2) {
          index.remove(known)
          plain[key] = nil
        }
      } else {
        #expect(index.find(token, in: environment) == nil)
        let new = Self.registration(step, token, environment, on: device, app)
        index.insert(new)
        plain[key] = new
      }
      #expect(index.count == plain.count)
    }
    for (key, known) in plain { #expect(index.find(key.token, in: key.environment) === known) }
  }

  @Test("It grows past its first room and finds everything; removing all leaves nothing")
  func grows() throws {
    let device = SampleLedger().device()
    let app = App(try SampleLedger.bundleID())
    let index = TokenIndex()
    var all: [RegistrationState] = []
    for number in UInt64(1)...1000 {
      let token = try #require(DeviceToken(bytes: withUnsafeBytes(of: number.bigEndian) { Array($0) }))
      all.append(Self.registration(number, token, .development, on: device, app))
      index.insert(all[all.count - 1])
    }
    for registration in all {
      #expect(index.find(registration.token, in: .development) === registration)
      #expect(index.find(registration.token, in: .production) == nil)
    }
    for registration in all { index.remove(registration) }
    #expect(index.count == 0)
    for registration in all { #expect(index.find(registration.token, in: .development) == nil) }
    index.remove(all[0])
    #expect(index.count == 0, "what is not in it cannot be taken out twice")
  }
}
