import CLedgerSystem

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) by the processor's instruction where it has one.
enum CRC32C {
    /// The sum of `bytes`, carrying on from `seed`: the sum of a whole is the sum of its parts in a chain.
    static func checksum(_ bytes: Span<UInt8>, seed: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe ledger_crc32c(seed, $0.baseAddress, $0.count) }
    }

    /// The sum of `bytes` without the four at `offset`, where the sum itself is kept.
    static func checksum(_ bytes: Span<UInt8>, exceptAt offset: Int, seed: UInt32) -> UInt32 {
        let head = checksum(bytes.extracting(..<offset), seed: seed)
        return checksum(bytes.extracting((offset + 4)...), seed: head)
    }
}
