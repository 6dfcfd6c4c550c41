import GatewayCore

/// What one turn of the ledger has for one loop, in the order in which it is to be taken.
struct LoopOutput: Sendable {
  var replies: [LoopReply] = []
  var pushes: [PendingOutput.PushAnswer] = []
  var answers: [PendingOutput.Answer] = []
  var deliveries: [(connection: ConnectionID, delivery: Delivery)] = []

  var isEmpty: Bool { replies.isEmpty && pushes.isEmpty && answers.isEmpty && deliveries.isEmpty }
}
