import Synchronization

/// A ``SplitMix64`` that several parts of a world draw from.
package final class SharedChance: Sendable {
    private let generator: Mutex<SplitMix64>

    /// Chance that follows from a seed.
    package init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    /// Draws the next number, wherever it is called.
    package var source: @Sendable () -> UInt64 { { self.generator.withLock { $0.next() } } }
}
