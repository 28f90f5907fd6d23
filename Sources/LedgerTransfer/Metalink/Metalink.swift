package import LedgerModel

/// What a Metalink document says: files, where each is to be had, and what it must hash to.
///
/// Version 4 (RFC 5854) and version 3 (metalinker.org). Torrents, signatures and URLs of other schemes are left out and
/// told of in ``notes``. A document comes from anywhere: nothing in it names a place outside of the directory it is
/// unpacked to, and it is read within bounds.
package struct Metalink: Hashable, Sendable {
    /// The longest document, in bytes.
    package static let bytesMax = XMLReader.bytesMax
    /// The most files of one document.
    package static let filesMax = 100_000
    /// The most URLs that are kept of one file: the best.
    package static let urlsMax = 64
    /// The most bytes that the hashes of one file's pieces may take: an order holds its URLs and names beside them.
    package static let pieceBytesMax = PieceHashes.bytesMax * 3 / 4
    /// The most notes that are kept of one document.
    package static let notesMax = 100

    /// A file that the document describes.
    package struct File: Hashable, Sendable {
        /// The line where its description starts.
        package var line: Int
        /// Its path as the document states it: not one to use, but to judge the document by.
        package var statedPath: String
        /// The directories it stands in, below the one that it is downloaded to; each a safe name.
        package var directories: [String]
        /// Its name; safe.
        package var name: String
        /// Its length in bytes; nil when it is not stated.
        package var length: UInt64?
        /// What it must hash to, by the strongest algorithm that is known here; nil when none is stated.
        package var digest: Digest?
        /// What its pieces must hash to; nil when that is not stated, or not in a way that can be used.
        package var pieces: PieceHashes?
        /// Where it is to be had, with user and password where they stand in it; the best first, one at least.
        package var urls: [ResourceURL.Parsed]
    }

    /// Something of the document that was left out.
    package struct Note: Hashable, Sendable {
        /// The line, from 1.
        package var line: Int
        /// What it was, in words, without a full stop.
        package var text: String
    }

    /// The files, in the order they stand; one at least.
    package var files: [File]
    /// What was left out; ``notesMax`` at most.
    package var notes: [Note]

    /// Reads a document.
    /// - Parameter base: where it was fetched from, for URLs that are relative; nil for a file.
    /// - Throws: ``XMLProblem`` for what is no Metalink of version 3 or 4, describes no file, or describes one that can
    ///   not be fetched.
    package static func parse(_ bytes: [UInt8], base: ResourceURL? = nil) throws(XMLProblem) -> Metalink {
        var reader = try MetalinkReader(bytes, base: base)
        return try reader.read()
    }

    /// Whether a media type is that of a Metalink of version 4 or 3.
    package static func isMetalink(mediaType: String) -> Bool {
        mediaType == "application/metalink4+xml" || mediaType == "application/metalink+xml"
    }

    /// Whether a URL's path ends as those of Metalink documents do.
    package static func isMetalink(_ url: ResourceURL) -> Bool {
        let path = url.path.lowercased()
        return path.hasSuffix(".meta4") || path.hasSuffix(".metalink")
    }
}
