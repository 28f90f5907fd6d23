/// A name or a path, equal to another one where a disk finds the same file under both: byte by byte, while to Swift two
/// ways to write an accented letter are one text. To Apple's disks they are one name.
package struct DiskName: Hashable, Sendable {
    /// The name as it was written.
    package let text: String

    /// The name or the path `text`.
    package init(_ text: String) { self.text = text }

    package static func == (one: DiskName, other: DiskName) -> Bool {
        #if canImport(Darwin)
            one.text == other.text
        #else
            // What is the same byte by byte is the same text, too; that is found out faster.
            one.text == other.text && one.text.utf8.elementsEqual(other.text.utf8)
        #endif
    }

    /// Equal names are equal texts.
    package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }
}
