import HTTPMessage
import Testing

@testable import GatewayIO

/// Protects the recognition of names, which runs for every field of every request, and the limits' arithmetic.
@Suite("HTTP/2 parts") struct HTTP2FieldNameTests {
  private func name(_ text: String) -> FieldName? { Array(text.utf8).withUnsafeBytes { FieldName($0) } }

  @Test("Each known name is recognised", arguments: FieldName.allCases)
  func known(field: FieldName) { #expect(name(String(describing: field.text)) == field) }

  @Test("A name that differs in one byte, anywhere, is another name", arguments: FieldName.allCases)
  func nearby(field: FieldName) {
    let text = Array(String(describing: field.text).utf8)
    for index in text.indices {
      var other = text
      other[index] ^= 0x20
      #expect(other.withUnsafeBytes { FieldName($0) } != field)
    }
    #expect(Array(text.dropLast()).withUnsafeBytes { FieldName($0) } != field)
    #expect((text + [120]).withUnsafeBytes { FieldName($0) } != field)
  }

  @Test("Unknown names of every length are unknown", arguments: 0..<40)
  func unknown(length: Int) { #expect(name(String(repeating: "z", count: length)) == nil) }

  @Test("An allowance refills with time, never beyond its burst, and not backwards")
  func allowance() {
    var allowance = FrameAllowance(burst: 3, perSecond: 2)
    func spend(at times: UInt64...) -> [Bool] { times.map { allowance.spend(at: $0) } }
    #expect(spend(at: 5000, 5000, 5000, 5000) == [true, true, true, false])
    #expect(spend(at: 4000, 5499, 5500, 5500) == [false, false, true, false])
    allowance.refund()
    #expect(spend(at: 5500, 5500) == [true, false])
    #expect(spend(at: .max, .max, .max, .max) == [true, true, true, false])
  }
}
