import GatewayIO
import TokenStore

/// What `gatewayctl push` is about to do.
struct PushPlan {
  let target: ServerTarget
  let environment: GatewayEnvironment
  let pushes: [(token: String, request: ClientRequest)]
}
