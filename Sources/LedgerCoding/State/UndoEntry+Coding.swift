import LedgerModel

extension UndoEntry {
    /// 1 sequence, 2 id, 3 inverse (1 restore, 2 resume, 3 pause, 4 move, 5 change), 4 phase and 5 until, 6 priority
    /// and 7 rank, 8 order, as the inverse needs, 9 time, 10 actor.
    func encode(into writer: inout FieldWriter) {
        writer.uint(1, sequence.rawValue)
        writer.uint(2, id.rawValue)
        switch inverse {
        case .restore(let phase):
            writer.uint(3, 1 as UInt8)
            writer.phase(4, phase)
        case .resume: writer.uint(3, 2 as UInt8)
        case .pause: writer.uint(3, 3 as UInt8)
        case .move(let priority, let rank):
            writer.uint(3, 4 as UInt8)
            writer.int(6, priority)
            writer.int(7, rank)
        case .change(let order):
            writer.uint(3, 5 as UInt8)
            writer.nested(8) { order.encode(into: &$0) }
        }
        writer.int(9, ifPresent: time?.milliseconds)
        writer.uint(10, ifPresent: actor?.rawValue)
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> UndoEntry {
        var reader = source
        let sequence = try reader.required(1).sequence()
        let id = DownloadID(try reader.required(2).sequence())
        let kind = try reader.required(3)
        let inverse: Inverse =
            switch try kind.uint(as: UInt8.self) {
            case 1: .restore(try reader.phase(4))
            case 2: .resume
            case 3: .pause
            case 4: .move(priority: try reader.required(6).int(), rank: try reader.required(7).int())
            case 5: .change(try Order.decode(try reader.required(8).nested(), &interner))
            default: throw kind.badValue
            }
        let time = try reader.optional(9)?.timestamp()
        let actor = try reader.optional(10) { field throws(CodingError) in
            guard let actor = EventActor(rawValue: try field.uint()) else { throw field.badValue }
            return actor
        }
        try reader.finish()
        return UndoEntry(sequence: sequence, id: id, time: time, actor: actor, inverse: inverse)
    }
}

extension QueueImage.Answer {
    /// 1 command, 2 first event, 3 number of events.
    func encode(into writer: inout FieldWriter) {
        writer.command(1, command)
        writer.uint(2, answer.first.rawValue)
        writer.uint(3, answer.count)
    }

    static func decode(_ source: FieldReader) throws(CodingError) -> QueueImage.Answer {
        var reader = source
        let answer = QueueImage.Answer(
            command: try reader.required(1).command(),
            answer: CommandAnswer(first: try reader.required(2).sequence(), count: try reader.required(3).uint()))
        try reader.finish()
        return answer
    }
}
