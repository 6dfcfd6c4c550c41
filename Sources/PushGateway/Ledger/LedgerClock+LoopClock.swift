import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore

/// The ledger's time by the loop's clocks.
extension LedgerClock {
  init(continuing last: StoredClock?, bootID: String, now: LoopClock) {
    self.init(continuing: last, bootID: bootID, boot: now.bootMilliseconds, wall: now.wallMilliseconds)
  }

  func time(_ now: LoopClock) -> LedgerTime { time(boot: now.bootMilliseconds) }

  func stored(_ now: LoopClock) -> StoredClock { stored(boot: now.bootMilliseconds, wall: now.wallMilliseconds) }
}
