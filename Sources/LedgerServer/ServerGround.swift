package import LedgerAPI
package import LedgerEngine
import LedgerHolder
package import LedgerSystem

/// What a server stands on before it listens: who may ask, and where files of clients go. It takes no ledger to find
/// out, so that a process that could not serve does not ask another one to leave first.
package struct ServerGround: Sendable {
    /// The tokens there are.
    let tokens: TokenFile
    /// Where files of clients go.
    let roots: DestinationRoots

    /// Looks at the tokens of a home and at the roots of a configuration, which are made when they are not there.
    /// - Throws: a ``Problem``: the tokens can not be read; the address is open to others and there is no token; a root
    ///   can not be used.
    package init(
        _ configuration: ServerConfiguration, _ home: LedgerHome, _ fileSystem: any FileSystem
    ) throws(Problem) {
        let address = configuration.address
        tokens = TokenFile(home, fileSystem: fileSystem)
        let hasTokens = try !tokens.tokens().isEmpty
        guard address.isLoopback || hasTokens else {
            throw Problem(
                .refused, "others could reach '\(address)', and no token is needed to do anything",
                next: "issue a token with 'ledger token NAME', or listen on 127.0.0.1", exitCode: .usage)
        }
        roots = try DestinationRoots(configuration.roots, reserving: home.directories, fileSystem: fileSystem)
    }
}
