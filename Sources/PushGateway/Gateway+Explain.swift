import GatewayCore
public import GatewayReports
import TokenStore

/// Why a widget did or did not refresh. The ledger lends what it remembers, the search runs on the caller's thread, and
/// the ledger then gives names to what was found.
extension Gateway {
  public func explain(id: String) throws(AdminFailure) -> ExplainReport {
    let question = try ExplainQuestion(id)
    let view = try ask { worker in .success(worker.view(for: question)) }
    let findings = view.findings(about: question)
    return try ask { worker in
      let pushes = worker.reports(findings)
      guard !pushes.isEmpty else { return .failure(worker.nothingKnown(of: question)) }
      return .success(ExplainReport(id: id, pushes: pushes))
    }
  }

  public func explainNewest(_ count: Int, refusedOnly: Bool) throws(AdminFailure) -> ExplainListReport {
    let view = try ask { worker in .success(worker.view(ofNewest: count)) }
    let findings = view.newest(count, refusedOnly: refusedOnly)
    return try ask { worker in
      .success(
        ExplainListReport(
          pushes: Array(worker.reports(findings).prefix(count)),
          withoutCredential: findings.strange.map { worker.report($0) }))
    }
  }
}
