/// The parsers that are fuzzed, each under the name of its corpus.
enum FuzzedParser: String, CaseIterable {
    case checksumList = "ChecksumList"
    case contentDisposition = "ContentDisposition"
    case contentRange = "ContentRange"
    case contentType = "ContentType"
    case cookieFile = "CookieFile"
    case dailyWindow = "DailyWindow"
    case digest = "Digest"
    case entityTag = "EntityTag"
    case event = "Event"
    case fileName = "FileName"
    case httpDate = "HTTPDate"
    case inputFile = "InputFile"
    case link = "Link"
    case metalink = "Metalink"
    case netrc = "Netrc"
    case resourceURL = "ResourceURL"
    case resolving = "Resolving"
    case retryAfter = "RetryAfter"
    case statedDigest = "StatedDigest"
    case xmlCall = "XMLCall"

    /// Parses an input and checks what must hold of the result.
    func check(_ bytes: [UInt8]) {
        // As fields and lines come in: what is not UTF-8 reads as replacement characters.
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .checksumList: checkChecksumList(bytes)
        case .contentDisposition: checkContentDisposition(text)
        case .contentRange: checkContentRange(text)
        case .contentType: checkContentType(text)
        case .cookieFile: checkCookieFile(text)
        case .dailyWindow: checkDailyWindow(text)
        case .digest: checkDigest(text)
        case .entityTag: checkEntityTag(text)
        case .event: checkEvent(bytes)
        case .fileName: checkFileName(text)
        case .httpDate: checkHTTPDate(text)
        case .inputFile: checkInputFile(text)
        case .link: checkLink(text)
        case .metalink: checkMetalink(bytes)
        case .netrc: checkNetrc(text)
        case .resourceURL: checkURL(text)
        case .resolving: checkResolving(text)
        case .retryAfter: checkRetryAfter(text)
        case .statedDigest: checkStatedDigest(text)
        case .xmlCall: checkXMLCall(bytes)
        }
    }
}
