import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// No client puts a file where it may not, or reads one that is none of the ledger's.
@Suite(.timeLimit(.minutes(30))) struct PathAttackTests {
    private func refused(_ answer: Answer, _ what: String) throws {
        #expect(answer.status == 422 && answer["content-type"] == "application/problem+json", "\(what)")
        #expect(try answer.json["code"] == "bad-destination", "\(what)")
    }

    /// Links out of the root, and what stands beside it.
    private func prepare(_ fixture: ServerFixture) throws {
        let disk = RealFileSystem()
        try disk.createDirectory(fixture.root.appending("outside/.ssh"), permissions: 0o755)
        try disk.replaceContents(
            of: fixture.root.appending("outside/.ssh/authorized_keys"), with: Array("key".utf8), permissions: 0o600)
        for (name, target) in [
            ("out", fixture.root.appending("outside").string), ("etc", "/etc"), ("up", ".."), ("loop", "loop"),
            ("gone", "/nowhere/at/all"), ("keys", "../outside/.ssh/authorized_keys"),
        ] {
            try #require(symlink(target, fixture.downloads.appending(name).string) == 0)
        }
        try disk.createDirectory(fixture.downloads.appending("inside/deep"), permissions: 0o755)
        try disk.createDirectory(fixture.downloads.appending(".config/autostart"), permissions: 0o755)
        try #require(symlink(".config", fixture.downloads.appending("dots").string) == 0)
    }

    /// aria2's words for a download of this URL, with options.
    private func addURI(_ url: String, _ options: JSONObject, _ fixture: ServerFixture) async throws -> Answer {
        try await fixture.ask(
            "POST", "/jsonrpc",
            ["jsonrpc": "2.0", "id": 1, "method": "aria2.addUri", "params": [[.string(url)], .object(options)]])
    }

    @Test func `a link in the place of a directory leads no reader out of the root`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.otherwise { OriginEntity(Array("mine".utf8)).reply(to: $0) }
            let form: JSONObject = ["url": .string(try fixture.url("/f.bin")), "output": "sub/f.bin"]
            let added = try await fixture.ask("POST", "/v1/downloads", .object(form))
            let id = try #require(try added.json["downloads"]?.list.first?["id"]?.number)
            try await fixture.ended([id])
            #expect(try await fixture.ask("GET", "/files/\(id)").text == "mine")
            let (disk, outside) = (RealFileSystem(), fixture.root.appending("outside"))
            try disk.createDirectory(outside, permissions: 0o755)
            try disk.replaceContents(of: outside.appending("f.bin"), with: Array("else".utf8), permissions: 0o600)
            try disk.removeTree(fixture.downloads.appending("sub"))
            try #require(symlink(outside.string, fixture.downloads.appending("sub").string) == 0)
            #expect(try await fixture.ask("GET", "/files/\(id)").status == 404)
        }
    }

    @Test func `aria2's clients reach nothing hidden either`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            try prepare(fixture)
            let places: [JSONObject] = [
                ["out": ".bashrc"], ["out": ".ssh/authorized_keys"], ["dir": .string(fixture.downloads.string + "/.x")],
                ["dir": .string(fixture.downloads.string + "/dots"), "out": "a"],
            ]
            for place in places {
                let answer = try await addURI("https://files.example.org/f.bin", place, fixture)
                #expect(try answer.json["error"]?["code"]?.number == 1, "\(place): \(answer.text)")
            }
            #expect(try await fixture.downloadCount == 0)
        }
    }

    @Test func `a directory or a name that leads out of the root is refused, be it by text or by a link`() async throws
    {
        try await ServerFixture.run(.idle) { fixture in
            try prepare(fixture)
            let places: [JSONObject] = [
                ["dir": "/etc"], ["dir": ".."], ["dir": "../outside"], ["dir": "inside/../../outside"],
                ["dir": .string(fixture.root.string)], ["dir": .string(fixture.downloads.string + "/../outside")],
                ["dir": .string(fixture.downloads.string + "-beside")], ["dir": "out"], ["dir": "out/.ssh"],
                ["dir": "etc"], ["dir": "up"], ["dir": "up/outside"], ["dir": "loop"], ["dir": "gone"],
                ["dir": "inside/deep/../../../outside"], ["dir": "a\u{0}b"], ["dir": "a\nb"], ["output": "../x"],
                ["output": "/etc/cron.d/x"], ["output": ".."], ["output": "."], ["output": ""], ["output": "a/"],
                ["output": "out/x"], ["output": "out/.ssh/authorized_keys"], ["output": "keys"],
                ["output": "etc/passwd"],
                ["output": "inside/../../x"], ["output": "a\r\nb"], ["dir": "inside", "output": "../../outside/x"],
                ["dir": "/", "output": "etc/x"], ["output": .string(String(repeating: "x", count: 300))],
                ["dir": .string("inside" + String(repeating: "/..", count: 40))],
                ["dir": .string(fixture.service.ledger.home.path.string)],
                ["dir": ".ssh", "output": "authorized_keys"], ["output": ".ssh/authorized_keys"], ["output": ".bashrc"],
                ["dir": "inside/.git/hooks"], ["dir": "new/.config"], ["dir": "dots"],
            ]
            for place in places {
                var form: JSONObject = ["url": "https://files.example.org/f.bin", "paused": true]
                form.merge(place)
                try refused(try await fixture.ask("POST", "/v1/downloads", .object(form)), "\(place)")
            }
            #expect(try await fixture.downloadCount == 0)
            for directory in ["/etc", "../outside", "out", "gone", ".config", "inside/.git"] {
                for kind in ["feeds", "catalogs"] {
                    let form: JSONValue = ["url": "https://files.example.org/feed.xml", "dir": .string(directory)]
                    try refused(try await fixture.ask("POST", "/v1/\(kind)", form), "\(kind) \(directory)")
                }
            }
            #expect(try await fixture.service.read { $0.library.listings.isEmpty })
        }
    }

    @Test func `what stays inside is taken, and lands inside`() async throws {
        try await ServerFixture.run { fixture in
            try prepare(fixture)
            fixture.origin.serve("/f.bin", OriginEntity([1, 2, 3]))
            let url = JSONValue.string(try fixture.url("/f.bin"))
            let ids = try await fixture.fetch([
                ["url": url, "again": true, "output": "a.bin"],
                ["url": url, "again": true, "dir": "inside/deep", "output": "b.bin"],
                [
                    "url": url, "again": true, "dir": .string(fixture.downloads.string + "/inside"),
                    "output": "new/c.bin",
                ],
                ["url": url, "again": true, "dir": "inside/../inside", "output": "d.bin"],
            ])
            var paths: [String] = []
            for id in ids {
                let row = try await fixture.ask("GET", "/v1/downloads/\(id)").json
                #expect(row["state"] == "completed")
                paths.append(row["path"]?.text ?? "")
            }
            let below = try RealFileSystem().resolved(fixture.downloads).string
            #expect(paths == ["/a.bin", "/inside/deep/b.bin", "/inside/new/c.bin", "/inside/d.bin"].map { below + $0 })
            let kept = fixture.root.appending("outside/.ssh/authorized_keys")
            #expect(try RealFileSystem().contents(of: kept) == Array("key".utf8))
        }
    }

    @Test(
        arguments: [["dir": "inside/deep"], ["dir": "inside/deep/new/er", "output": "deepest/f.bin"]] as [JSONObject])
    func `a link that comes into the path of a directory after the asking leads no file out`(
        place: JSONObject
    ) async throws {
        try await ServerFixture.run { fixture in
            try prepare(fixture)
            fixture.origin.serve("/f.bin", OriginEntity([1, 2, 3]))
            let id = try await fixture.addPaused("/f.bin", place)
            let disk = RealFileSystem()
            let deep = fixture.downloads.appending("inside/deep")
            try disk.removeDirectory(deep)
            try #require(symlink(fixture.root.appending("outside").string, deep.string) == 0)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(id)/resume").status == 200)
            try await fixture.ended([id])
            let row = try await fixture.ask("GET", "/v1/downloads/\(id)").json
            #expect(row["state"] == "failed" && row["error"]?["code"] == "destination-taken", "\(row)")
            #expect(row["error"]?["message"]?.text?.contains("symbolic link") == true, "\(row)")
            #expect(try disk.list(fixture.root.appending("outside")) == [".ssh"])
            #expect(fixture.origin.requests.isEmpty)
            // Put right, it goes where it was to go.
            try disk.unlink(deep)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(id)/retry").status == 200)
            try await fixture.ended([id])
            let path = try await fixture.ask("GET", "/v1/downloads/\(id)").json["path"]?.text ?? ""
            #expect(path.hasPrefix(try disk.resolved(deep).string + "/") && path.hasSuffix("/f.bin"), "\(path)")
        }
    }

    @Test func `a file that stands there is no client's to take over, read or remove`() async throws {
        try await ServerFixture.run { fixture in
            let (disk, path) = (RealFileSystem(), fixture.downloads.appending("own.txt"))
            try disk.replaceContents(of: path, with: Array("private".utf8), permissions: 0o600)
            fixture.origin.serve("/own.txt", OriginEntity([1, 2, 3]))
            let url = JSONValue.string(try fixture.url("/own.txt"))
            let forms: [JSONObject] = [
                ["url": url, "skip": true, "output": "own.txt"], ["url": url, "skip": true, "again": true],
            ]
            for form in forms {
                let id = try await fixture.fetch([form])[0]
                let row = try await fixture.ask("GET", "/v1/downloads/\(id)").json
                #expect(row["state"] == "failed" && row["error"]?["code"] == "destination-taken", "\(row)")
                let words = row["error"]?["message"]?.text ?? ""
                #expect(words.contains("a file that this ledger did not download stands at '"), "\(words)")
                let answer = try await fixture.ask("GET", "/files/\(id)")
                #expect(answer.status == 404 && !answer.text.contains("private"))
                #expect(try await fixture.ask("DELETE", "/v1/downloads/\(id)").status == 200)
                #expect(try disk.contents(of: path) == Array("private".utf8))
            }
            // Whoever owns this machine takes it over as before.
            var own = EnqueueRequest(
                url: try fixture.url("/own.txt"), directory: try disk.resolved(fixture.downloads).string,
                command: CommandID(high: 7, low: 7))
            (own.name, own.collision) = ("own.txt", .skip)
            guard case .accepted(let row, _)? = try await fixture.service.enqueue([own]).first else {
                return #expect(Bool(false))
            }
            try await fixture.ended([row.id.rawValue])
            #expect(try await fixture.ask("GET", "/files/\(row.id.rawValue)").text == "private")
            // Then it is the ledger's, and nothing is fetched for a client either, as long as it is what it was.
            let asked = fixture.origin.requests.count
            let third = try await fixture.fetch([["url": url, "skip": true, "again": true, "output": "own.txt"]])[0]
            #expect(try await fixture.ask("GET", "/v1/downloads/\(third)").json["state"] == "completed")
            #expect(fixture.origin.requests.count == asked)
            try disk.replaceContents(of: path, with: Array("another one".utf8), permissions: 0o600)
            let fourth = try await fixture.fetch([["url": url, "skip": true, "again": true, "output": "own.txt"]])[0]
            #expect(try await fixture.ask("GET", "/v1/downloads/\(fourth)").json["state"] == "failed")
            #expect(try disk.contents(of: path) == Array("another one".utf8))
        }
    }

    @Test func `names that an origin makes up stay names`() async throws {
        try await ServerFixture.run { fixture in
            let names = ["../../outside/x", "/etc/cron.d/x", "..", ".bashrc", "a\\..\\b", "-rf"]
            for (number, name) in names.enumerated() {
                var entity = OriginEntity([1, 2, 3])
                entity.fields = [("Content-Disposition", "attachment; filename=\"\(name)\"")]
                fixture.origin.serve("/\(number)", entity)
            }
            let ids = try await fixture.fetch(
                try names.indices.map { ["url": .string(try fixture.url("/\($0)"))] })
            let below = try RealFileSystem().resolved(fixture.downloads)
            for id in ids {
                let row = try await fixture.ask("GET", "/v1/downloads/\(id)").json
                let path = FilePath(row["path"]?.text ?? "")
                #expect(path.removingLastComponent() == below && row["state"] == "completed", "\(row)")
                #expect(path.lastComponent?.string.first.map { !".-".contains($0) } == true, "\(path)")
            }
        }
    }

    @Test func `a link in the place of a finished file is not followed`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.serve("/f.txt", OriginEntity(Array("abc".utf8)))
            let id = try await fixture.fetch([["url": .string(try fixture.url("/f.txt"))]])[0]
            #expect(try await fixture.ask("GET", "/files/\(id)").text == "abc")
            let disk = RealFileSystem()
            try disk.replaceContents(of: fixture.root.appending("secret"), with: Array("key".utf8), permissions: 0o600)
            try disk.unlink(fixture.downloads.appending("f.txt"))
            try #require(symlink("../secret", fixture.downloads.appending("f.txt").string) == 0)
            let answer = try await fixture.ask("GET", "/files/\(id)")
            #expect(answer.status == 404 && !answer.text.contains("key"))
        }
    }

    @Test(arguments: [
        "/files/../home/tokens", "/files/..%2Fhome%2Ftokens", "/files/%2e%2e/home/tokens", "/files//etc/passwd",
        "/app/../../etc/passwd", "/app/..%2f..%2fetc%2fpasswd", "/app/%2e%2e%2fopenapi.json", "/files/1%00",
        "/files/1;x",
        "/files/0x1", "/files/-1", "/files/18446744073709551616", "/files/01/../2", "//evil.example/v1/status",
    ])
    func `a path of a URL leads to no file`(path: String) async throws {
        try await ServerFixture.run { fixture in
            let answer = try await fixture.ask("GET", path)
            #expect(answer.status == 404 || answer.status == 400, "\(answer.status)")
            #expect(!answer.text.contains("root:") && !answer.text.contains("sha256"))
        }
    }
}
