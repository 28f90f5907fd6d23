package import LedgerAPI
package import LedgerModel
package import LedgerTransfer

/// Makes of a download in the queue, and of its secrets, what a worker needs.
package struct AssignmentMaker: Sendable {
    private let secrets: SecretStore
    let ledgerPrefix: String

    /// A maker for the ledger whose identity begins with `ledgerPrefix`.
    package init(secrets: SecretStore, ledgerPrefix: String) {
        self.secrets = secrets
        self.ledgerPrefix = ledgerPrefix
    }

    /// The assignment of a download that is to be fetched.
    /// - Throws: a failure for good when its secrets are gone.
    package func assignment(for download: Download) throws(Failure) -> Assignment {
        let assignment = unfinished(download)
        guard let reference = download.order.secret else { return try Self.adding(OrderSecrets(), to: assignment) }
        guard let secret = secrets.secrets(of: reference) else {
            throw Failure(
                .secretsMissing,
                "the secrets file does not hold what this download needs (its URL, headers or password)",
                isRetryable: false)
        }
        return try Self.adding(secret, to: assignment)
    }

    /// An assignment together with the secrets of its order.
    /// - Throws: a failure for good when they hold what can not be parsed.
    package static func adding(_ secret: OrderSecrets, to plain: Assignment) throws(Failure) -> Assignment {
        var assignment = plain
        if let text = secret.url { assignment.url = try parse(text).url }
        if !secret.mirrors.isEmpty {
            assignment.mirrors = []
            for mirror in secret.mirrors {
                let parsed = try parse(mirror)
                assignment.mirrors.append(Assignment.Mirror(parsed.url, credentials: parsed.credentials))
            }
        }
        if let text = secret.checksumFile {
            let parsed = try parse(text)
            assignment.checksumFile = Assignment.Mirror(parsed.url, credentials: parsed.credentials)
        }
        assignment.headers = secret.headers.map { Assignment.Header(name: $0.name, value: $0.value) }
        assignment.credentials = secret.credentials
        assignment.bearer = secret.bearer
        assignment.proxy = try proxy(assignment.order)
        assignment.proxy?.credentials = secret.proxyCredentials
        return assignment
    }

    /// The assignment of a download without its secrets: enough to finish its publication.
    package func unfinished(_ download: Download) -> Assignment {
        var assignment = Assignment(lease: download.lease, order: download.order, ledgerPrefix: ledgerPrefix)
        assignment.origin = download.origin?.value
        assignment.durable = SummedRanges(download.durable, sums: download.sums)
        assignment.generation = download.generation
        assignment.partStem = download.partStem
        assignment.blamed = download.blamed?.value ?? []
        assignment.isPoisoned = download.isPoisoned
        assignment.isLossOnRecord = download.failure?.value.code == .partLost
        assignment.attemptsFailed = download.failuresInRow
        assignment.isExcused = download.isExcused
        assignment.standing = download.standing?.value
        if download.phase == .publishing, let file = download.file?.value {
            assignment.verified = Assignment.Verified(length: file.length, sha256: file.sha256, path: file.path)
        }
        return assignment
    }

    /// The absolute path of a part file of a download.
    package func partPath(of download: Download, generation: UInt32) -> String {
        PartName.path(of: download, ledgerPrefix: ledgerPrefix, generation: generation)
    }

    private static func proxy(_ order: Order) throws(Failure) -> Proxy? {
        guard let text = order.options.value.proxy else { return nil }
        do throws(URLProblem) { return try Proxy.parse(text) } catch {
            throw Failure(.unsupported, "the proxy '\(text)' can not be used: \(error.reason)", isRetryable: false)
        }
    }

    private static func parse(_ text: String) throws(Failure) -> ResourceURL.Parsed {
        do throws(URLProblem) { return try ResourceURL.parse(text) } catch {
            throw Failure(.secretsMissing, "the secrets file holds a URL that can not be parsed", isRetryable: false)
        }
    }
}
