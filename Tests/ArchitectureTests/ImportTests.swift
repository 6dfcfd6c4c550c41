import Testing

/// Protects the plan of the house: the pure parts stay pure, Core and IO never meet but in PushGateway, and each C
/// library has one door.
@Suite("Imports") struct ImportTests {
  @Test("Every source imports what its folder may import, and nothing else")
  func sources() throws {
    let paths = try Repository.files(under: "Sources", suffix: ".swift")
    #expect(paths.count > 40, "the sources were not found")
    for path in paths {
      for violation in ImportRules.violations(in: try Repository.text(of: path), at: path) {
        Issue.record("\(violation)")
      }
    }
  }

  @Test("A forbidden import is found, with file and line, however it is written")
  func plantedViolation() {
    let source = """
      // import Foundation
      /* import Foundation /* nested */
         import Foundation */
      package import TokenStore
      let text = "; import Foundation"
      @preconcurrency package import class GatewayIO.Socket
      import TokenStore; import CSQLite // here
      #if canImport(Glibc)
        @_implementationOnly import Glibc
      #endif
      \tprivate import func Foundation.exp
      """
    #expect(
      ImportRules.violations(in: source, at: "Sources/PushGateway/Core/Request/Planted.swift") == [
        "Sources/PushGateway/Core/Request/Planted.swift:6: Sources/PushGateway/Core may not import GatewayIO",
        "Sources/PushGateway/Core/Request/Planted.swift:7: Sources/PushGateway/Core may not import CSQLite",
        "Sources/PushGateway/Core/Request/Planted.swift:9: Sources/PushGateway/Core may not import Glibc",
        "Sources/PushGateway/Core/Request/Planted.swift:11: Sources/PushGateway/Core may not import Foundation",
      ])
  }

  @Test("The inside of a multi-line text is no import, and what follows it is code again")
  func multiLineText() {
    let source = #"""
      let text = """
      import Foundation
      """
      import Glibc
      """#
    #expect(ImportScanner.imports(in: source) == [.init(module: "Glibc", line: 4)])
  }

  @Test(
    "Core and IO may not import each other, nor what belongs to the other",
    arguments: [
      ("Sources/PushGateway/Core/X.swift", "GatewayIO"), ("Sources/PushGateway/Core/X.swift", "PushGateway"),
      ("Sources/PushGateway/Core/X.swift", "Foundation"), ("Sources/PushGateway/Core/X.swift", "FoundationNetworking"),
      ("Sources/PushGateway/Core/X.swift", "Synchronization"), ("Sources/PushGateway/IO/TLS/X.swift", "GatewayCore"),
      ("Sources/PushGateway/IO/TLS/X.swift", "TokenStore"), ("Sources/PushGateway/IO/TLS/X.swift", "CNGHTTP2"),
      ("Sources/PushGateway/Connection/X.swift", "COpenSSL"), ("Sources/TokenStore/X.swift", "CSQLite"),
      ("Sources/TokenStore/X.swift", "Glibc"), ("Sources/BudgetThrottle/X.swift", "TokenStore"),
      ("Sources/gatewayd/X.swift", "FoundationNetworking"), ("Sources/gatewayctl/X.swift", "PushGateway"),
    ])
  func forbidden(path: String, module: String) {
    #expect(ImportRules.violations(in: "import \(module)", at: path).count == 1)
  }

  @Test("A folder without a rule is named")
  func unknownFolder() {
    #expect(ImportRules.violations(in: "", at: "Sources/Elsewhere/X.swift").count == 1)
  }

  @Test("Each C module is allowed in its home and nowhere else", arguments: ImportRules.homes.keys.sorted())
  func oneDoor(module: String) {
    let allowed = ImportRules.table.filter { $0.value.contains(module) }.map(\.key)
    #expect(Set(allowed) == ImportRules.homes[module])
  }

  @Test("Every C module of the package has a home, and every home's module exists")
  func homes() throws {
    let package = try Repository.text(of: "Package.swift")
    let declared = package.matches(of: /\.(?:systemLibrary|target)\(\s*name: "(C[A-Z][A-Za-z0-9]*)"/).map {
      String($0.output.1)
    }.filter { $0 != "CommandLineInterface" && $0 != "ConfigurationFile" }
    #expect(Set(declared) == Set(ImportRules.homes.keys))
  }
}
