/// What holds for every transfer of a ledger unless its order says otherwise.
package struct TransferSettings: Hashable, Sendable {
    /// The `User-Agent` to send.
    package var userAgent = "ledger"
    /// The longest silence in milliseconds: to connect, to the first byte, between bytes.
    package var silenceMillisecondsMax: UInt32 = 60_000
    /// When failed attempts are made again.
    package var retry = RetryPolicy()
    /// How many redirects one request may follow.
    package var redirectsMax = 10
    /// The most that ``redirectsMax`` may be.
    package static let redirectsMost = 100
    /// Whether a redirect from a public name may lead to a loopback, link-local or private address. Whoever fetches
    /// for others refuses that: they could make this machine ask what only it can reach (server-side request forgery).
    package var allowsPrivateRedirects = true
    /// The longest `Retry-After` that is obeyed, in seconds.
    package var retryAfterSecondsMax = RetryAfter.retryAfterSecondsMax
    /// How often what is durable is recorded.
    package var progressInterval = Duration.seconds(1)
    /// Authorities to trust instead of the system's, when the order names none; a PEM file.
    package var certificateAuthorityFile: String?

    /// The usual settings.
    package init() {}

    /// How much later than an origin asked for one may be made, in seconds: up to a second, for not all come back
    /// together, and one for what it takes.
    private static let waitGraceSecondsMax: Int64 = 2

    /// Longer than this no attempt is put off, but by a clock that is wrong.
    package var waitMax: Duration {
        let waits = [retry.cap, .seconds(RetryPolicy.diskFullSeconds)] + (retry.waits ?? [])
        return (waits.max() ?? .zero) + .seconds(Int64(retryAfterSecondsMax) + Self.waitGraceSecondsMax)
    }
}
