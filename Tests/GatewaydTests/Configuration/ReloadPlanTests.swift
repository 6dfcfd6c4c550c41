import BudgetThrottle
import GatewayCore
import Testing
import TokenStore

@testable import ConfigurationFile

/// Protects a reload from claiming what it does not do: a key that needs a restart keeps its old value and is named.
@Suite("Reload plan") struct ReloadPlanTests {
  private static var running: GatewayConfiguration {
    var configuration = GatewayConfiguration(store: .init(database: "/var/lib/gatewayd/gateway.sqlite"))
    configuration.providers = [.init(listen: .tcp(host: "::", port: 2197), environment: .development)]
    return configuration
  }

  @Test("The same values are an empty plan") func same() {
    let plan = ReloadPlan(running: Self.running, new: Self.running)
    #expect(plan.isEmpty)
    #expect(plan.summary == "nothing to apply")
  }

  @Test("What reloads is taken, what needs a restart is kept and named") func mixed() {
    var new = Self.running
    new.budget.standard.refreshesPerDay = 70
    new.tls = .init(certificateChain: [1], privateKey: Secret([2]))
    new.providers[0].listen = .tcp(host: "::", port: 2199)
    new.limits.streams = 10
    new.log.level = .debug
    new.log.format = .json
    let plan = ReloadPlan(running: Self.running, new: new)
    #expect(plan.atOnce == [.tlsCertificate, .tlsKey, .budgetRefreshesPerDay, .logLevel])
    #expect(plan.afterRestart == [.providerListen, .limitsStreams, .logFormat])
    #expect(plan.configuration.budget.standard.refreshesPerDay == 70)
    #expect(plan.configuration.tls == new.tls)
    #expect(plan.configuration.providers == Self.running.providers)
    #expect(plan.configuration.limits.streams == 1000)
    #expect(plan.configuration.log.level == .debug && plan.configuration.log.format == .text)
    #expect(
      plan.summary
        == "applied tls.certificate, tls.key, budget.refreshes-per-day, log.level; needs a restart: provider.listen, "
        + "limits.streams, log.format")
    #expect(ReloadPlan(running: plan.configuration, new: new).atOnce == [], "what was applied is not applied again")
  }

  @Test("A key that went or came in a list is a change of every key of that list") func lists() {
    var new = Self.running
    new.enrolments = [.init(key: Secret("k"), bundleIDs: [], environments: [.development])]
    let plan = ReloadPlan(running: Self.running, new: new)
    #expect(plan.atOnce == ConfigurationSection.enrolment.keys)
    #expect(plan.configuration.enrolments == new.enrolments)
  }

  @Test("Every key has a place in the configuration, but those that the gateway does not know") func slots() {
    let without = ConfigurationKey.allCases.filter { $0.slot == nil }
    #expect(without == [.tlsCA])
  }

  @Test("The keys of a repeated section all reload or none does, for a list is taken whole, client-ca excepted")
  func listsWhole() {
    for section in ConfigurationSection.allCases where section.isRepeated {
      let keys = section.keys.filter { $0 != .providerClientCA }
      #expect(Set(keys.map(\.facts.effect)).count == 1)
    }
  }

  @Test("A listener's client-ca reloads, though all else about listeners waits for a restart") func clientCA() {
    var new = Self.running
    new.providers[0].clientCA = [1]
    let plan = ReloadPlan(running: Self.running, new: new)
    #expect(plan.atOnce == [.providerClientCA] && plan.afterRestart == [])
    #expect(plan.configuration.providers == new.providers)

    new.providers[0].idleTimeout = .seconds(10)
    new.providers.append(.init(listen: .tcp(host: "::", port: 2198), environment: .production, clientCA: [2]))
    let mixed = ReloadPlan(running: Self.running, new: new)
    #expect(mixed.atOnce == [.providerClientCA])
    #expect(mixed.afterRestart == [.providerListen, .providerEnvironment, .providerCleartext, .providerIdleTimeout])
    #expect(mixed.configuration.providers.map(\.clientCA) == [[1]])
    #expect(mixed.configuration.providers[0].idleTimeout == .seconds(3600))
    #expect(ReloadPlan(running: mixed.configuration, new: new).atOnce == [], "what was applied is not applied again")

    var removed = plan.configuration
    removed.providers[0].clientCA = nil
    #expect(ReloadPlan(running: plan.configuration, new: removed).atOnce == [.providerClientCA])
  }

  @Test("Listeners on any free port take the client-ca of the one in the same place") func clientCAsOfTwins() {
    var running = Self.running
    running.providers = GatewayEnvironment.allCases.flatMap { environment in
      [1, 2].map { .init(listen: .tcp(host: "::", port: 0), environment: environment, clientCA: [$0]) }
    }
    var new = running
    new.providers[1].clientCA = [7]
    new.providers[3].clientCA = nil
    let taken = running.providers.takingClientCAs(from: new.providers)
    #expect(taken.map(\.clientCA) == [[1], [7], [1], nil])
    #expect(running.providers.takingClientCAs(from: []) == running.providers)
  }
}
