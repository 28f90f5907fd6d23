/// A part of a pattern.
indirect enum PatternNode: Hashable {
    case take(CharacterSet)
    case check(TitlePattern.Boundary)
    case sequence([PatternNode])
    case either(PatternNode, PatternNode)
    /// At least so often, and at most; nil for as often as there is.
    case repeated(PatternNode, min: Int, max: Int?)

    /// Writes the steps through it.
    func write(into steps: inout [TitlePattern.Step]) throws(PatternProblem) {
        guard steps.count < TitlePattern.stepsMax else {
            throw PatternProblem(message: "it is longer than \(TitlePattern.stepsMax) steps")
        }
        switch self {
        case .take(let set): steps.append(.take(set))
        case .check(let boundary): steps.append(.check(boundary))
        case .sequence(let nodes): for node in nodes { try node.write(into: &steps) }
        case .either(let first, let second):
            let fork = steps.count
            steps.append(.fork(0, 0))
            try first.write(into: &steps)
            let end = steps.count
            steps.append(.go(0))
            steps[fork] = .fork(fork + 1, steps.count)
            try second.write(into: &steps)
            steps[end] = .go(steps.count)
        case .repeated(let node, let min, let max):
            for _ in 0..<min {
                let before = steps.count
                try node.write(into: &steps)
                // What takes nothing takes it as often as one likes.
                if steps.count == before { return }
            }
            guard let max else {
                let fork = steps.count
                steps.append(.fork(0, 0))
                try node.write(into: &steps)
                steps.append(.go(fork))
                steps[fork] = .fork(fork + 1, steps.count)
                return
            }
            var forks: [Int] = []
            for _ in min..<max {
                forks.append(steps.count)
                steps.append(.fork(0, 0))
                try node.write(into: &steps)
            }
            for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
        }
    }
}
