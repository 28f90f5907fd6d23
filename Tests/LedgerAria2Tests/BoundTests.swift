import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// How much one request may ask for.
struct BoundTests {
    private static let downloadsCount = 40

    private static let wish: @Sendable (inout Aria2Fixture.Wishes) -> Void = {
        $0.works = false
        $0.answerBytesMax = 8000
    }

    private func fill(_ fixture: Aria2Fixture) async throws {
        for number in 1...Self.downloadsCount { _ = try await fixture.add("/file-\(number)") }
    }

    private func call(_ id: Int, _ method: String, _ parameters: JSONValue...) -> JSONValue {
        ["id": .int(Int64(id)), "method": .string(method), "params": .array(parameters)]
    }

    private func nested(_ method: String, _ parameters: JSONValue...) -> JSONValue {
        ["methodName": .string(method), "params": .array(parameters)]
    }

    @Test func `an answer that would be too long says so instead`() async throws {
        try await Aria2Fixture.run(Self.wish) { fixture in
            try await fill(fixture)
            let words = Fault.tooLong(bytesMax: 8000).message
            #expect(try await fixture.refusal("aria2.tellWaiting", [0, 1000]) == words)
            #expect(try await fixture.call("aria2.tellWaiting", 0, 5).list.count == 5)
            #expect(try await fixture.waiting().count == Self.downloadsCount)
        }
    }

    @Test func `options that are longer than anyone needs are refused, and of many the oldest are forgotten`()
        async throws
    {
        try await Aria2Fixture.run(Self.wish) { fixture in
            let long = String(repeating: "x", count: OptionValues.bytesMax)
            let refusal = try await fixture.refusal(
                "aria2.addUri", [["http://example.org/a"], ["user-agent": .string(long + "x")]])
            #expect(refusal == Fault.option("user-agent").message)
        }
        let memory = Memory()
        var values = OptionValues()
        values["user-agent"] = String(repeating: "x", count: OptionValues.bytesMax)
        for number in 1...UInt64(400) { memory.remember(values, of: DownloadID(number)) }
        #expect(memory.options(of: 1)["user-agent"] == nil && memory.options(of: 400)["user-agent"] != nil)
        let known = (1...UInt64(400)).count { memory.options(of: DownloadID($0))["user-agent"] != nil }
        #expect(known * OptionValues.bytesMax <= Memory.bytesMax && known > 100)
        // The same said again is remembered once.
        for _ in 0..<1000 { memory.remember(values, of: 400) }
        #expect(memory.options(of: 399)["user-agent"] != nil)
    }

    /// A lying origin costs it as much as any other.
    @Test func `of a file that is longer than any disk no pieces are told`() async throws {
        try await Aria2Fixture.run(Self.wish) { fixture in
            let gid = try await fixture.add("/file")
            let id = try #require(try await fixture.service.ledger.read { $0.queue.downloads.first?.id })
            for (length, isTold) in [(UInt64(1) << 62, false), (4 << 40, true), ((4 << 40) + 1, false)] {
                let download = try #require(try await fixture.service.ledger.read { $0.queue[id] })
                let report = Command.report(
                    download.lease, [.resolved(Fixture.origin(length: length), generation: download.generation + 1)])
                _ = try await fixture.service.ledger.execute([Submission(report, id: nil, actor: .worker)])
                let status = try await fixture.call("aria2.tellStatus", gid, ["bitfield", "totalLength"])
                #expect(status["totalLength"] == .string("\(length)") && (status["bitfield"] != nil) == isTold)
            }
        }
    }

    @Test func `in a list the rest is left out, is not done, and says so`() async throws {
        try await Aria2Fixture.run(Self.wish) { fixture in
            try await fill(fixture)
            let uris: JSONValue = ["http://example.org/late"]
            let calls: JSONValue = [
                call(1, "aria2.tellWaiting", 0, 3), call(2, "aria2.tellWaiting", 0, 1000),
                call(3, "aria2.tellWaiting", 0, 1), call(4, "aria2.addUri", uris),
            ]
            let answer = await fixture.endpoint.answer(calls.utf8)
            #expect(answer.status == 200 && answer.body.count < 8000 + 1000)
            let replies = try JSONValue.read(answer.body).list
            #expect(replies.map { $0["id"] } == [1, 2, 3, 4])
            #expect(replies.first?["result"]?.list.count == 3)
            let fault: JSONValue = ["code": 1, "message": .string(Fault.tooLong(bytesMax: 8000).message)]
            #expect(replies.dropFirst().allSatisfy { $0["error"] == fault })
            #expect(try await fixture.waiting().count == Self.downloadsCount)
        }
    }

    @Test func `so it is in a multicall, and in all multicalls of a list together`() async throws {
        try await Aria2Fixture.run(Self.wish) { fixture in
            try await fill(fixture)
            let fault: JSONValue = ["code": 1, "message": .string(Fault.tooLong(bytesMax: 8000).message)]
            let page = nested("aria2.tellWaiting", 0, 6)
            let one = try await fixture.call("system.multicall", [page, page, page, page, page, page])
            #expect(one.list.count == 6 && one[0]?[0]?.list.count == 6 && one[5] == fault)
            let calls = JSONValue.array((1...6).map { call($0, "system.multicall", [page]) })
            let answer = await fixture.endpoint.answer(calls.utf8)
            #expect(answer.body.count < 8000 + 2000)
            let replies = try JSONValue.read(answer.body).list
            #expect(replies[0]["result"]?[0]?[0]?.list.count == 6)
            #expect(replies[5]["error"] == fault)
        }
    }

    @Test func `more calls than a request may make are refused before the first is done`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let max = AnswerRoom.callsMax
            let words = Fault.tooManyCalls(max: max).message
            let list = JSONValue.array(Array(repeating: call(1, "system.listMethods"), count: max + 1))
            let answer = await fixture.endpoint.answer(list.utf8)
            #expect(answer.status == 400)
            let error: JSONValue = ["code": 1, "message": .string(words)]
            #expect(try JSONValue.read(answer.body) == ["id": .null, "jsonrpc": "2.0", "error": error])
            let before = fixture.service.ledger.lastSequence
            let add = nested("aria2.addUri", ["http://example.org/"])
            let many = JSONValue.array(Array(repeating: add, count: max + 1))
            #expect(try await fixture.refusal("system.multicall", [many]) == words)
            #expect(fixture.service.ledger.lastSequence == before)
            // All of a request together.
            let half = JSONValue.array(Array(repeating: nested("system.listNotifications"), count: max / 2))
            let two: JSONValue = [call(1, "system.multicall", half), call(2, "system.multicall", half)]
            let replies = try JSONValue.read(await fixture.endpoint.answer(two.utf8).body)
            #expect(replies[0]?["result"]?.list.count == max / 2 && replies[1]?["error"] == error)
        }
    }

    @Test func `what nobody waits for is not made, and what was asked to be done is`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            try await fill(fixture)
            let calls: JSONValue = [
                call(1, "aria2.tellWaiting", 0, 1000), call(2, "aria2.addUri", ["http://example.org/late"]),
            ]
            let answer = await Task {
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await fixture.endpoint.answer(calls.utf8)
            }.value
            let replies = try JSONValue.read(answer.body)
            #expect(replies[0]?["error"]?["message"]?.string == Fault.stopping.message)
            #expect(replies[1]?["result"]?.string?.utf8.count == 16)
            #expect(try await fixture.waiting().count == Self.downloadsCount + 1)
        }
    }
}
