import Logging

/// Says in the app's log what happens to downloads.
struct ChangeLogger: Sendable {
    private let logger: Logger?

    init(_ configuration: LedgerConfiguration) {
        logger = configuration.verbosity >= .events ? configuration.logger : nil
    }

    func tell(_ change: DownloadChange) {
        guard let logger else { return }
        switch change {
        case .added(let download): logger.info("added", metadata: metadata(download))
        case .finished(let download): logger.info("finished", metadata: metadata(download))
        case .removed(let download): logger.info("\(download.state.rawValue)", metadata: metadata(download))
        case .failed(let download, let error): logger.warning("\(error.message)", metadata: metadata(download))
        case .changed(let download):
            guard download.state == .waiting, let error = download.error else {
                return logger.info("\(download.state.rawValue)", metadata: metadata(download))
            }
            logger.notice("\(error.message)", metadata: metadata(download))
        case .progressed, .missed: break
        }
    }

    private func metadata(_ download: Download) -> Logger.Metadata {
        ["download": "\(download.id)", "url": "\(download.url)"]
    }
}
