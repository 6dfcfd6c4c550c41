import GatewayCore
import GatewayIO

/// The ledger's way to the loops: plain calls where both share the only one, and else what a turn has for each of them
/// as one message.
final class LoopPorts {
  private enum Way {
    case unset
    case direct(LoopWorker)
    case posted([Mailbox<LoopMessage>])
  }

  private var way = Way.unset
  private var outputs: [LoopOutput] = []

  /// How many loops there are.
  var count: Int {
    switch way {
    case .unset: 0
    case .direct: 1
    case .posted(let mailboxes): mailboxes.count
    }
  }

  func connect(to worker: LoopWorker) { way = .direct(worker) }

  func connect(to mailboxes: [Mailbox<LoopMessage>]) {
    way = .posted(mailboxes)
    outputs = Array(repeating: LoopOutput(), count: mailboxes.count)
  }

  func tell(_ reply: LoopReply) {
    switch way {
    case .unset: break
    case .direct(let worker): worker.hear(reply)
    case .posted: outputs[Int(reply.connection.loop)].replies.append(reply)
    }
  }

  func confirm(_ pushes: [PendingOutput.PushAnswer]) {
    switch way {
    case .unset: break
    case .direct(let worker): worker.confirm(pushes)
    case .posted:
      for answer in pushes { outputs[Int(answer.place.connection.loop)].pushes.append(answer) }
    }
  }

  func confirm(_ answer: PendingOutput.Answer) {
    switch way {
    case .unset: break
    case .direct(let worker): worker.confirm(answer)
    case .posted: outputs[Int(answer.place.connection.loop)].answers.append(answer)
    }
  }

  func deliver(_ delivery: Delivery, over connection: ConnectionID) {
    switch way {
    case .unset: break
    case .direct(let worker): worker.deliver(delivery, over: connection)
    case .posted: outputs[Int(connection.loop)].deliveries.append((connection, delivery))
    }
  }

  /// Sends what has gathered.
  func flush() {
    guard case .posted(let mailboxes) = way else { return }
    for index in outputs.indices where !outputs[index].isEmpty {
      mailboxes[index].postAlways(.output(outputs[index]))
      outputs[index] = LoopOutput()
    }
  }
}
