import ConfigurationFile
import Foundation
import Testing

@testable import CommandLineInterface
@testable import gatewayctl
@testable import gatewayd

/// Protects the manual pages and completions from missing what the programs understand, and from faults that only
/// their readers (man, bash, zsh, fish) would find.
@Suite("Shipped documents") struct ShippedDocumentTests {
  private static let programs = [gatewayd.Program.gatewayd, gatewayctl.Program.gatewayctl]
  private static let manuals = ["gatewayd.8", "gatewayd.toml.5", "gatewayctl.1"]

  /// What `generate FILE` prints.
  private static func document(_ name: String) throws -> String {
    let output = Output.captured()
    let program = try #require(programs.first { name.contains($0.name) })
    try #require(program.run(["generate", name], output: output) == .success, "\(output.errorText)")
    return output.printedText
  }

  @Test("A program's page describes every command, with every argument, option and example", arguments: programs)
  func manual(program: Command) throws {
    let page = try Self.document(program.name == "gatewayd" ? "gatewayd.8" : "gatewayctl.1")
    for path in CommandPath.leaves(of: program) {
      let title = ".SS \"\(Roff.escaped(path.name))\"\n"
      let start = try #require(page.range(of: title), "\(path.name) is missing").upperBound
      let rest = page[start...]
      let section = rest.range(of: "\n.S").map { rest[..<$0.lowerBound] } ?? rest
      for option in path.ownOptions {
        #expect(section.contains("\\fB" + Roff.escaped("--\(option.name)") + "\\fR"), "\(path.name): \(option.name)")
      }
      for positional in path.command.positionals {
        #expect(section.contains("\\fI" + Roff.escaped(positional.name) + "\\fR"))
      }
      for example in path.command.examples { #expect(section.contains(Roff.escaped(example.line))) }
    }
    for option in program.options { #expect(page.contains(Roff.escaped("--\(option.name)"))) }
  }

  @Test("The page of the configuration describes every key") func configuration() throws {
    let page = try Self.document("gatewayd.toml.5")
    for key in ConfigurationKey.allCases {
      let header = key.facts.section == .top ? "Before the first section" : key.facts.section.header
      let start = try #require(page.range(of: ".SS \"\(Roff.escaped(header))\"\n")).upperBound
      let rest = page[start...]
      let section = rest.range(of: "\n.S").map { rest[..<$0.lowerBound] } ?? rest
      #expect(section.contains("\n\\fB\(Roff.escaped(key.name))\\fR\n\(Roff.escaped(key.facts.summary))\n"), "\(key)")
    }
  }

  @Test("mandoc finds no fault", .enabled(if: Tool.mandoc.isThere), arguments: manuals) func lint(name: String) throws {
    let said = try Tool.mandoc.run(["-T", "lint", "-W", "warning"], input: try Self.document(name))
    let faults = said.split(separator: "\n").filter { !$0.contains("missing date") }
    #expect(faults == [])
  }

  @Test("groff, which man uses, finds no fault", .enabled(if: Tool.groff.isThere), arguments: manuals)
  func groff(name: String) throws {
    let said = try Tool.groff.run(["-man", "-ww", "-z", "-Tutf8"], input: try Self.document(name))
    #expect(said.isEmpty)
  }

  @Test("The hidden command is on no page, and names what it can print") func hidden() {
    for program in Self.programs {
      let output = Output.captured()
      _ = program.run(["--help"], output: output)
      #expect(!output.printedText.contains("generate"))
      #expect(program.run(["generate", "x"], output: output) == .usage)
      #expect(output.errorText.contains("no such file: 'x'; there are \(program.name)."))
    }
  }

  /// What each shell offers for the last word of a command line.
  struct Question: CustomTestStringConvertible {
    let words: [String]
    let offered: [String]

    init(_ words: [String], _ offered: [String]) {
      self.words = words
      self.offered = offered
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  private static let options = ["--config", "--socket", "--json", "--help"]
  private static let questions = [
    Question(["gatewayctl", "re"], ["registrations"]),
    Question(["gatewayctl", "--json", "--config", "budget", "ex"], ["explain"]),
    Question(["gatewayctl", "developer-mode", ""], ["on", "off", "list", "audit"]),
    Question(["gatewayctl", "developer-mode", "on", "--f"], ["--for"]),
    Question(["gatewayctl", "developer-mode", "on", "--for", "on", "--w"], ["--who", "--why"]),
    Question(["gatewayctl", "status", "--"], options),
    Question(["gatewayctl", "budget", ""], ["show", "reset"]),
    Question(["gatewayctl", "budget", "show", ""], []),
    Question(["gatewayd", ""], ["serve", "check", "init", "restore", "version"]),
    Question(["gatewayd", "init", "--bundle-id", ""], []),
  ]

  @Test("bash offers what may be typed", .enabled(if: Tool.bash.isThere), arguments: questions)
  func bash(question: Question) throws {
    let script = """
      \(try Self.document(question.words[0] + ".bash"))
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      _\(question.words[0])
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let said = try Tool.bash.run(["--norc", "-s", "--"] + question.words, input: script)
    #expect(Set(said.split(separator: "\n").map(String.init)) == Set(question.offered))
  }

  @Test("zsh offers what may be typed", .enabled(if: Tool.zsh.isThere), arguments: questions)
  func zsh(question: Question) throws {
    // Outside a completion there is nothing that would take the entries: they are printed, and those left out that do
    // not begin with the word.
    let script = """
      _describe() { print -l -- ${(PM)@[-1]:#$PREFIX*} }
      _files() { }
      \(try Self.document("_" + question.words[0]))
      words=("$@")
      CURRENT=$#
      PREFIX=$words[CURRENT]
      _\(question.words[0])
      """
    let said = try Tool.zsh.run(["-f", "-s", "--"] + question.words, input: script)
    let offered = said.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
    #expect(Set(offered.filter { !$0.isShort }) == Set(question.offered))
  }

  @Test("fish offers what may be typed", .enabled(if: Tool.fish.isThere), arguments: questions)
  func fish(question: Question) throws {
    let script = """
      \(try Self.document(question.words[0] + ".fish"))
      complete -C "\(question.words.joined(separator: " "))"
      """
    let said = try Tool.fish.run(["--no-config"], input: script)
    let offered = said.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    #expect(Set(offered.filter { !$0.isShort }) == Set(question.offered))
  }

  @Test("bash offers files where a file is wanted, with = as well as with a space")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("gateway one.toml"))
    for words in [["--config", folder.path + "/g"], ["--config", "=", folder.path + "/g"]] {
      let script = """
        \(try Self.document("gatewayctl.bash"))
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _gatewayctl
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      let said = try Tool.bash.run(["--norc", "-s", "--", "gatewayctl"] + words, input: script)
      #expect(said == folder.path + "/gateway one.toml\n")
    }
  }
}

extension String {
  /// `-c`
  fileprivate var isShort: Bool { count == 2 && hasPrefix("-") }
}
