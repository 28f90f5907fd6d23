import LedgerSystem
import LedgerViews
import SystemPackage
import Testing

@testable import LedgerCommands

/// `checkpoint` and `proof`, and the verifier that knows nothing of this program.
struct ProofCommandTests {
    private static let tool = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().appending("tools/verify-proof.py")

    /// Nine orders in three segments.
    private func shell() async throws -> Shell {
        let shell = try Shell()
        for number in 1...9 {
            #expect(await shell.run("add", "http://a/\(number)").code == 0)
            if number % 3 == 0 { #expect(await shell.run("compact", "--keep-events", "100").code == 0) }
        }
        return shell
    }

    /// What the verifier says of a text, by its exit code.
    private func verify(_ shell: Shell, _ proof: String, checkpoint: String? = nil) async throws -> Int32 {
        try shell.write("proof.json", Array(proof.utf8))
        var arguments = ["python3", Self.tool.string, shell.directory.string + "/proof.json"]
        if let checkpoint {
            try shell.write("kept.checkpoint", Array(checkpoint.utf8))
            arguments += ["--checkpoint", shell.directory.string + "/kept.checkpoint"]
        }
        return await (try ChildProcess("/usr/bin/env", arguments, output: .discarded, errors: .discarded)).wait()
    }

    @Test func `a checkpoint is three lines, the same as json, and beside a holder too`() async throws {
        let shell = try await shell()
        let text = await shell.run("checkpoint")
        #expect(text.code == 0 && text.lines.count == 3 && text.lines[1] == "9", "\(text.output)\(text.errors)")
        #expect(text.lines[0].hasPrefix("ledger/") && text.lines[2].hasSuffix("="))
        let json = await shell.run("checkpoint", "--json")
        #expect(json.lines.count == 1 && json.output.hasPrefix(#"{"origin":"\#(text.lines[0])","size":9,"root":""#))
        #expect(await shell.run("checkpoint", "--home", shell.directory.string + "/none").code == 10)
    }

    @Test func `true proofs are proved, and spoilt ones are not`() async throws {
        let shell = try await shell()
        let checkpoint = await shell.run("checkpoint").output
        for sequence in 1...9 {
            let proof = await shell.run("proof", "--seq", "\(sequence)")
            #expect(proof.code == 0 && proof.lines.count == 1, "\(proof.errors)")
            #expect(try await verify(shell, proof.output, checkpoint: checkpoint) == 0, "\(sequence)")
            let grown = await shell.run("proof", "--from", "\(sequence)")
            #expect(try await verify(shell, grown.output, checkpoint: checkpoint) == 0, "from \(sequence)")
        }
        let proof = await shell.run("proof", "--seq", "4", "--size", "7").output
        #expect(try await verify(shell, proof) == 0)
        #expect(try await verify(shell, proof, checkpoint: checkpoint) == 1, "another size")
        let foreign = checkpoint.replacing("ledger/", with: "ledger/0")
        #expect(try await verify(shell, await shell.run("proof", "--seq", "4").output, checkpoint: foreign) == 1)
        for (place, text) in Self.spoilt(proof).enumerated() {
            #expect(try await verify(shell, text) == 1, "spoilt \(place): \(text)")
        }
        let grown = await shell.run("proof", "--from", "5", "--to", "8").output
        #expect(try await verify(shell, grown) == 0)
        for (place, text) in Self.spoilt(grown).enumerated() {
            #expect(try await verify(shell, text) == 1, "spoilt \(place): \(text)")
        }
    }

    /// A proof with one thing of it changed, in all the ways there are to change a number or a hash.
    private static func spoilt(_ proof: String) -> [String] {
        func turned(_ field: String) -> String? {
            guard let place = proof.range(of: "\"\(field)\":\"") else { return nil }
            let digit = proof[place.upperBound]
            return proof.replacingCharacters(place.upperBound, digit == "0" ? "1" : "0")
        }
        // A size that gives the path the same shape is told by the checkpoint alone: RFC 6962 hashes no size.
        var texts = ["root", "payload", "leafHash", "ledger"].compactMap(turned)
        for (old, new) in [
            (#""index":3"#, #""index":4"#), (#""sequence":4"#, #""sequence":5"#), (#""size":7"#, #""size":3"#),
            (#""version":1"#, #""version":2"#), (#""size":5"#, #""size":4"#), (#""size":8"#, #""size":9"#),
            (#""path":["#, #""path":["00","#), (#""path":["#, #""way":["#), (#""kind":""#, #""kind":"x"#),
        ] where proof.contains(old) {
            texts.append(proof.replacing(old, with: new, maxReplacements: 1))
        }
        if let open = proof.range(of: "\"path\":[\"") {
            let digit = proof[open.upperBound]
            texts.append(proof.replacingCharacters(open.upperBound, digit == "0" ? "1" : "0"))
        }
        return texts + ["", "[]", "{}", "null", #"{"kind":"inclusion"}"#]
    }

    @Test func `what is not there can not be proved, and wrong usage says so`() async throws {
        let shell = try await shell()
        let past = await shell.run("proof", "--seq", "10")
        #expect(past.code == 1 && past.errors.contains("behind the end of the log"))
        for arguments in [
            ["proof"], ["proof", "--seq", "1", "--from", "2"], ["proof", "--seq", "3", "--size", "2"],
            ["proof", "--from", "3", "--to", "2"], ["proof", "--seq", "0"], ["proof", "--to", "2"],
            ["proof", "--from", "3", "--size", "4"],
        ] {
            #expect(await shell.run(arguments).code == 64, "\(arguments)")
        }
        #expect(await shell.run("compact", "--drop", "--keep-events", "3").code == 0)
        let gone = await shell.run("proof", "--seq", "2")
        #expect(gone.code == 24 && gone.errors.contains("compacted away") && gone.errors.contains("\n  next:  "))
        #expect(try await verify(shell, await shell.run("proof", "--seq", "8").output) == 0)
    }
}

extension String {
    /// The text with the character at `place` exchanged.
    fileprivate func replacingCharacters(_ place: Index, _ character: Character) -> String {
        String(self[..<place]) + String(character) + String(self[index(after: place)...])
    }

    /// Where `text` stands first.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
