import HTTPTypes
import LedgerModel
import LedgerTransfer

/// What a request for a file makes its answer hang on (RFC 9110, section 13), but for `If-Range`, which goes with its
/// range.
struct Preconditions: Sendable {
    /// What they come to.
    enum Outcome: Hashable, Sendable {
        /// It is answered as if there were none.
        case hold
        /// The client has it: 304.
        case notModified
        /// The file is not the one that the client means, as this field says: 412.
        case failed(HTTPField.Name)
    }

    private let fields: HTTPFields
    private let now: Timestamp

    /// Those of a request that came now.
    init(_ fields: HTTPFields, now: Timestamp) { (self.fields, self.now) = (fields, now) }

    /// What they come to for a file that is there, in the order of section 13.2.2.
    /// - Parameters:
    ///   - tag: the strong entity tag with its quotes; nil when none is claimed, which then matches `*` alone.
    ///   - modified: when it was last modified, in whole seconds; nil when that is not told, and dates mean nothing.
    func outcome(tag: String?, modified: Timestamp?) -> Outcome {
        if let list = fields[.ifMatch] {
            guard Self.names(list, tag, takesWeak: false) else { return .failed(.ifMatch) }
        } else if let since = date(.ifUnmodifiedSince), let modified, modified > since {
            return .failed(.ifUnmodifiedSince)
        }
        if let list = fields[.ifNoneMatch] { return Self.names(list, tag, takesWeak: true) ? .notModified : .hold }
        if let since = date(.ifModifiedSince), let modified, modified <= since { return .notModified }
        return .hold
    }

    /// The instant of a field; nil when there is none, or what stands there is no date.
    private func date(_ name: HTTPField.Name) -> Timestamp? {
        fields[name].flatMap { HTTPDate.parse($0, now: now) }
    }

    /// Whether a list of entity tags names this one, or everything there is.
    private static func names(_ list: String, _ tag: String?, takesWeak: Bool) -> Bool {
        if list == "*" { return true }
        // No tag has a quote in it: what stands between the first and the second is one, and so on.
        let parts = list.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 1, by: 2).contains { index in
            (takesWeak || !parts[index - 1].hasSuffix("W/")) && "\"\(parts[index])\"" == tag
        }
    }
}

extension Timestamp {
    /// The second as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    var httpDate: String {
        let (weekdays, months) = (
            ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"],
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        )
        // The first day of 1970 was a Thursday.
        let weekday = weekdays[((Int(day) % 7) + 7) % 7]
        let text = rfc3339
        let parts = text.prefix(10).split(separator: "-")
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
