import ConfigurationFile
import GatewayCore
import GatewayIO
import Glibc

/// What reading a configuration cannot tell: whether its certificates and keys are some, and whether this user may write
/// where it must.
struct ConfigurationCheck: Sendable {
  /// Each at the line of its key. Empty: `serve` has what it needs, ports aside.
  private(set) var errors: [ConfigurationError] = []
  private(set) var warnings: [String] = []

  init(_ loaded: LoadedConfiguration) {
    checkTLS(loaded)
    checkClientCAs(loaded)
    checkProviderKeys(loaded)
    checkDatabase(loaded)
    checkAdminSocket(loaded)
  }

  private mutating func checkTLS(_ loaded: LoadedConfiguration) {
    if let identity = loaded.gateway.tls {
      do throws(TLSError) {
        _ = try TLSContext.server(
          certificateChain: identity.certificateChain, privateKey: identity.privateKey.revealed)
      } catch {
        let files = [loaded.outline.certificateFile, loaded.outline.privateKeyFile].compactMap { $0 }
        errors.append(
          loaded.error(.tlsCertificate, "\(files.joined(separator: " with ")): cannot be used: \(error)"))
      }
    }
    guard let path = loaded.outline.caFile else { return }
    do throws(TLSError) {
      let contents = try Self.read(path)
      _ = try TLSContext.client(trust: .certificates(contents))
    } catch {
      errors.append(loaded.error(.tlsCA, "\(path): \(error)"))
    }
  }

  private mutating func checkClientCAs(_ loaded: LoadedConfiguration) {
    for (occurrence, listener) in loaded.gateway.providers.enumerated() {
      guard let clientCA = listener.clientCA else { continue }
      do throws(TLSError) {
        _ = try TLSContext.client(trust: .certificates(clientCA))
      } catch {
        let file = loaded.outline.clientCAFiles[occurrence] ?? ""
        errors.append(loaded.error(.providerClientCA, occurrence: occurrence, "\(file): cannot be used: \(error)"))
      }
    }
  }

  private static func read(_ path: String) throws(TLSError) -> [UInt8] {
    do {
      return try NamedFile.contents(of: path)
    } catch {
      throw TLSError("cannot be read: \(error)")
    }
  }

  private mutating func checkProviderKeys(_ loaded: LoadedConfiguration) {
    for (occurrence, key) in loaded.gateway.providerKeys.enumerated() {
      do throws(TLSError) {
        _ = try ES256PublicKey(pem: key.pem.revealed)
      } catch {
        let file = loaded.outline.providerKeys[occurrence].file
        errors.append(loaded.error(.providerKeyFile, occurrence: occurrence, "\(file): cannot be used: \(error)"))
      }
    }
  }

  private mutating func checkDatabase(_ loaded: LoadedConfiguration) {
    let path = loaded.gateway.store.database
    let folder = Self.folder(of: path)
    if access(folder, F_OK) != 0 {
      errors.append(
        loaded.error(.storeDatabase, "the folder \(folder) does not exist; make it, or let StateDirectory= of the unit")
      )
    } else if access(folder, W_OK | X_OK) != 0 {
      let cause = String(cString: strerror(errno))
      errors.append(
        loaded.error(
          .storeDatabase, "this user may not write in \(folder), where SQLite keeps its journal too (\(cause))"))
    } else if access(path, F_OK) == 0, access(path, R_OK | W_OK) != 0 {
      let cause = String(cString: strerror(errno))
      errors.append(loaded.error(.storeDatabase, "this user may not read and write \(path) (\(cause))"))
    }
  }

  /// Only a warning: systemd makes /run/gatewayd when it starts the service.
  private mutating func checkAdminSocket(_ loaded: LoadedConfiguration) {
    guard let socket = loaded.gateway.admin.socket, access(Self.folder(of: socket), W_OK | X_OK) != 0 else { return }
    let error = loaded.error(.adminSocket, "warning: this user cannot make a socket in \(Self.folder(of: socket)) now")
    warnings.append(error.description)
  }

  private static func folder(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return folder.isEmpty ? "/" : folder
  }
}
