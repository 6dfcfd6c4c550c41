import GatewayCore
import TokenStore

/// What may leave once one batch is durable. Objects are used again, so that a push makes no array.
final class PendingOutput {
  struct PushAnswer: Sendable {
    var place: RequestPlace
    var id: PushID
    var number: UInt64
    var tally: PushVerdict.Tally
  }

  /// A response or a part of one, of either role.
  struct Answer: Sendable {
    var place: RequestPlace
    var status: Int
    var body: [UInt8]
    var part = Part.whole
    /// It changed nothing and waits only since what it speaks of may not be durable yet: it can be asked again.
    var isRead = false
  }

  enum Part: Sendable {
    case whole
    /// A whole answer about a fan-out, with the fields of a push's.
    case fanOut(PushID, location: String?)
    /// One event of a stream that was opened before.
    case event(isLast: Bool)
  }

  var pushes: [PushAnswer] = []
  var deliveries: [Delivery] = []
  var answers: [Answer] = []
  var notices: [@Sendable () -> Void] = []

  var isEmpty: Bool { pushes.isEmpty && deliveries.isEmpty && answers.isEmpty && notices.isEmpty }

  /// What it takes in memory, roughly; notices aside, which are as few as admin threads.
  var byteCount: Int {
    answers.reduce(
      pushes.count * MemoryLayout<PushAnswer>.stride + deliveries.count * MemoryLayout<Delivery>.stride
    ) { $0 + MemoryLayout<Answer>.stride + $1.body.count }
  }

  func append(_ other: PendingOutput) {
    pushes += other.pushes
    deliveries += other.deliveries
    answers += other.answers
    notices += other.notices
  }

  func removeAll() {
    pushes.removeAll(keepingCapacity: true)
    deliveries.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
    notices.removeAll(keepingCapacity: true)
  }
}
