/// Which side of a connection this end is.
package enum HTTP2Role: Sendable {
  case server, client
}
