import LedgerAPI
import LedgerServer

/// The API: who answers at its addresses.
extension Examination {
    /// Asks `/healthz`, without a token: at the address that was given, else wherever the holder says that it serves
    /// the API, else at the usual one.
    func api(_ holder: HolderStatus?, isHeld: Bool) async -> [Finding] {
        let served = address == nil ? holder?.addresses : nil
        if let served, served.isEmpty { return [Finding("api", .ok, "the process that holds the ledger serves none")] }
        var findings: [Finding] = []
        for address in served?.compactMap({ ListenAddress(parsing: $0) }) ?? [address ?? ListenAddress()] {
            findings.append(await api(at: address, isHeld: isHeld))
        }
        return findings
    }

    /// Asks at an address, only ever of this machine.
    private func api(at address: ListenAddress, isHeld: Bool) async -> Finding {
        guard address.isLoopback else {
            return Finding("api", .ok, "'\(address)' is not asked: it is not of this machine alone")
        }
        let answer: String?
        do { answer = try await address.health() } catch {
            let words = "nobody answers at \(address)"
            guard isHeld else { return Finding("api", .ok, words) }
            return Finding(
                "api", .warn, words + ", though a process holds the ledger",
                next: "it may run with '--no-api' or listen elsewhere: 'ledger doctor --listen HOST:PORT'")
        }
        guard let answer, answer.lowercased().contains("\r\nserver: ledger\r\n") else {
            return Finding(
                "api", .warn, "another program answers at \(address)", next: "give another address with '--listen'")
        }
        guard answer.hasPrefix("HTTP/1.1 200 ") else {
            return Finding(
                "api", .bad, "the API at \(address) does not say that it is well: \(answer.prefix { !$0.isNewline })",
                next: "look at what 'ledger run' says")
        }
        return Finding("api", .ok, "the API answers at \(address)")
    }
}
