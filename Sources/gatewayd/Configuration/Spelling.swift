/// What somebody may have meant by a name that nobody knows.
enum Spelling {
  /// - Returns: the nearest of `candidates`, if a third of the word or less is different.
  static func suggestion(for word: String, among candidates: [String]) -> String? {
    let tolerance = max(1, word.count / 3)
    let ranked = candidates.map { (name: $0, distance: distance(word, $0)) }
    guard let nearest = ranked.min(by: { $0.distance < $1.distance }), nearest.distance <= tolerance else {
      return nil
    }
    return nearest.name
  }

  /// Levenshtein's edit distance, at most 64 characters of each word; two swapped neighbours count as one edit.
  static func distance(_ left: String, _ right: String) -> Int {
    let (from, to) = (Array(left.prefix(64)), Array(right.prefix(64)))
    var rows = [Array(0...to.count)]
    for row in 0..<from.count {
      var current = [row + 1]
      for column in 0..<to.count {
        let substituted = rows[row][column] + (from[row] == to[column] ? 0 : 1)
        var best = min(rows[row][column + 1] + 1, current[column] + 1, substituted)
        if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
          best = min(best, rows[row - 1][column - 1] + 1)
        }
        current.append(best)
      }
      rows.append(current)
    }
    return rows[from.count][to.count]
  }
}
