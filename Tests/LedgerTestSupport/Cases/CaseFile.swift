/// A file that cases serve.
package struct CaseFile: Sendable {
    /// What tells it from the others of a case.
    package let name: String
    /// Its bytes.
    package let bytes: [UInt8]

    /// How much of a body is sent before it is cut, in bytes.
    package static let cutBytes = 300_000

    /// The first version.
    package static let v1 = CaseFile("v1", OriginEntity.pattern(700_001))
    /// Another version of the same size.
    package static let v2 = CaseFile("v2", OriginEntity.pattern(700_001, seed: 2))
    /// Another version, shorter than what is held when bodies are cut.
    package static let shorter = CaseFile("shorter", OriginEntity.pattern(200_003, seed: 3))
    /// Another version, longer.
    package static let longer = CaseFile("longer", OriginEntity.pattern(800_003, seed: 4))
    /// One that several ranges at once are worth while for.
    package static let large = CaseFile("large", OriginEntity.pattern(2_000_003, seed: 5))
    /// Nothing.
    package static let empty = CaseFile("empty", [])
    /// The first version, compressed.
    package static let gzip = CaseFile("gzip", GzipFile.stored(v1.bytes))
    /// A page of an error, of 9,000 bytes.
    package static let errorPage = CaseFile(
        "error-page", Array(("<html><h1>sorry</h1>" + String(repeating: "x", count: 8980)).utf8))
    /// A page of a captive portal.
    package static let loginPage = CaseFile("login-page", Array("<!DOCTYPE html><h1>Log in</h1>\n".utf8))

    /// Makes all of them, so that no event loop has to while clients wait.
    static func prepare() { _ = [v1, v2, shorter, longer, large, gzip, errorPage] }

    private init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
