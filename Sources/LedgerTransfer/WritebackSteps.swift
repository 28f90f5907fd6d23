/// What of a growing file the disk is told to begin with: whole steps, each once, whatever became durable meanwhile.
package struct WritebackSteps: Sendable {
    /// How much the disk is given at a time, in bytes; what is less waits for the next sync.
    package static let stepBytes: UInt64 = 8 << 20

    private var begun: UInt64

    /// Steps of a file whose bytes before `position` are on the disk.
    package init(from position: UInt64 = 0) { begun = position }

    /// The steps that end before `end` and were not begun; empty when there is none.
    package mutating func take(to end: UInt64) -> Range<UInt64> {
        let start = begun
        begun = max(begun, end - end % Self.stepBytes)
        return start..<begun
    }
}
