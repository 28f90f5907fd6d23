/// Whatever is suggested, a safe name is one component that shows, fits and stays as it is.
func checkFileName(_ text: String) {
    guard let name = FileName.safe(text) else { return }
    checkSafe(name, bytesMax: Destination.nameBytesMax)
    for bytesMax in [1, 7, 40] {
        if let short = FileName.safe(text, bytesMax: bytesMax) {
            hold(short.utf8.count <= bytesMax, "a name has the bound that is given: \(short.utf8.count), \(bytesMax)")
        }
    }
}

/// What holds of every name that is made of a suggestion.
func checkSafe(_ name: String, bytesMax: Int) {
    hold(!name.isEmpty && name != "." && name != "..", "a name names a file")
    hold(name.utf8.count <= bytesMax, "a name has its bound: \(name.utf8.count)")
    hold(!name.utf8.contains { $0 < 32 || $0 == 127 || $0 == 47 || $0 == 92 }, "no slash and no control in '\(name)'")
    hold(name.utf8.first != 46 && name.utf8.first != 45, "neither hidden nor a flag: '\(name)'")
    hold(name.utf8.last != 46 && name.utf8.last != 32, "no dot and no space at its end: '\(name)'")
    hold(FileName.safe(name, bytesMax: bytesMax) == name, "a safe name stays as it is: '\(name)'")
    let place = accepted { () throws(DestinationProblem) in try Destination.parse(directory: "/d", name: name) }
    hold(place?.path(of: name) == "/d/" + name, "a safe name is taken as a destination")
    let numbered = FileName.numbered(name, 2)
    hold(numbered.utf8.count <= FileName.bytesMax, "a numbered name has its bound")
    hold(numbered != name && !numbered.utf8.contains(47), "a numbered name is another one")
}

/// A sum that was read has its algorithm's length, and reads the same from how it is shown.
func checkDigest(_ text: String) {
    guard let digest = Digest(parsing: text) else { return }
    hold(digest.bytes.count == digest.algorithm.byteCount, "a sum has its length")
    hold(Digest(parsing: digest.description) == digest, "what is shown reads the same")
    hold(Digest(parsing: digest.algorithm.rawValue + "=" + digest.hex.uppercased()) == digest, "so does its other form")
}

/// A window that was read lies in a day, holds a minute, and reads the same from how it is shown.
func checkDailyWindow(_ text: String) {
    guard let window = DailyWindow(parsing: text) else { return }
    hold(max(window.start, window.end) < DailyWindow.minutesPerDay, "minutes of a day")
    hold(window.start != window.end, "a window is not empty")
    hold(DailyWindow(parsing: window.description) == window, "what is shown reads the same")
}
