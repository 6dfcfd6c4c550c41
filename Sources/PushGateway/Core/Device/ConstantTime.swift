/// Comparison that takes as long for a near miss as for a far one.
package enum ConstantTime {
  /// - Returns: whether both hold the same bytes. Only their lengths can be learnt from how long it takes.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
