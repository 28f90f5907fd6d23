import LedgerAPI

/// The methods, in the order that aria2 lists them.
enum Method: String, CaseIterable, Sendable {
    case addURI = "aria2.addUri"
    case addTorrent = "aria2.addTorrent"
    case getPeers = "aria2.getPeers"
    case addMetalink = "aria2.addMetalink"
    case remove = "aria2.remove"
    case pause = "aria2.pause"
    case forcePause = "aria2.forcePause"
    case pauseAll = "aria2.pauseAll"
    case forcePauseAll = "aria2.forcePauseAll"
    case unpause = "aria2.unpause"
    case unpauseAll = "aria2.unpauseAll"
    case forceRemove = "aria2.forceRemove"
    case changePosition = "aria2.changePosition"
    case tellStatus = "aria2.tellStatus"
    case getURIs = "aria2.getUris"
    case getFiles = "aria2.getFiles"
    case getServers = "aria2.getServers"
    case tellActive = "aria2.tellActive"
    case tellWaiting = "aria2.tellWaiting"
    case tellStopped = "aria2.tellStopped"
    case getOption = "aria2.getOption"
    case changeURI = "aria2.changeUri"
    case changeOption = "aria2.changeOption"
    case getGlobalOption = "aria2.getGlobalOption"
    case changeGlobalOption = "aria2.changeGlobalOption"
    case purgeDownloadResult = "aria2.purgeDownloadResult"
    case removeDownloadResult = "aria2.removeDownloadResult"
    case getVersion = "aria2.getVersion"
    case getSessionInfo = "aria2.getSessionInfo"
    case shutdown = "aria2.shutdown"
    case forceShutdown = "aria2.forceShutdown"
    case getGlobalStat = "aria2.getGlobalStat"
    case saveSession = "aria2.saveSession"
    case multicall = "system.multicall"
    case listMethods = "system.listMethods"
    case listNotifications = "system.listNotifications"

    /// What a secret must allow; nil when none is asked for.
    var scope: AccessScope? {
        switch self {
        case .multicall, .listMethods, .listNotifications: nil
        case .getPeers, .tellStatus, .getURIs, .getFiles, .getServers, .tellActive, .tellWaiting, .tellStopped,
            .getOption, .getGlobalOption, .getVersion, .getSessionInfo, .getGlobalStat, .saveSession:
            .read
        case .addURI, .addTorrent, .addMetalink, .remove, .pause, .forcePause, .pauseAll, .forcePauseAll, .unpause,
            .unpauseAll, .forceRemove, .changePosition, .changeURI, .changeOption, .purgeDownloadResult,
            .removeDownloadResult:
            .write
        case .changeGlobalOption, .shutdown, .forceShutdown: .admin
        }
    }
}

/// What clients over a WebSocket are told, in the order that aria2 lists it.
enum Notification: String, CaseIterable, Sendable {
    case start = "aria2.onDownloadStart"
    case pause = "aria2.onDownloadPause"
    case stop = "aria2.onDownloadStop"
    case complete = "aria2.onDownloadComplete"
    case error = "aria2.onDownloadError"
    case torrentComplete = "aria2.onBtDownloadComplete"
}
