import LedgerAPI
import LedgerModel

extension [ListedEntry] {
    /// Each guid once: those of two pages may be the same, and those that differ in nothing but a secret are.
    var uniqued: [ListedEntry] {
        var seen: Set<String> = []
        return filter { seen.insert($0.guid).inserted }
    }

    /// The same without secrets in names, pictures and words: some publishers' guids are signed URLs.
    var withoutSecretTexts: [ListedEntry] {
        map { entry in
            var entry = entry
            // In its normal form, so that it stays the same whatever is secret in it.
            if entry.guid.contains("://") {
                do throws(URLProblem) { entry.guid = try ResourceURL.parse(entry.guid).url.redacted.text } catch {
                    // It is no URL: there is nothing in it to be left out.
                }
            }
            entry.thumbnail = entry.thumbnail?.withoutSecrets
            entry.title = entry.title?.withoutSecrets
            entry.details = entry.details?.withoutSecrets
            entry.group = entry.group?.withoutSecrets
            return entry
        }
    }
}

extension ListedEntry {
    /// What of it must not stand in the log.
    var secrets: OrderSecrets {
        var secrets = OrderSecrets()
        if url.redacted != url { secrets.url = url.text }
        secrets.credentials = credentials
        return secrets
    }

    /// As it may stand in the log.
    func recordable(_ secret: SecretReference?) -> ListedEntry {
        var entry = self
        entry.url = url.redacted
        (entry.secret, entry.credentials) = (secret, nil)
        return entry
    }
}

extension String {
    /// The same with every URL in it as it may be written down.
    var withoutSecrets: String {
        guard contains("://") else { return self }
        var (result, rest) = ("", self[...])
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace }
            let space = rest[word.endIndex...].prefix(while: \.isWhitespace)
            result += Self.withoutSecrets(String(word)) + space
            rest = rest[space.endIndex...]
        }
        return result
    }

    private static func withoutSecrets(_ word: String) -> String {
        guard word.contains("://") else { return word }
        do throws(URLProblem) {
            let parsed = try ResourceURL.parse(word)
            let isSecret = parsed.userInformation != nil || parsed.url.redacted != parsed.url
            return isSecret ? parsed.url.redacted.text : word
        } catch {
            // It is more than a URL, such as a link in HTML.
            return Redaction.redacted(word)
        }
    }
}
