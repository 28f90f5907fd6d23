/// A record of any type, version and payload is read or refused, and what is read is written and read the same again.
func checkEvent(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    var decoder = EventDecoder(upcasters: UpcasterChain([]))
    let number = SequenceNumber(7)
    let payload = bytes[2...]
    let read = accepted { () throws(CodingError) in
        try decoder.decode(type: bytes[0], version: bytes[1], payload: payload.span, sequence: number, time: .epoch)
    }
    guard let event = read ?? nil else { return }
    let encoded = EventCoding.encode(id: event.id, command: event.command, actor: event.actor, event: event.event)
    let again = accepted { () throws(CodingError) in
        try decoder.decode(
            type: encoded.type, version: encoded.version, payload: encoded.payload.span, sequence: number,
            time: .epoch)
    }
    hold(again == event, "an event reads the same from what is written of it")
    let twice = EventCoding.encode(id: event.id, command: event.command, actor: event.actor, event: event.event)
    hold(twice == encoded, "equal events give equal bytes")
    hold(!event.json.description.utf8.contains { $0 < 32 }, "an event shows in one line")
}

/// A list that was read reads the same when it is written again.
func checkInputFile(_ text: String) {
    guard let file = accepted({ () throws(InputFile.SyntaxError) in try InputFile(parsing: text) }) else { return }
    var lines: [String] = [""]
    var last = 0
    for item in file.items {
        hold(!item.urls.isEmpty && item.urls.allSatisfy { !$0.isEmpty }, "a download has a URL")
        hold(item.line > last, "lines go forward")
        last = item.line
        lines.append(item.urls.joined(separator: "\t"))
        for option in item.options {
            hold(option.line > last, "lines go forward")
            last = option.line
            lines.append(" " + option.name + "=" + option.value)
        }
    }
    let again = accepted { () throws(InputFile.SyntaxError) in try InputFile(parsing: lines.joined(separator: "\n")) }
    hold(again?.items.map(\.urls) == file.items.map(\.urls), "the downloads read the same")
    let options = [again, file].map { $0?.items.map { $0.options.map { [$0.name, $0.value] } } }
    hold(options[0] == options[1], "the options read the same")
}
