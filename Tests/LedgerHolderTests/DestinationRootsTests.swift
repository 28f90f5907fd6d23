import LedgerAPI
import LedgerHolder
import LedgerModel
import LedgerSystem
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// No client of the API puts a file where it was not told it may.
struct DestinationRootsTests {
    /// Two roots on the real disk, and what stands beside them.
    private struct Place {
        let top: FilePath
        let disk = RealFileSystem()

        init() throws {
            var generator = SystemRandomNumberGenerator()
            let path = FilePath("/tmp/ledger-roots-\(String(generator.next(), radix: 16))")
            try disk.createDirectory(path, permissions: 0o755)
            top = try disk.resolved(path)
            for name in ["one/sub/deep", "two", "outside/.ssh", "one/home", "one/.git/hooks", "one/.root"] {
                try disk.createDirectory(top.appending(name), permissions: 0o755)
            }
            for name in ["one/file", "outside/.ssh/authorized_keys"] {
                try disk.replaceContents(of: top.appending(name), with: [1], permissions: 0o644)
            }
            try link("one/out", to: top.appending("outside").string)
            try link("one/etc", to: "/etc")
            try link("one/up", to: "..")
            try link("one/inner", to: "sub/deep")
            try link("one/other", to: "../two")
            try link("one/dangling", to: "nowhere")
            try link("one/loop", to: "loop")
            try link("one/named", to: "file")
            try link("one/authorized_keys", to: "../outside/.ssh/authorized_keys")
            try link("one/.alias", to: "sub")
            try link("one/plain", to: ".git")
            try link("alias", to: "one")
        }

        func link(_ name: String, to target: String) throws {
            try #require(symlink(target, top.appending(name).string) == 0)
        }

        var roots: DestinationRoots {
            get throws {
                try DestinationRoots(
                    [top.appending("alias"), top.appending("two"), top.appending("one/.root")],
                    reserving: [top.appending("one/home")],
                    fileSystem: disk)
            }
        }

        func remove() throws { try remove(top) }

        private func remove(_ directory: FilePath) throws {
            for name in try disk.list(directory) {
                let path = directory.appending(name)
                if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
            }
            try disk.removeDirectory(directory)
        }
    }

    private struct Placed: Sendable {
        let directory: String?
        let output: String?
        let expected: String
        let name: String?

        init(_ directory: String?, _ output: String?, in expected: String, _ name: String?) {
            (self.directory, self.output, self.expected, self.name) = (directory, output, expected, name)
        }
    }

    private static let allowed: [Placed] = [
        Placed(nil, nil, in: "one", nil), Placed(nil, "a", in: "one", "a"), Placed("", "a", in: "one", "a"),
        Placed(".", "a", in: "one", "a"), Placed("sub", "a", in: "one/sub", "a"),
        Placed("sub/", "a", in: "one/sub", "a"), Placed("./sub//deep/.", "a", in: "one/sub/deep", "a"),
        Placed("sub/../sub", "a", in: "one/sub", "a"), Placed("new/er", "a", in: "one/new/er", "a"),
        Placed(nil, "new/er/a", in: "one/new/er", "a"), Placed("sub", "deep/a", in: "one/sub/deep", "a"),
        Placed("sub", "../a", in: "one", "a"), Placed("TOP/two", "a", in: "two", "a"),
        Placed("TOP/two/new", nil, in: "two/new", nil), Placed("TOP/one/sub", "a", in: "one/sub", "a"),
        Placed("TOP/alias/sub", nil, in: "one/sub", nil),
        // Links inside of the roots are only another way there.
        Placed("inner", "a", in: "one/sub/deep", "a"), Placed("inner/new", "a", in: "one/sub/deep/new", "a"),
        Placed("other", "a", in: "two", "a"),
        // Names are names, whatever another system would make of them.
        Placed(nil, "file", in: "one", "file"), Placed(nil, "back\\slash", in: "one", "back\\slash"),
        Placed(nil, "a.b", in: "one", "a.b"),
        // What a link is called does not count, and a root may be hidden itself.
        Placed(".alias", "a", in: "one/sub", "a"), Placed("TOP/one/.root/sub", "a", in: "one/.root/sub", "a"),
    ]

    @Test(arguments: allowed)
    private func `what lies in a root is a place`(_ theCase: Placed) throws {
        let place = try Place()
        defer { #expect(throws: Never.self) { try place.remove() } }
        let directory = theCase.directory?.replacing("TOP", with: place.top.string)
        let found = try place.roots.place(directory: directory, output: theCase.output)
        #expect(found.directory == place.top.appending(theCase.expected).string)
        #expect(found.name == theCase.name)
    }

    private static let long = String(repeating: "x", count: 256)

    private static let directories: [String] = [
        "..", "../..", "../outside", "sub/../../outside", "../one-more", "/etc", "//etc", "/tmp", "/", "TOP",
        "TOP/outside", "TOP/one/../outside", "TOP/twofold", "TOP/one/out", "out", "out/new", "out/.ssh", "etc", "up",
        "up/outside", "sub/../out", "inner/../../out", "dangling", "dangling/new", "loop", "file", "file/sub", "named",
        "named/sub", "home", "home/new", "sub\0/etc", "a\u{85}", long, "new/" + long,
        String(repeating: "new/", count: 1024),
        // What is hidden: there already, made for it, behind a link with another name, or below a root that may be.
        ".git", ".git/hooks", ".ssh", "sub/.config/systemd", "sub/../.ssh", "plain", "plain/hooks", "TOP/one/.git",
        "TOP/two/.x", "TOP/one/.root/.x", ".rootless", "..a", "...", ".\u{301}a",
        // A slash that carries a mark is another character, but the same slash to the disk.
        "sub/\u{338}/../../..", "/\u{338}etc",
    ]

    private static let outputs: [String] = [
        "../a", "../../etc/passwd", "sub/../../a", "/etc/passwd", "/", "", ".", "..", "sub/", "sub/.", "sub/..",
        "out/a", "etc/cron", "authorized_keys", "dangling", "named", "sub", "file/a", "home/tokens", "a\0b", "a\nb",
        ".bashrc", ".ssh/authorized_keys", "sub/.x/a", "..a", ".\u{301}a", "\u{1B}[2Ja", "a\u{7F}", long,
        "/\u{338}etc", "../\u{338}",
    ]

    private static var refused: [(String?, String?)] {
        directories.map { ($0, "a") } + directories.map { ($0, nil) } + outputs.map { (nil, $0) }
    }

    @Test(arguments: refused)
    func `what leads out is refused, and said so`(directory: String?, output: String?) throws {
        let place = try Place()
        defer { #expect(throws: Never.self) { try place.remove() } }
        let directory = directory?.replacing("TOP", with: place.top.string)
        let problem = try #require(throws: Problem.self) {
            try place.roots.place(directory: directory, output: output)
        }
        #expect(problem.code == .badDestination && problem.exitCode == .usage)
        #expect(problem.next != nil && !problem.message.utf8.contains { $0 < 32 }, "\(problem)")
    }

    @Test(arguments: [(".ssh", "authorized_keys"), ("sub", ".ssh"), (nil, ".ssh/x")] as [(String?, String)])
    func `what is hidden is named`(directory: String?, output: String) throws {
        let place = try Place()
        defer { #expect(throws: Never.self) { try place.remove() } }
        let problem = try #require(throws: Problem.self) {
            try place.roots.place(directory: directory, output: output)
        }
        #expect(problem.cause?.contains("'.ssh' is hidden") == true, "\(problem)")
    }

    @Test func `a root is made, and one that can not be is told`() throws {
        let place = try Place()
        defer { #expect(throws: Never.self) { try place.remove() } }
        let fresh = place.top.appending("fresh/root")
        let roots = try DestinationRoots([fresh], fileSystem: place.disk)
        #expect(roots.first == fresh.string)
        #expect(try place.disk.status(of: fresh)?.kind == .directory)
        #expect(throws: Problem.self) {
            try DestinationRoots([place.top.appending("one/file/root")], fileSystem: place.disk)
        }
        #expect(throws: Problem.self) {
            try DestinationRoots([place.top.appending("one/dangling")], fileSystem: place.disk)
        }
    }
}
