public import DownloadLedger

extension LedgerConfiguration {
    /// Has bytes arrive by Foundation's URLSession instead of the ledger's own HTTP client. All else stays as it is:
    /// queue, retries, ranges, durability, digests.
    ///
    /// ```swift
    /// configuration.useURLSession()
    /// ```
    ///
    /// On Apple systems it brings what the system knows: its proxies and VPNs, App Transport Security, the keychain's
    /// authorities, low data mode. It is not the usual one, least of all on Linux:
    /// - It unpacks packed bodies whether or not anyone asked. An answer that comes packed unasked fails with
    ///   `unsupported`, since what the origin has could be neither kept nor resumed.
    /// - On Linux it can not be held back: a slow disk or ``LedgerConfiguration/bytesPerSecondMax`` is met by ending an
    ///   answer at 16 MiB that were not taken yet and asking for the rest, so an origin sees more requests. Its time
    ///   limits are whole seconds.
    /// - It copies what arrives and hands it from thread to thread.
    /// - Proxies, authorities, client certificates and unchecked certificates of single orders are refused with
    ///   `unsupported`: here they are the system's.
    ///
    /// A ``LedgerConfiguration/provider`` goes first.
    public mutating func useURLSession() { transport = { URLSessionTransport() } }
}
