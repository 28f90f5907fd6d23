import DequeModule

/// The commands that were executed last and what each was answered, the oldest first: a command that arrives again gets
/// the same answer. As many as ``Queue/commandsMax``; of one more the oldest is forgotten.
struct RecentAnswers: Sendable {
    private(set) var all: Deque<QueueImage.Answer> = []
    /// How many were forgotten before the first of ``all``.
    private var forgotten = 0
    /// Which of all there ever were is the last of each command.
    private var numbers: [CommandID: Int] = [:]
    /// Whether commands can be looked up. While a past is folded nobody asks.
    private var isIndexed = true

    /// No commands.
    init() {}

    /// Commands with their answers, the oldest first. They can be looked up once ``follow()`` is called.
    init(unindexed answers: [QueueImage.Answer]) {
        all = Deque(answers)
        isIndexed = false
    }

    /// What a command was answered; nil when it is new or long past.
    subscript(command: CommandID) -> CommandAnswer? { numbers[command].map { all[$0 - forgotten].answer } }

    /// Takes in an event that a command made. Those that it made at once come side by side; what one that was cut short
    /// makes later, behind others, is an answer of its own.
    mutating func take(_ command: CommandID, _ sequence: SequenceNumber) {
        if all.last?.command == command {
            all[all.count - 1].answer.count += 1
            return
        }
        if all.count == Queue.commandsMax { forgetFirst() }
        if isIndexed { numbers[command] = forgotten + all.count }
        all.append(.init(command: command, answer: CommandAnswer(first: sequence, count: 1)))
    }

    private mutating func forgetFirst() {
        let command = all.removeFirst().command
        if isIndexed, numbers[command] == forgotten { numbers[command] = nil }
        forgotten += 1
    }

    /// Lets commands not be looked up until ``follow()``.
    mutating func suspend() { (isIndexed, numbers) = (false, [:]) }

    /// Lets commands be looked up, and from now on.
    mutating func follow() {
        guard !isIndexed else { return }
        (isIndexed, numbers) = (true, lastNumbers)
    }

    /// Whether what can be looked up is what is there.
    var isWhole: Bool { all.count <= Queue.commandsMax && numbers == lastNumbers }

    private var lastNumbers: [CommandID: Int] {
        var numbers: [CommandID: Int] = [:]
        numbers.reserveCapacity(all.count)
        for (place, answer) in all.enumerated() { numbers[answer.command] = forgotten + place }
        return numbers
    }
}
