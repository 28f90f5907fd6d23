/// Names for files that come from servers: never a path, never hidden, never too long, never reserved.
package enum FileName {
    /// The longest name of a file, in bytes: what ext4, APFS and most others allow.
    package static let bytesMax = 255

    /// A safe single component made of what a server or a URL suggested; nil when nothing usable is left.
    ///
    /// Only what follows the last slash or backslash counts. Controls, line separators and characters that other
    /// systems forbid become `_`, trailing dots and spaces go, a leading dot is prefixed with `_` so that a server can
    /// not make hidden files, a leading hyphen too so that no program takes the name for a flag, and so are device
    /// names of Windows; the whole is cut to `bytesMax` on a character boundary with its extension kept.
    package static func safe(_ suggestion: String, bytesMax: Int = Destination.nameBytesMax) -> String? {
        if isPlain(suggestion, bytesMax: bytesMax) { return suggestion }
        // By scalars: a slash that carries a combining mark is another character, but the same slash to the disk.
        let last = suggestion.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? []
        var name = ""
        for scalar in last { name.unicodeScalars.append(isHarmless(scalar) ? scalar : "_") }
        name = trimmedAtEnd(name)
        while let start = name.first, start.isWhitespace { name.removeFirst() }
        let stem = name.prefix { $0 != "." }.lowercased()
        let isFlag = name.utf8.first == UInt8(ascii: "-")
        if isHidden(name) || isFlag || isDevice(stem) { name = "_" + name }
        // A cut may leave another end, and nothing that means anything.
        name = trimmedAtEnd(shortened(name, bytesMax: bytesMax))
        return name.allSatisfy { $0 == "_" } ? nil : name
    }

    /// A safe single component made of words that are no path, such as a title: slashes in them are characters like
    /// others. Nil when nothing usable is left.
    package static func safe(words: String, bytesMax: Int = Destination.nameBytesMax) -> String? {
        var flat = ""
        for scalar in words.unicodeScalars {
            flat.unicodeScalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
        }
        return safe(flat, bytesMax: bytesMax)
    }

    /// Whether a name is of a hidden file or directory: it begins with a dot. Programs read orders from such
    /// (`.ssh/authorized_keys`, `.config`, `.git/hooks`), so nobody but this machine's user names one.
    package static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// Whether a name is one of those that nearly all are and that stay as they are: ASCII letters, digits, hyphens,
    /// underscores and dots, and too much before the first dot to name a device.
    private static func isPlain(_ name: String, bytesMax: Int) -> Bool {
        let bytes = name.utf8.span
        guard !bytes.isEmpty, bytes.count <= bytesMax, isLetterOrDigit(bytes[0]),
            isLetterOrDigit(bytes[bytes.count - 1])
        else { return false }
        // The names of devices have three or four letters; so may have what is looked at more closely.
        var stem: Int?
        for place in bytes.indices {
            let byte = bytes[place]
            if byte == UInt8(ascii: ".") { stem = stem ?? place }
            guard
                isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: ".")
            else { return false }
        }
        return (stem ?? bytes.count) > 4
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func trimmedAtEnd(_ name: String) -> String {
        var name = name
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        return name
    }

    /// The `number`-th alternative of a name: `archive.tar.gz` becomes `archive (2).tar.gz`. A stem that leaves no room
    /// for the number within ``bytesMax`` is cut.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let mark = " (" + String(number) + ")"
        let (stem, suffix) = split(shortened(name, bytesMax: bytesMax - mark.utf8.count))
        return stem + mark + suffix
    }

    /// Cuts a name to `bytesMax` bytes of UTF-8 on a character boundary, keeping its extension.
    package static func shortened(_ name: String, bytesMax: Int) -> String {
        guard name.utf8.count > bytesMax else { return name }
        var (stem, suffix) = split(name)
        if suffix.utf8.count > min(32, bytesMax / 2) { (stem, suffix) = (name, "") }
        var cut = stem
        while cut.utf8.count + suffix.utf8.count > bytesMax { cut.removeLast() }
        if cut.isEmpty {
            // One character can carry marks without end: then its scalars are the boundary.
            while stem.utf8.count + suffix.utf8.count > bytesMax { stem.unicodeScalars.removeLast() }
            cut = stem
        }
        return cut + suffix
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if "<>:\"|?*\u{FFFD}".unicodeScalars.contains(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func isDevice(_ stem: String) -> Bool {
        if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(stem) { return true }
        // Windows takes the digits that stand high for digits.
        return stem.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt")) && stem.last?.isNumber == true
    }

    /// The stem and the extension with its dot; `.tar.gz` and its kin count as one.
    private static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let stem = name[..<dot]
        if let inner = stem.lastIndex(of: "."), inner != stem.startIndex, stem[inner...].lowercased() == ".tar" {
            return (String(stem[..<inner]), String(name[inner...]))
        }
        return (String(stem), String(name[dot...]))
    }
}
