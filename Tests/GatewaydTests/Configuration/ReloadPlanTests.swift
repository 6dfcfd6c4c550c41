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
    #expect(without == [.providerClientCA, .tlsCA])
  }

  @Test("The keys of a repeated section all reload or none does, for a list is taken whole") func listsWhole() {
    for section in ConfigurationSection.allCases where section.isRepeated {
      #expect(Set(section.keys.map(\.facts.effect)).count == 1)
    }
  }
}
