/// What the simulation is asked to play.
struct CommandLineArguments {
  var first: UInt64 = 1
  var seeds: UInt64 = 1000
  var days: Int64 = 28
  var isTraced = false

  static let usage = """
    usage: LedgerSimulation [--seeds N] [--first SEED] [--seed SEED] [--days N] [--trace]
      --seeds N      how many seeds are played, one after another (1000)
      --first SEED   the first of them (1)
      --seed SEED    only this one; with --trace every step is told
      --days N       simulated days a seed (28)
    """

  init?(_ arguments: some Collection<String>) {
    var rest = Array(arguments[...])
    while !rest.isEmpty {
      let name = rest.removeFirst()
      if name == "--trace" {
        isTraced = true
        continue
      }
      guard !rest.isEmpty, let number = UInt64(rest.removeFirst()), number > 0, number < 1 << 48 else { return nil }
      switch name {
      case "--seeds": seeds = number
      case "--first": first = number
      case "--days": days = Int64(number)
      case "--seed": (first, seeds) = (number, 1)
      default: return nil
      }
    }
  }
}
