import CommandLineInterface
import GatewayCore
import GatewayReports

/// `gatewayctl registrations import FILE`
enum RegistrationImportCommand {
  private static let dryRun = CommandOption.flag("dry-run", help: "say what would be done, and do nothing")
  private static let who = CommandOption.value(
    "who", "NAME", help: "who imports, for the log", standard: "your user name")

  /// Lines and bytes that travel in one request.
  private static let linesPerRequest = 1000
  private static let bytesPerRequest = 512 << 10
  /// Lines that are named in what people read; `--json` has all.
  private static let notesShown = 100

  static let command = Command(
    "import", summary: "Takes over registrations that an export wrote.",
    discussion: """
      Adds what is new and changes nothing that is there, so that it can be repeated. A line that is wrong is named, and
      the others are taken over; exit code 1 says that there was one. Devices keep their keys, and their tokens.
      """,
    positionals: [Positional("FILE", help: "JSON lines; - is standard input")],
    options: [dryRun, who],
    examples: [
      .init("gatewayctl registrations import all.jsonl --dry-run", "what would it do?"),
      .init("gatewayctl registrations import all.jsonl", "do it"),
    ]
  ) { invocation in
    var run = Run(
      admin: try invocation.admin(),
      query: [
        ("dry-run", invocation.has(dryRun) ? "true" : "false"), ("who", invocation.value(who) ?? UnixUser.name),
      ], invocation: invocation, total: ImportReport(dryRun: invocation.has(dryRun)))
    let reader = try LineReader(invocation.arguments[0], longest: RegistrationLine.maximumBytes)
    while let line = try reader.next() { try run.take(line) }
    try run.send()
    if invocation.wantsJSON {
      try invocation.output.printJSON(run.total)
    } else {
      if run.unnamed > 0 { invocation.output.error("… and \(run.unnamed) lines more") }
      invocation.output.print(text(of: run.total))
    }
    return run.total.refused > 0 ? .failure : .success
  }

  private struct Run {
    let admin: AdminClient
    let query: [(String, String?)]
    let invocation: Invocation
    var total: ImportReport
    var unnamed = 0
    private var body: [UInt8] = []
    private var lines = 0
    /// Lines of the file before those of `body`.
    private var before = 0

    init(admin: AdminClient, query: [(String, String?)], invocation: Invocation, total: ImportReport) {
      self.admin = admin
      self.query = query
      self.invocation = invocation
      self.total = total
    }

    mutating func take(_ line: LineReader.Line) throws {
      lines += 1
      switch line {
      case .whole(let bytes): body += bytes
      case .tooLong:
        total.lines += 1
        total.refused += 1
        unsent.append(
          ImportReport.Note(
            line: lines, error: "line-too-long",
            detail: "the line has more than \(RegistrationLine.maximumBytes) bytes"))
      }
      body.append(UInt8(ascii: "\n"))
      if lines >= linesPerRequest || body.count >= bytesPerRequest { try send() }
    }

    mutating func send() throws {
      guard lines > 0 else { return }
      let answer: AdminClient.Answer<ImportReport>
      do {
        answer = try admin.upload(["registrations", "import"], query: query, lines: body)
      } catch let failure as CommandFailure {
        throw CommandFailure("\(failure.message); lines 1 to \(before) are done, and the import can be repeated")
      }
      var report = answer.report
      for var note in (report.notes + unsent).sorted(by: { $0.line < $1.line }) {
        note.line += before
        name(note)
      }
      report.notes = []
      unsent = []
      total.add(report)
      before += lines
      lines = 0
      body.removeAll(keepingCapacity: true)
    }

    private mutating func name(_ note: ImportReport.Note) {
      if invocation.wantsJSON {
        total.notes.append(note)
      } else if shown < notesShown {
        shown += 1
        invocation.output.error("line \(note.line): \(note.error): \(note.detail.printable)")
      } else {
        unnamed += 1
      }
    }

    private var shown = 0
    /// Of lines that are not sent at all.
    private var unsent: [ImportReport.Note] = []
  }

  static func text(of report: ImportReport) -> String {
    var list = FieldList()
    list.add("lines", String(report.lines))
    list.add(report.dryRun ? "would be added" : "added", "\(report.added) registrations, \(report.devices) devices")
    list.add("unchanged", String(report.unchanged))
    list.add("kept as they are here", report.kept > 0 ? String(report.kept) : nil)
    list.add("refused", report.refused > 0 ? String(report.refused) : nil)
    return list.text(style: .plain)
  }
}
