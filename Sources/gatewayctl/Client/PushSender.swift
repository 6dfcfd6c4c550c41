import CommandLineInterface
import GatewayIO

/// Sends the pushes of a plan over one connection, some at a time, and gathers the answers in the plan's order.
final class PushSender: TimerHandler {
  private static let window = 100
  /// Milliseconds without any answer.
  private static let patience: Int64 = 30_000

  private let plan: PushPlan
  private let loop: EventLoop
  private let connection: ClientConnection
  private var results: [PushResult?]
  private var next = 0
  private var answered = 0
  private var failure: String?
  private var isDone = false
  private var timer: TimerID?

  init(plan: PushPlan, loop: EventLoop) throws {
    self.plan = plan
    self.loop = loop
    connection = try plan.target.connection(on: loop, pool: HTTP2StreamPool(limit: 256))
    results = plan.pushes.map { _ in nil }
  }

  func run() throws -> [PushResult] {
    connection.closed = { [weak self] error in self?.ended(error) }
    connection.start()
    wait()
    while next < min(Self.window, plan.pushes.count) { sendNext() }
    while !isDone { loop.turn(waitingAtMost: 1000) }
    connection.close()
    if let failure {
      throw CommandFailure("cannot push to \(plan.target.name): \(failure)")
    }
    return results.compactMap { $0 }
  }

  private func sendNext() {
    guard next < plan.pushes.count else { return }
    let index = next
    next += 1
    connection.send(plan.pushes[index].request) { [weak self] result in self?.answered(index, result) }
  }

  private func answered(_ index: Int, _ result: Result<ClientResponse, ClientError>) {
    switch result {
    case .success(let response):
      results[index] = PushResult(token: plan.pushes[index].token, response: response)
      answered += 1
      wait()
      if answered == plan.pushes.count { isDone = true } else { sendNext() }
    case .failure(let error):
      failure = failure ?? Self.sentence(for: error)
      isDone = true
    }
  }

  private func ended(_ error: ClientError?) {
    guard !isDone else { return }
    failure = failure ?? Self.sentence(for: error ?? .closed)
    isDone = true
  }

  private func wait() {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: Self.patience, self)
  }

  func timerFired(_ token: UInt64) {
    failure = "no answer within \(Self.patience / 1000) s"
    isDone = true
  }

  static func sentence(for error: ClientError) -> String {
    switch error {
    case .unreachable: "\(error): is gatewayd running?"
    case .transport(.tls): "\(error) (--ca FILE says whom to trust, --server-name NAME what the certificate is for)"
    default: error.description
    }
  }
}
