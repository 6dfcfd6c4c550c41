import Foundation
import GatewayCore
import GatewayReports
import Testing

@testable import gatewayd

/// Keeps `docs/http-api.md` and the admin API in step.
@Suite("Admin section of the HTTP API document") struct AdminDocumentTests {
  private static let routes: [(String, AdminRoute)] = [
    ("/healthz", .health), ("/readyz", .readiness), ("/metrics", .metrics), ("/v1/status", .status),
    ("/v1/registrations", .registrations), ("/v1/registrations/<token>", .registration(token: "<token>")),
    ("/v1/budgets/<token>", .budgets(token: "<token>")),
    ("/v1/budgets/<token>/reset", .budgetReset(token: "<token>")), ("/v1/developer-mode", .developerMode),
    ("/v1/developer-mode/audit", .developerModeAudit), ("/v1/explain/<id>", .explain(id: "<id>")),
    ("/v1/explain", .explainNewest), ("/v1/registrations/export", .registrationExport),
    ("/v1/registrations/import", .registrationImport), ("/v1/registrations/sweep", .registrationSweep),
    ("/v1/backup", .backup),
  ]

  private func section() throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/http-api.md")
    let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    let start = try #require(text.range(of: "\n## Admin\n"))
    let rest = text[start.upperBound...]
    return String(rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)])
  }

  @Test("Each route and method has its row, and each row is a route") func table() throws {
    let section = try section()
    var expected: Set<String> = []
    for (path, route) in Self.routes {
      #expect(AdminRoute(path: path) == route)
      for method in route.methods where method != "HEAD" { expected.insert("\(method) \(path)") }
    }
    let documented = section.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("| `") else { return nil }
      return String(line.dropFirst(3).prefix { $0 != "`" })
    }
    #expect(Set(documented) == expected)
    #expect(documented.count == expected.count)
  }

  @Test("The checks stand there by name, in their order") func checks() throws {
    let names = PushCheck.allCases.filter { $0 != .store }.map { "`\($0.rawValue)`" }
    let words = try section().split(separator: "\n").joined(separator: " ")
    #expect(words.contains(names.joined(separator: ", ")))
  }

  @Test("Each example is exactly what its type writes") func examples() throws {
    struct Grants: Codable { let entries: [DeveloperModeAuditEntry] }
    let types: [(String, any Codable.Type)] = [
      ("GET /v1/status", GatewayStatus.self), ("GET /v1/registrations", RegistrationPage.self),
      ("GET /v1/registrations/<token>", RegistrationReport.self), ("GET /v1/budgets/<token>", BudgetReport.self),
      ("POST /v1/registrations/import", ImportReport.self), ("POST /v1/registrations/sweep", SweepReport.self),
      ("PUT /v1/developer-mode", DeveloperModeReport.self), ("GET /v1/developer-mode/audit", Grants.self),
      ("GET /v1/explain/<id>", ExplainReport.self), ("GET /v1/explain", ExplainListReport.self),
    ]
    let section = try section()
    for (title, type) in types {
      let heading = try #require(section.range(of: "#### `\(title)`\n"), "\(title)")
      let open = try #require(section.range(of: "```json\n", range: heading.upperBound..<section.endIndex))
      let close = try #require(section.range(of: "```\n", range: open.upperBound..<section.endIndex))
      let example = Data(section[open.upperBound..<close.lowerBound].utf8)
      let value = try JSONDecoder().decode(type, from: example)
      let written = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value)) as? NSDictionary
      let documented = try JSONSerialization.jsonObject(with: example) as? NSDictionary
      #expect(written != nil && written == documented, "\(title)")
    }
  }
}
