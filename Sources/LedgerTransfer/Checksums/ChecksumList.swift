package import LedgerModel

/// A file of checksums as `sha256sum`, `md5sum`, `openssl dgst` and BSD's `sha256` print them.
///
/// Lines of other forms are passed over, so that comments, headings and the frame of a clear-signed message (RFC 9580,
/// section 7) do no harm; the signature itself is not checked.
package struct ChecksumList: Hashable, Sendable {
    /// The longest file read, in bytes.
    package static let bytesMax = 4 << 20

    /// A sum and whose it is.
    package struct Entry: Hashable, Sendable {
        /// The path as it stands there; nil for a sum alone.
        package var path: String?
        /// The sum.
        package var digest: Digest
    }

    /// Why no sum was found.
    package enum Problem: Error, Hashable, Sendable {
        /// The file holds no line that is a sum.
        case empty
        /// None of the sums is of a file of this name.
        case notListed(String)
        /// Several files of this name stand there, with different sums.
        case ambiguous(String)
    }

    /// The sums in the order they stand there.
    package private(set) var entries: [Entry] = []

    /// Reads the whole file; what is no sum is passed over.
    package init(parsing bytes: [UInt8]) {
        let plain = bytes.withoutByteOrderMark
        for line in plain.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            var text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("-----BEGIN PGP SIGNATURE") { break }
            // A line of a clear-signed message that begins with a hyphen has another in front of it.
            if text.hasPrefix("- ") { text.removeFirst(2) }
            if let entry = Self.listed(text) ?? Self.tagged(text) { entries.append(entry) }
        }
    }

    /// The strongest sum of a file.
    ///
    /// A sum whose path ends like that of the file's URL is preferred to one that only has its name. A sum that stands
    /// alone in its file is the sum of whatever was asked for.
    /// - Parameters:
    ///   - path: the path of the file's URL, not percent-encoded.
    ///   - name: another name the file may be listed under; nil for none.
    package func digest(of path: String, named name: String?) throws(Problem) -> Digest {
        guard !entries.isEmpty else { throw .empty }
        let own = Self.components(path)
        var best: [(common: Int, digest: Digest)] = []
        for entry in entries {
            guard let listed = entry.path.map(Self.components), let last = listed.last else { continue }
            let common = zip(listed.reversed(), own.reversed()).prefix { $0 == $1 }.count
            if common > 0 || last == name { best.append((common, entry.digest)) }
        }
        guard let common = best.map(\.common).max() else {
            if entries.count == 1, entries[0].path == nil { return entries[0].digest }
            throw .notListed(own.last ?? name ?? path)
        }
        let nearest = Set(best.filter { $0.common == common }.map(\.digest))
        // A list that contradicts itself in one kind of sum is not believed in another.
        guard Set(nearest.map(\.algorithm)).count == nearest.count,
            let strongest = nearest.max(by: { $0.algorithm.strength < $1.algorithm.strength })
        else { throw .ambiguous(own.last ?? path) }
        return strongest
    }

    /// `HEX  name`, `HEX *name`, `\HEX  name` with escapes, or `HEX` alone.
    private static func listed(_ line: String) -> Entry? {
        let isEscaped = line.hasPrefix("\\")
        let rest = isEscaped ? line.dropFirst() : line[...]
        let digits = rest.prefix { $0.isASCII && $0.isHexDigit }
        guard let digest = digest(digits) else { return nil }
        var name = rest.dropFirst(digits.count)
        guard let mark = name.first else { return Entry(path: nil, digest: digest) }
        guard mark == " " || mark == "\t" else { return nil }
        name = name.dropFirst()
        // The second mark says how the file was read: as text, or as bytes.
        if name.first == " " || name.first == "*" { name = name.dropFirst() }
        while let last = name.last, last == " " || last == "\t" { name = name.dropLast() }
        guard !name.isEmpty else { return Entry(path: nil, digest: digest) }
        return Entry(path: isEscaped ? unescaped(name) : String(name), digest: digest)
    }

    /// `SHA256 (name) = HEX` of BSD, `SHA2-256(name)= HEX` of OpenSSL.
    private static func tagged(_ line: String) -> Entry? {
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close else { return nil }
        var name = line[..<open].filter { $0 != " " }
        if name.hasPrefix("SHA2-") { name = "SHA-" + name.dropFirst(5) }
        let value = line[line.index(after: close)...].drop { $0 == " " || $0 == "=" }
        guard let algorithm = Digest.Algorithm(named: name), let bytes = [UInt8](hex: value),
            let digest = Digest(algorithm, bytes)
        else { return nil }
        return Entry(path: String(line[line.index(after: open)..<close]), digest: digest)
    }

    private static func digest(_ digits: Substring) -> Digest? {
        let algorithm = Digest.Algorithm.allCases.first { $0.byteCount * 2 == digits.utf8.count }
        guard let algorithm, let bytes = [UInt8](hex: digits) else { return nil }
        return Digest(algorithm, bytes)
    }

    private static func unescaped(_ text: Substring) -> String {
        var name = ""
        var isEscape = false
        for character in text {
            if isEscape {
                name.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
                isEscape = false
            } else if character == "\\" {
                isEscape = true
            } else {
                name.append(character)
            }
        }
        return name
    }

    private static func components(_ path: String) -> [String] {
        path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).map { String($0) }.filter { $0 != "." }
    }
}
