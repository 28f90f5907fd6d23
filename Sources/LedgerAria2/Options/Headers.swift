import LedgerAPI
import LedgerModel

/// The `header` option: fields, one a line.
enum Headers {
    /// The fields of the option.
    /// - Throws: the fault that names the option, for a line that is no field.
    static func parse(_ text: String) throws(Fault) -> [EnqueueRequest.Header] {
        var headers: [EnqueueRequest.Header] = []
        for line in text.split(separator: "\n") {
            guard let header = EnqueueRequest.Header(parsing: String(line)) else { throw .option("header") }
            headers.append(header)
        }
        return headers
    }

    /// The fields that may be shown: those whose names do not say that they open doors. Nil when there is none.
    static func shown(_ text: String) -> String? {
        let lines = text.split(separator: "\n").filter { line in
            !isSecret(line.prefix { $0 != ":" })
        }.map { Redaction.redacted(String($0)) }
        return lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n"
    }

    /// A proxy without who we are to it.
    static func withoutUser(_ text: String) -> String? {
        do throws(URLProblem) { return text.isEmpty ? "" : try Proxy.parse(text).text + "/" } catch { return nil }
    }

    private static let secretWords =
        Redaction.secretWords + ["auth", "cookie", "key", "pass", "session", "sig", "credential"]

    private static func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." }
        return secretWords.contains { name.contains($0) }
    }
}
