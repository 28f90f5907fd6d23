import LedgerAPI
import LedgerHolder
import LedgerTransfer
import LedgerViews
import SystemPackage

extension LedgerSession {
    /// How the ledger is held, by flags over what is configured and what the environment says.
    func configuration(_ pool: PoolOptions, under settings: Settings) -> ServiceConfiguration {
        var configuration = pool.configuration(under: settings)
        take(settings, &configuration)
        return configuration
    }

    /// Has what this process orders for others, and hooks, go the way that is configured.
    func take(_ settings: Settings, _ configuration: inout ServiceConfiguration) {
        configuration.own = OwnDefaults(settings, ProxyEnvironment(context.environment)) { problem in
            console.warn(problem.message)
        }
        configuration.own.certificateAuthorityFile = settings.cacert.map { context.path($0).string }
        // For what is no download: hooks.
        configuration.transfer.certificateAuthorityFile = configuration.own.certificateAuthorityFile
        if let userAgent = settings.userAgent { configuration.transfer.userAgent = userAgent }
    }
}

extension OwnDefaults {
    /// What is configured; the proxies are those of the configuration, or else of the environment.
    /// - Parameter warn: is told of a variable that holds no proxy, and counts for nothing.
    init(_ settings: Settings, _ environment: ProxyEnvironment, warn: (Problem) -> Void) {
        self.init()
        func proxy(isSecure: Bool) -> String? {
            if let named = settings.proxy { return named }
            do throws(Problem) { return try environment.checkedProxy(isSecure: isSecure) } catch {
                warn(error)
                return nil
            }
        }
        (http, https) = (proxy(isSecure: false), proxy(isSecure: true))
        noProxy = settings.noProxy ?? environment.noProxy
        userAgent = settings.userAgent
        silenceMillisecondsMax = settings.timeout?.milliseconds
        retriesMax = settings.retries
        bytesPerSecondMax = settings.limitRate?.limit
    }
}
