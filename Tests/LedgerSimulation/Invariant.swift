/// What must hold after each step, whatever was played before it.
package enum Invariant: String, CaseIterable, Sendable {
  case budget = "no closed window of 24 h holds more charged hand-overs than the policies in force allow"
  case toll = "a hand-over is paid for once, as its toll says, and nothing else takes or gives budget"
  case mint = "no removal, return, override or restart mints a token"
  case bypass = "developer mode bypasses only what it was granted for, and never a production registration"
  case mark = "a mark lives until its hand-over, its expiration or its widget's removal, and only grows"
  case flight = "an unconfirmed hand-over ends by a receipt of its epoch, a newer one or its expiration"
  case liveness = "no widget stays stale while its device can take a refresh and its budget has room"
  case delivery = "a stream gets an event only when it has taken all before, and what is sent again keeps id and order"
  case promise = "a refresh that was answered 200 and has not expired reaches its device in the end"
  case answer = "the answer to a push says what became of it, and a client that waits as told passes"
  case fanOut =
    "a fan-out marks each widget that it is for once, over restarts too, and its counts are what became of them"
  case retry = "an apns-id that was accepted lately marks and charges nothing, over restarts too"
  case peek = "asking changes nothing"
  case durable = "what is read back after a crash is the ledger as of the last commit"
  case clock = "ledger time runs with the boot clock, and no step of the wall clock turns it back"
  case token = "every token finds the registration that holds it, and no other"
  case audit = "the audit only grows"
  case counts = "widgets are counted along by what they wait for as a look at each of them would"
  case bounded = "what the ledger keeps of a registration does not grow with the rate of pushes"
}
