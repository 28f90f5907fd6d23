import LedgerModel

extension Item {
    /// How it ended, by aria2's numbers and words; nil as long as it has not.
    var ending: (code: Int, message: String)? {
        switch status {
        case .active, .waiting, .paused: return nil
        case .complete: return (0, "")
        case .removed: return (31, "")
        case .error:
            switch download.phase {
            case .missing: return (15, "The file is not there any longer.")
            case .altered: return (32, "The file is not the one that was downloaded.")
            case .queued, .waiting, .paused, .publishing, .completed, .failed, .cancelled, .deleted:
                guard let failure = download.failure?.value else { return (1, "") }
                return (failure.errorCode, failure.errorMessage)
            }
        }
    }
}

extension Failure {
    /// aria2's number for the reason.
    var errorCode: Int {
        switch code {
        case .unreachable: 1
        case .nameNotResolved: 19
        case .connectTimeout, .silence: 2
        case .lowSpeed: 5
        case .connectionLost: 6
        case .tls: 1
        case .status: Self.errorCode(status: status ?? 0)
        case .protocolViolation, .unsupported: 22
        case .redirect: 23
        case .digestMismatch: 32
        case .entityChanged: 8
        case .suspicious: 1
        case .diskFull: 9
        case .disk: 17
        case .destinationTaken: 13
        case .secretsMissing: 24
        case .partLost: 15
        case .evicted: 31
        }
    }

    /// What aria2 makes of an answer that is none.
    private static func errorCode(status: UInt16) -> Int {
        switch status {
        case 401, 407: 24
        case 404, 410: 3
        case 502, 503, 504: 29
        default: 22
        }
    }

    /// aria2's words where they are as good; else ours, which say more.
    var errorMessage: String {
        guard code == .status, let status else { return message }
        switch status {
        case 401: return "Authorization failed."
        case 404: return "Resource not found"
        default: return "The response status is not successful. status=\(status)"
        }
    }
}
