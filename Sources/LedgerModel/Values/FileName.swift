/// Names for files that come from servers: never a path, never hidden, never too long, never reserved.
package enum FileName {
    /// A safe single component made of what a server or a URL suggested; nil when nothing usable is left.
    ///
    /// Only what follows the last slash or backslash counts. Control characters and characters that other systems forbid
    /// become `_`, trailing dots and spaces go, a leading dot is prefixed with `_` so that a server can not make hidden
    /// files, device names of Windows are prefixed too, and the whole is cut to `bytesMax` on a character boundary with
    /// its extension kept.
    package static func safe(_ suggestion: String, bytesMax: Int = Destination.nameBytesMax) -> String? {
        let last = suggestion.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var name = ""
        for scalar in last.unicodeScalars {
            switch scalar {
            case _ where scalar.value < 32 || scalar.value == 127, "<", ">", ":", "\"", "|", "?", "*":
                name.unicodeScalars.append("_")
            case _ where scalar.properties.generalCategory == .format, "\u{FFFD}":
                name.unicodeScalars.append("_")
            default:
                name.unicodeScalars.append(scalar)
            }
        }
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        while let start = name.first, start.isWhitespace { name.removeFirst() }
        guard !name.isEmpty, !name.allSatisfy({ $0 == "_" }) else { return nil }
        let stem = name.prefix { $0 != "." }.lowercased()
        if name.hasPrefix(".") || isDevice(stem) { name = "_" + name }
        return shortened(name, bytesMax: bytesMax)
    }

    /// The `number`-th alternative of a name: `archive.tar.gz` becomes `archive (2).tar.gz`.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, suffix) = split(name)
        return stem + " (" + String(number) + ")" + suffix
    }

    /// Cuts a name to `bytesMax` bytes of UTF-8 on a character boundary, keeping its extension.
    package static func shortened(_ name: String, bytesMax: Int) -> String {
        guard name.utf8.count > bytesMax else { return name }
        var (stem, suffix) = split(name)
        if suffix.utf8.count > min(32, bytesMax / 2) { (stem, suffix) = (name, "") }
        while stem.utf8.count + suffix.utf8.count > bytesMax { stem.removeLast() }
        return stem + suffix
    }

    private static func isDevice(_ stem: String) -> Bool {
        if ["con", "prn", "aux", "nul"].contains(stem) { return true }
        return stem.utf8.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt")) && stem.last?.isNumber == true
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
