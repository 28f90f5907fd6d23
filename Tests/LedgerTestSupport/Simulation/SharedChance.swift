import Synchronization

/// A ``SplitMix64`` that several parts of a world draw from.
package final class SharedChance: Sendable {
    private let generator: Mutex<SplitMix64>

    /// Chance that follows from a seed.
    package init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    /// The next number.
    package func next() -> UInt64 { generator.withLock { $0.next() } }
}
