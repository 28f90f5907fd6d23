package import LedgerModel

/// What keeps downloads from being begun at one instant, though they are in the queue: memory of the process.
package struct Hindrances: Hashable, Sendable {
    /// Why nothing is to be downloaded; nil when anything may.
    package var notNow: NotNow?
    /// The hosts from which nothing is fetched, since this machine has no way to them.
    package var lostHosts: Set<String> = []

    /// What keeps some from being begun; nothing by default.
    package init(notNow: NotNow? = nil, lostHosts: Set<String> = []) {
        self.notNow = notNow
        self.lostHosts = lostHosts
    }

    /// Why a download is not begun, in words; nil when there is no such reason.
    package func reason(for download: Download) -> String? {
        if let notNow { return notNow.reason }
        let host = download.order.url.host
        return lostHosts.contains(host) ? "this machine has no network: there is no way to '\(host)' now" : nil
    }
}
