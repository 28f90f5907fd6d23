import HTTPTypes
import LedgerModel

/// The way of one request to one source: where it is asked now, after redirects, and which secrets still go along.
struct Approach: Sendable {
    /// Where redirects start from.
    let entry: Assignment.Mirror
    /// Where it begins by the user's word.
    private let home: ResourceURL
    /// The URL of the next request.
    private(set) var url: ResourceURL
    private var carriesHeaders: Bool
    /// Cookies are bound to hosts by their file; a redirect to another origin ends that too.
    private var carriesCookies = true
    private var authorization: String?
    /// What was set on the way, each bound to its host: a place that redirects lead to may ask for it.
    private var cookiesSet: [Cookie] = []
    private var visited: [ResourceURL] = []
    private let assignment: Assignment
    private let settings: TransferSettings

    /// A way that starts at a source. The user's headers and credentials belong to the origin of the order's URL, and
    /// to mirrors of the order where it forwards them; another mirror elsewhere gets its own. One that an origin named
    /// is guarded as a redirect is.
    init(to entry: Assignment.Mirror, isLearned: Bool, of assignment: Assignment, settings: TransferSettings) {
        self.entry = entry
        self.assignment = assignment
        self.settings = settings
        home = isLearned ? assignment.url : entry.url
        url = entry.url
        carriesHeaders = assignment.carriesSecrets(to: entry.url, isLearned: isLearned)
        authorization = entry.credentials.map(Assignment.basic) ?? (carriesHeaders ? assignment.authorization : nil)
    }

    /// The request for a range, or for everything, to where it is asked now.
    ///
    /// - Parameters:
    ///   - range: the value of `Range`; nil for everything.
    ///   - validator: what the range is to belong to.
    func request(range: String?, validator: Validator?) -> TransferRequest {
        let options = assignment.order.options.value
        var fields = HTTPFields()
        fields[.userAgent] = options.userAgent ?? settings.userAgent
        fields[.accept] = "*/*"
        // The bytes as they are: a compressed copy has other bytes, other ranges and another length.
        fields[.acceptEncoding] = "identity"
        if let range {
            fields[.range] = range
            if let validator { fields[.ifRange] = validator.headerValue }
        }
        if let authorization { fields[.authorization] = authorization }
        if carriesCookies, let cookies = assignment.cookies?.field(for: url) { fields[.cookie] = cookies }
        if carriesHeaders { add(assignment.headers, to: &fields) }
        addCookiesSet(to: &fields)
        var route = assignment.route(to: url, isTrusted: carriesHeaders, settings)
        route.refusesPrivateAddresses = isConfined || isGuarded && !url.hasOrigin(of: home)
        return TransferRequest(url: url, fields: fields, route: route)
    }

    /// Whether redirects led away from the entry.
    var isLed: Bool { !visited.isEmpty }

    /// Why this way is not begun at all; nil when nothing speaks against it. What a name stands for shows when the
    /// connection is made.
    var refusal: Failure? {
        guard isConfined, NetworkAddress.isPrivate(host: url.host) else { return nil }
        return Self.refusal("'\(url.host)' is inside a private network, which is refused")
    }

    /// The most cookies that are kept on one way; of more the first go.
    static let cookiesMax = 50

    /// Follows a redirect.
    /// - Parameter cookies: the values of its `Set-Cookie` fields, and when they came.
    /// - Throws: the ``Failure`` `redirect` when it leads nowhere, in a circle, too far, down from https, or
    ///   into a private network.
    mutating func redirect(
        to location: String?, status: Int, setting cookies: (fields: [String], now: Timestamp)?
    ) throws(Failure) {
        guard let location else { throw Self.refusal("the origin redirects (\(status)) without saying where to") }
        let target: ResourceURL
        do throws(URLProblem) { target = try url.resolving(location).url } catch {
            throw Self.refusal("the origin redirects to what can not be fetched: \(error.reason)")
        }
        visited.append(url)
        // With a cookie that it did not have before, the same place may answer.
        guard cookies.map({ keep($0.fields, $0.now) }) ?? false || !visited.contains(target) else {
            throw Self.refusal("the origin redirects in a circle at '\(target.redacted)'")
        }
        guard visited.count <= settings.redirectsMax else {
            throw Self.refusal("more than \(settings.redirectsMax) redirects in a row")
        }
        let options = assignment.order.options.value
        guard target.isSecure || !url.isSecure || options.allowsDowngrade else {
            throw Self.refusal("the origin redirects from https to http ('\(target.redacted)'), which is refused")
        }
        // What a name stands for shows when the connection is made.
        guard mayLead(into: target) else {
            throw Self.refusal(
                "the origin redirects to '\(target.host)', inside a private network, which is refused")
        }
        // Once dropped, secrets stay dropped: a redirect back does not prove where it came from.
        if !target.hasOrigin(of: entry.url), !options.forwardsHeaders {
            carriesHeaders = false
            carriesCookies = false
            authorization = nil
        }
        url = target
    }

    /// Whether an origin may send us there, as far as its host tells: not from outside into a private network.
    func mayLead(into target: ResourceURL) -> Bool {
        let isHome = target.hasOrigin(of: home) && !isConfined
        return !isGuarded || isHome || !NetworkAddress.isPrivate(host: target.host)
    }

    /// Whether nothing inside a private network may be reached at all, whoever names it.
    private var isConfined: Bool { assignment.order.options.value.refusesPrivateAddresses }

    /// Whether redirects are kept out of private networks: not for those who start in one.
    private var isGuarded: Bool {
        isConfined || !settings.allowsPrivateRedirects && !NetworkAddress.isPrivate(host: home.host)
    }

    /// Keeps what is set; whether anything is new.
    private mutating func keep(_ fields: [String], _ now: Timestamp) -> Bool {
        let before = cookiesSet
        for cookie in fields.compactMap({ Cookie($0, setBy: url, now: now) }) {
            let place = cookiesSet.firstIndex { old in
                old.name == cookie.name && old.domain == cookie.domain && old.path == cookie.path
            }
            switch (place, cookie.isOver) {
            case (let place?, true): cookiesSet.remove(at: place)
            // Where it stood: what is set once more is no news.
            case (let place?, false): cookiesSet[place] = cookie
            case (nil, true): break
            case (nil, false): cookiesSet.append(cookie)
            }
        }
        cookiesSet.removeFirst(max(0, cookiesSet.count - Self.cookiesMax))
        return cookiesSet != before
    }

    /// What was set takes the place of what the user gave under the same names.
    private func addCookiesSet(to fields: inout HTTPFields) {
        let fitting = cookiesSet.filter { $0.fits(url) }
        guard !fitting.isEmpty else { return }
        let names = Set(fitting.map(\.name))
        let given = (fields[.cookie] ?? "").split(separator: ";").map { String($0.drop { $0 == " " }) }
        let kept = given.filter { !names.contains(Cookie.name(of: $0)) }.joined(separator: "; ")
        fields[.cookie] = Cookie.field(of: fitting.map(\.pair), behind: kept)
    }

    private func add(_ headers: [Assignment.Header], to fields: inout HTTPFields) {
        var replaced: Set<HTTPField.Name> = []
        for header in headers {
            guard let name = HTTPField.Name(header.name), !Assignment.Header.isReserved(name) else { continue }
            if replaced.insert(name).inserted { fields[name] = nil }
            fields.append(HTTPField(name: name, value: header.value))
        }
    }

    private static func refusal(_ words: String) -> Failure { Failure(.redirect, words, isRetryable: false) }
}
