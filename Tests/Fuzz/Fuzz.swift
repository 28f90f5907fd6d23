#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The parser that this run is about, by its name in the environment: one program serves them all.
private let chosen: FuzzedParser = {
    guard let name = unsafe getenv("LEDGER_FUZZ") else { fatalError("set LEDGER_FUZZ to the name of a parser") }
    guard let parser = unsafe FuzzedParser(rawValue: String(cString: name)) else {
        fatalError("LEDGER_FUZZ names no parser; there are \(FuzzedParser.allCases.map(\.rawValue))")
    }
    return parser
}()

/// What libFuzzer calls for each input; 0 means that the input may go into the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// A property that holds for every input; where it does not, the run ends there and the input is kept.
func hold(_ isMet: Bool, _ property: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    if !isMet { fatalError("\(file):\(line): does not hold: \(property())") }
}
