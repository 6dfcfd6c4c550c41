import CommandLineInterface
import GatewayIO

/// One connection to a provider listener, for requests that follow one another.
final class ProviderExchanges: TimerHandler {
  /// Milliseconds for a whole answer; what is watched takes as long as it takes.
  private static let patience: Int64 = 30_000

  private let target: ServerTarget
  private let loop: EventLoop
  private let connection: ClientConnection
  private var outcome: Result<ClientResponse, ClientError>?
  private var isTooLong = false
  private var timer: TimerID?

  init(target: ServerTarget) throws {
    self.target = target
    do { loop = try EventLoop() } catch { throw CommandFailure("\(error)") }
    connection = try target.connection(on: loop, pool: HTTP2StreamPool(limit: 4))
    connection.closed = { [weak self] error in self?.outcome = self?.outcome ?? .failure(error ?? .closed) }
    connection.start()
  }

  func close() { connection.close() }

  /// - Parameter receiving: gets the answer's parts as they come; a silence is no failure then.
  func send(_ request: ClientRequest, receiving: ((ClientResponsePart) -> Void)? = nil) throws -> ClientResponse {
    outcome = nil
    isTooLong = false
    if receiving == nil { timer = loop.schedule(after: Self.patience, self) }
    connection.send(request, receiving: receiving) { [weak self] result in self?.outcome = result }
    while outcome == nil, !isTooLong { loop.turn(waitingAtMost: 1000) }
    if let timer = timer.take() { loop.cancel(timer) }
    switch outcome {
    case .success(let response): return response
    case .failure(let error): throw CommandFailure("cannot ask \(target.name): \(PushSender.sentence(for: error))")
    case nil: throw CommandFailure("cannot ask \(target.name): no answer within \(Self.patience / 1000) s")
    }
  }

  func timerFired(_ token: UInt64) { isTooLong = true }
}
