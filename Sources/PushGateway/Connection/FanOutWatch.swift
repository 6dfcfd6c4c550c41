/// A stream on which a client watches a fan-out.
struct FanOutWatch {
  let stream: Int32
  /// It has not taken what was written last.
  var isUnread = false
}
