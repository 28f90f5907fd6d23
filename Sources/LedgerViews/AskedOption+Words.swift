package import LedgerAPI

extension AskedOption {
    /// What was asked for, as people read it: a line for each value.
    package var lines: [String] {
        switch (name, value) {
        case (_, .flag): [name]
        case (_, .number(let number)):
            ["\(name) " + (name == "limitRate" ? Figures.rate(number) : Figures.count(number))]
        case (_, .text(let text)): ["\(name) \(text)"]
        case (Self.headerNames, .texts(let names)): names.map { "header \($0), its value kept elsewhere" }
        case (Self.leftOut, .texts(let names)): ["\(names.joined(separator: ", ")): too long to be shown"]
        case (_, .texts(let texts)): texts.map { "\(name) \($0)" }
        }
    }
}
