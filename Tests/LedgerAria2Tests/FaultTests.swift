import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// Every error that aria2's clients look at, in aria2's words. Of its list two have no occasion here: what a GID names
/// is always a download or a result, so that there is neither "No such download" nor "No file data".
struct FaultTests {
    /// What is refused whatever there is: method, parameters, words.
    private static let plain: [(String, [JSONValue], String)] = [
        ("aria2.nope", [], "No such method: aria2.nope"),
        ("aria2.tellStatus", [], "The parameter at 0 is required but missing."),
        ("aria2.tellStatus", [1], "The parameter at 0 has wrong type."),
        ("aria2.tellStatus", ["zz"], "Invalid GID zz"),
        ("aria2.tellStatus", [""], "Invalid GID "),
        ("aria2.tellStatus", ["00000000000000001"], "Invalid GID 00000000000000001"),
        ("aria2.tellStatus", ["0123456789abcdef"], "GID 0123456789abcdef is not found"),
        ("aria2.getFiles", ["0123456789abcdef"], "GID 0123456789abcdef is not found"),
        ("aria2.removeDownloadResult", ["0123456789abcdef"], "GID 0123456789abcdef is not found"),
        ("aria2.tellWaiting", [0], "The parameter at 1 is required but missing."),
        ("aria2.tellWaiting", ["0", 1], "The parameter at 0 has wrong type."),
        (
            "aria2.tellStopped", [0, -1],
            "The integer parameter at 1 has invalid value: the value must be greater than or equal to 0."
        ),
        ("aria2.addUri", [], "The parameter at 0 is required but missing."),
        ("aria2.addUri", ["http://x"], "The parameter at 0 has wrong type."),
        ("aria2.addUri", [[]], "URI is not provided."),
        ("aria2.addUri", [["notauri"]], "No URI to download."),
        ("aria2.addUri", [["ftp://example.org/a"]], "No URI to download."),
        ("aria2.addUri", [["http://example.org/"], []], "The parameter at 1 has wrong type."),
        ("aria2.addUri", [["http://example.org/"], ["gid": "zz"]], "No URI to download."),
        ("aria2.addUri", [["http://example.org/"], ["gid": "0000000000000000"]], "No URI to download."),
        ("aria2.addUri", [["http://example.org/"], [:], -1], "Position must be greater than or equal to 0."),
        (
            "aria2.addUri", [["http://example.org/"], ["split": "0"]],
            "We encountered a problem while processing the option '--split'."
        ),
        (
            "aria2.changeGlobalOption", [["max-concurrent-downloads": "x"]],
            "We encountered a problem while processing the option '--max-concurrent-downloads'."
        ),
        ("aria2.addTorrent", [], "The parameter at 0 is required but missing."),
        ("aria2.addMetalink", ["bm8="], "Could not parse Metalink XML document."),
        ("system.multicall", [], "The parameter at 0 is required but missing."),
        ("system.multicall", [["a": 1]], "The parameter at 0 has wrong type."),
    ]

    @Test func `what is wrong by itself is refused in aria2's words, and changes nothing`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let before = fixture.service.ledger.lastSequence
            for (method, parameters, words) in Self.plain {
                let request: JSONValue = ["id": 1, "method": .string(method), "params": .array(parameters)]
                let answer = await fixture.endpoint.answer(request.utf8)
                #expect(answer.status == 400, "\(request)")
                let error = try JSONValue.read(answer.body)["error"]
                #expect(error == ["code": 1, "message": .string(words)], "\(request)")
            }
            #expect(fixture.service.ledger.lastSequence == before)
        }
    }

    @Test func `what does not go with a download that waits is refused in aria2's words`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let gid = try await fixture.add("/a", ["gid": "00000000000000aa"])
            _ = try await fixture.add("/b", ["gid": "00000000000000ab"])
            let name = "GID#00000000000000aa"
            func refused(_ words: String, _ method: String, _ parameters: JSONValue...) async throws {
                #expect(try await fixture.refusal(method, parameters) == words, "\(method)")
            }
            try await refused("GID 00000000000000 is not unique", "aria2.tellStatus", "00000000000000")
            try await refused("No URI to download.", "aria2.addUri", [try fixture.url("/a")], ["gid": gid])
            try await refused("\(name) cannot be unpaused now", "aria2.unpause", gid)
            try await refused("No active download for \(name)", "aria2.getServers", gid)
            try await refused("Could not remove download result of \(name)", "aria2.removeDownloadResult", gid)
            try await refused("Illegal argument.", "aria2.changePosition", gid, 0, "POS_NONE")
            try await refused("The parameter at 2 is required but missing.", "aria2.changePosition", gid, 0)
            try await refused("fileIndex is out of range", "aria2.changeUri", gid, 2, [], [])
            try await refused(
                "The integer parameter at 1 has invalid value: the value must be greater than or equal to 1.",
                "aria2.changeUri", gid, 0, [], [])
            try await refused(
                "Position must be greater than or equal to 0.", "aria2.changeUri", gid, 1, [], [], -1)
            try await refused(
                "We encountered a problem while processing the option '--timeout'.", "aria2.changeOption", gid,
                ["timeout": "0"])
            try await fixture.call("aria2.pause", gid)
            try await refused("\(name) cannot be paused now", "aria2.pause", gid)
        }
    }

    @Test func `what does not go with a download that has ended is refused in aria2's words`() async throws {
        try await Aria2Fixture.run { fixture in
            let gid = try await fixture.add("/none", ["gid": "00000000000000aa"])
            try await fixture.until(gid, "error")
            let name = "GID#00000000000000aa"
            for (method, parameters, words) in [
                ("aria2.remove", [gid], "Active Download not found for \(name)"),
                ("aria2.forceRemove", [gid], "Active Download not found for \(name)"),
                ("aria2.pause", [gid], "\(name) cannot be paused now"),
                ("aria2.unpause", [gid], "\(name) cannot be unpaused now"),
                ("aria2.getUris", [gid], "No URI data is available for \(name)"),
                ("aria2.getPeers", [gid], "No peer data is available for \(name)"),
                ("aria2.getServers", [gid], "No active download for \(name)"),
                ("aria2.changeOption", [gid, [:]], "Cannot change option for \(name)"),
                ("aria2.changePosition", [gid, 0, "POS_SET"], "\(name) not found in the waiting queue."),
                ("aria2.changeUri", [gid, 1, [], []], "Cannot remove URIs from \(name)"),
            ] as [(String, [JSONValue], String)] {
                #expect(try await fixture.refusal(method, parameters) == words, "\(method)")
            }
            #expect(try await fixture.call("aria2.getFiles", gid).list.count == 1)
        }
    }

    @Test func `calls in a multicall are answered one by one`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let answers = try await fixture.call(
                "system.multicall",
                [
                    ["methodName": "aria2.saveSession"], ["methodName": "system.multicall", "params": [[]]], 5,
                    ["params": []], ["methodName": 7], ["methodName": "aria2.tellStatus", "params": ["zz"]],
                    ["methodName": "system.listNotifications", "params": "none"],
                ])
            func fault(_ words: String) -> JSONValue { ["code": 1, "message": .string(words)] }
            #expect(
                answers.list.prefix(6) == [
                    ["OK"], fault("Recursive system.multicall forbidden."),
                    fault("system.multicall expected struct."), fault("Missing methodName."),
                    fault("Missing methodName."), fault("Invalid GID zz"),
                ])
            #expect(answers[6]?[0]?.list.count == 6)
        }
    }

    @Test func `aria2's numbers say why a download failed`() {
        let expected: [(Failure.Code, UInt16?, Int)] = [
            (.unreachable, nil, 1), (.nameNotResolved, nil, 19), (.silence, nil, 2), (.connectTimeout, nil, 2),
            (.lowSpeed, nil, 5), (.connectionLost, nil, 6), (.status, 401, 24), (.status, 403, 22),
            (.status, 404, 3), (.status, 410, 3), (.status, 503, 29), (.status, 500, 22), (.redirect, nil, 23),
            (.digestMismatch, nil, 32), (.diskFull, nil, 9), (.disk, nil, 17), (.destinationTaken, nil, 13),
        ]
        for (code, status, number) in expected {
            let failure = Failure(code, "so it is", isRetryable: false, status: status)
            #expect(failure.errorCode == number, "\(code) \(status ?? 0)")
            #expect((0...32).contains(failure.errorCode))
        }
        for code in Failure.Code.allCases {
            #expect((1...32).contains(Failure(code, "", isRetryable: false).errorCode))
        }
    }
}
