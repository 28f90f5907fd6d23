import LedgerTransfer
import Testing

@Suite struct WritebackTests {
    @Test func `the disk is told of whole steps, each once`() {
        let step = WritebackSteps.stepBytes
        var steps = WritebackSteps()
        #expect(steps.take(to: step - 1).isEmpty)
        #expect(steps.take(to: step) == 0..<step)
        #expect(steps.take(to: step).isEmpty)
        #expect(steps.take(to: 4 * step - 1) == step..<3 * step)
        // A piece that was wrong is hashed again further ahead.
        #expect(steps.take(to: 2 * step).isEmpty)
        #expect(steps.take(to: 4 * step) == 3 * step..<4 * step)
        var later = WritebackSteps(from: step + 1)
        #expect(later.take(to: step + 2).isEmpty)
        #expect(later.take(to: 2 * step) == step + 1..<2 * step)
    }
}
