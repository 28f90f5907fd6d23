import LedgerAPI
import LedgerModel
import LedgerTestSupport
import Testing

struct WireTests {
    private let command = CommandID(high: 1, low: 2)

    private var row: DownloadRow {
        var row = DownloadRow(
            id: DownloadID(3), url: "http://a/b", path: "/d/b", state: .waiting, kind: .other, priority: -1,
            addedAt: Timestamp(milliseconds: 1_700_000_000_123))
        row.size = .max
        row.error = .init(code: "status", message: "the origin answered 503", retryable: true)
        row.retryAt = Timestamp(milliseconds: 1_700_000_009_000)
        row.tags = ["x", "ü"]
        return row
    }

    @Test func `every request comes out as it went in`() throws {
        var request = EnqueueRequest(url: "http://ada:secret@a/b", directory: "/d", command: command)
        request.headers = [.init(name: "Cookie", value: "a=b")]
        request.notBefore = Timestamp(milliseconds: 5)
        var query = ListQuery()
        query.filter.states = [.failed, .waiting]
        query.filter.kinds = [.video]
        query.limit = 3
        query.sort = .size
        var compact = CompactRequest()
        compact.command = CommandID(high: 3, low: 4)
        compact.keepEvents = 0
        var limit = LimitChange()
        limit.bytesPerSecondMax = 0
        var change = ChangeRequest()
        change.window = ChangeRequest.always
        change.notBefore = Timestamp(milliseconds: 5)
        let bodies: [ControlRequest.Body] = [
            .status, .enqueue([request]), .gather([request]), .act(.pause, .all, command),
            .act(.resume, .ids([DownloadID(1)]), command),
            .act(.move(.index(2)), .matching(query.filter), command), .act(.delete(.purge), .all, command),
            .undo(nil, command), .undo(SequenceNumber(4), command), .list(query),
            .watch(WatchQuery(ids: [DownloadID(1)], untilEnd: true)), .compact(compact), .limit(limit),
            .act(.change(change), .all, command), .digest, .leave,
        ]
        for body in bodies {
            let request = ControlRequest(body)
            #expect(try ControlRequest(decoding: request.encoded()) == request)
        }
    }

    @Test func `every response comes out as it went in`() throws {
        let problem = Problem(.holderLeft, "gone", cause: "why", next: "again", exitCode: .heldElsewhere)
        let report = CompactReport(
            through: SequenceNumber(1), last: SequenceNumber(2), eventsDropped: 3, segmentsDropped: 4,
            segmentsThinned: 1, bytesBefore: 5, bytesAfter: 6, archived: true, isDryRun: false, root: "ab")
        let responses: [ControlResponse] = [
            .status(HolderStatus(processID: 1, programVersion: "1", last: SequenceNumber(9), running: 2)),
            .status(
                HolderStatus(
                    processID: 1, programVersion: "1", last: SequenceNumber(9), running: 2, addresses: ["[::1]:6800"])),
            .enqueued([.accepted(row, joined: true), .refused(problem)]),
            .acted([ActionAnswer(done: row, undone: 7), ActionAnswer(refused: DownloadID(1), problem)]), .rows([row]),
            .compacted(report), .limited(LimitReport(Limits(), bytesPerSecondMax: 5, running: 1, queued: 2)), .end,
            .gathered, .part(.rows([row])), .failed(problem),
            .digest(StateDigest(sequence: 3, digest: Fixture.digest())),
        ]
        for response in responses {
            #expect(try ControlResponse(decoding: response.encoded()) == response)
        }
    }

    @Test func `a long list goes in pieces, none longer than a message may be`() throws {
        let requests = (0..<600).map { number in
            EnqueueRequest(url: "http://a/\(number)", directory: "/d", command: CommandID(high: 0, low: UInt64(number)))
        }
        for bytesMax in [Int.max, 30_000, 1] {
            var parts = ControlRequest(.enqueue(requests)).parts
            var gathered: [EnqueueRequest] = []
            var count = 0
            while let bytes = try parts.next(bytesMax: bytesMax) {
                count += 1
                switch try ControlRequest(decoding: bytes).body {
                case .gather(let part):
                    #expect(!parts.isOver && (bytes.count <= bytesMax || part.count == 1))
                    gathered += part
                case .enqueue(let part):
                    #expect(parts.isOver)
                    gathered += part
                default: Issue.record("neither a part nor the end")
                }
            }
            #expect(gathered == requests)
            #expect(count == (bytesMax == 1 ? 600 : bytesMax == .max ? 3 : count) && count >= 3)
        }
        for response in [ControlResponse.enqueued([]), .end] {
            var parts = response.parts
            #expect(try ControlResponse(decoding: try #require(try parts.next(bytesMax: 1))) == response)
            #expect(try parts.next(bytesMax: 1) == nil)
        }
    }

    @Test func `another version is refused by name`() throws {
        var request = ControlRequest(.digest)
        request.version = 2
        let bytes = try request.encoded()
        #expect(throws: Problem.self) { try ControlRequest(decoding: bytes) }
        do throws(Problem) {
            _ = try ControlResponse(decoding: Array("{}".utf8))
            Issue.record("an empty object is no response")
        } catch {
            #expect(error.code == .versionMismatch && error.exitCode == .heldElsewhere)
        }
    }
}

struct RequestTests {
    private func request(_ url: String) -> EnqueueRequest {
        EnqueueRequest(url: url, directory: "/d", command: CommandID(high: 0, low: 1))
    }

    @Test func `a plain request has no secrets and shares its labels and options`() throws {
        let (order, secrets) = try request("http://a/b").order()
        #expect(secrets.isEmpty)
        #expect(order.url.text == "http://a/b" && order.destination.directory == "/d" && order.secret == nil)
        #expect(order.labels === Labels.none && order.options === TransferOptions.standard)
    }

    @Test func `an empty word is none`() throws {
        var request = request("http://a/b")
        (request.group, request.title, request.details, request.identifier) = ("", "", "", "")
        request.tags = ["", "b", ""]
        #expect(try request.order().order.labels.value == Labels(tags: ["b"]))
        request.tags = [""]
        #expect(try request.order().order.labels === Labels.none)
    }

    @Test func `secrets are told apart from what may be written down`() throws {
        var request = request("http://ada:s%65cret@a/b?token=abc&x=1")
        request.mirrors = ["http://m/b", "http://m/c?sig=1", "http://bob:p%40ss@n/d", "http://tok@n/e"]
        request.headers = [.init(name: "Cookie", value: "id=1")]
        request.proxy = "http://p:q@proxy:3128"
        let (order, secrets) = try request.order()
        #expect(order.url.text == "http://a/b?token=REDACTED&x=1")
        #expect(
            order.options.value.mirrors.map(\.text) == [
                "http://m/b", "http://m/c?sig=REDACTED", "http://n/d", "http://n/e",
            ])
        #expect(order.options.value.headerNames == ["Cookie"])
        #expect(order.options.value.proxy == "http://proxy:3128")
        #expect(secrets.url == "http://a/b?token=abc&x=1")
        #expect(
            secrets.mirrors == ["http://m/b", "http://m/c?sig=1", "http://bob:p%40ss@n/d", "http://tok@n/e"])
        #expect(secrets.headers == request.headers)
        #expect(secrets.credentials == "ada:secret")
        #expect(secrets.proxyCredentials == "p:q")
    }
}

struct ListQueryTests {
    private func row(_ id: UInt64, _ name: String, _ state: DownloadState, size: UInt64? = nil) -> DownloadRow {
        var row = DownloadRow(
            id: DownloadID(id), url: "http://a/" + name, path: "/d/" + name, state: state,
            kind: Kind(mediaType: nil, name: name), priority: Int32(id), addedAt: .epoch)
        row.size = size
        return row
    }

    private var rows: [DownloadRow] {
        [
            row(3, "c.mp4", .failed, size: 5), row(1, "a.zip", .completed, size: 9), row(2, "b.MP4", .deleted),
            row(4, "d.zip", .queued, size: 7),
        ]
    }

    private func ids(_ change: (inout ListQuery) -> Void) -> [UInt64] {
        var query = ListQuery()
        change(&query)
        let shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        let order = Order(
            url: ResourceURL(recorded: "http://a/"), destination: Destination(directory: "/d", name: nil))
        let downloads = DownloadTable(
            ascending: shown.keys.sorted().map {
                Download(id: $0, order: order, phase: .queued, priority: 0, rank: 0, addedAt: .epoch)
            })
        return query.select(from: downloads) { download in
            guard let row = shown[download.id] else { preconditionFailure("each has a row") }
            return row
        }.map(\.id.rawValue)
    }

    @Test func `filters are joined by and, the deleted are shown on request`() {
        #expect(ids { _ in } == [1, 3, 4])
        #expect(ids { $0.filter.states = [.deleted] } == [2])
        #expect(ids { $0.filter.kinds = [.video] } == [3])
        #expect(ids { $0.filter.search = "ZIP a." } == [1])
        #expect(
            ids {
                $0.filter.states = [.failed, .queued]
                $0.filter.kinds = [.archive]
            } == [4])
        #expect(ids { $0.filter.group = "none" } == [])
    }

    @Test func `sorting, direction and limit`() {
        #expect(ids { $0.sort = .size } == [3, 4, 1])
        #expect(
            ids {
                $0.sort = .size
                $0.descending = true
            } == [1, 4, 3])
        #expect(ids { $0.sort = .priority } == [4, 3, 1])
        #expect(
            ids {
                $0.sort = .name
                $0.limit = 2
            } == [1, 3])
        #expect(
            ids {
                $0.descending = true
                $0.limit = 2
            } == [4, 3])
        #expect(ids { $0.limit = -1 } == [], "another program may send what no command line lets through")
        #expect(ids { $0.ids = [DownloadID(4), DownloadID(9), DownloadID(2)] } == [4, 2])
    }
}
