import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// Bodies that are followed instead of hashed where they arrive, limits, and trust.
@Suite struct LargeFileTests {
    @Test func `a large body has the digest of its bytes, also when it was taken up in the middle`() async throws {
        let body = OriginEntity.pattern(3 << 20)
        try await Bench.run { bench in
            bench.origin.on("/big.iso") { OriginEntity(body).reply(to: $0) }
            #expect(await bench.run(try bench.assignment("/big.iso")) == .completed(path: bench.path("big.iso")))
            var second = try bench.assignment("/big.iso", name: "second.iso", id: 2)
            try bench.left(Array(body[..<2_000_000]), of: bench.known("/big.iso", length: 3 << 20), for: &second)
            #expect(await bench.run(second) == .completed(path: bench.path("second.iso")))
            let sums = bench.reports.all.compactMap { report -> Digest? in
                if case .verified(_, let sha256, _) = report { sha256 } else { nil }
            }
            let file = try bench.fileSystem.open(bench.directory.appending("big.iso"), .read)
            let digest = RunningDigest(stated: nil)
            while try !digest.follow(file, to: UInt64(body.count)) {}
            file.close()
            #expect(sums == [digest.finish().sha256, digest.finish().sha256])
            #expect(try bench.file("second.iso") == body)
        }
    }

    @Test func `a limit holds the body back by TCP and the silence it makes does not count`() async throws {
        let body = OriginEntity.pattern(40_000)
        try await Bench.run(isRealTime: true) { bench in
            bench.origin.on("/slow.iso") { OriginEntity(body).reply(to: $0) }
            // Two seconds, whatever chunks it comes in.
            let assignment = try bench.assignment("/slow.iso") { options in
                options.bytesPerSecondMax = 20_000
                options.silenceMillisecondsMax = 1500
            }
            #expect(await bench.run(assignment) == .completed(path: bench.path("slow.iso")))
            #expect(try bench.file("slow.iso") == body)
        }
    }

    @Test func `who stops does not wait until a limit lets the rest go, though all of it has come`() async throws {
        let body = OriginEntity.pattern(200_000)
        try await Bench.run(isRealTime: true) { bench in
            bench.origin.on("/slow.iso") { OriginEntity(body).reply(to: $0) }
            // More than an hour.
            let assignment = try bench.assignment("/slow.iso") { $0.bytesPerSecondMax = 50 }
            let run = Task { await bench.run(assignment) }
            await bench.received(1)
            run.cancel()
            #expect(await run.value == .stopped)
        }
    }

    @Test func `a certificate is trusted by its authority, or when the user insists, and else refused`() async throws {
        let body = OriginEntity.pattern(1000)
        try await Bench.run(isSecure: true) { bench in
            bench.origin.on("/f.bin") { OriginEntity(body).reply(to: $0) }
            let end = await bench.run(try bench.assignment("/f.bin"))
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .tls)
            #expect(failure.message.contains("'127.0.0.1' is not trusted"))
            try bench.put("authority.pem", Array(OriginCertificate.certificate.utf8))
            let trusting = try bench.assignment("/f.bin") {
                $0.certificateAuthorityFile = bench.path("authority.pem")
            }
            #expect(await bench.run(trusting) == .completed(path: bench.path("f.bin")))
            let insecure = try bench.assignment("/f.bin", id: 2) { $0.isInsecure = true }
            #expect(await bench.run(insecure) == .completed(path: bench.path("f (1).bin")))
        }
    }

    @Test func `an authority file that is not there is this download's failure`() async throws {
        try await Bench.run(isSecure: true) { bench in
            let assignment = try bench.assignment("/f.bin") { $0.certificateAuthorityFile = "/nowhere/authority.pem" }
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.message.hasPrefix("the file of authorities '/nowhere/authority.pem' is not there"))
        }
    }

    @Test func `a port that does not speak TLS is told as that`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity([1]).reply(to: $0) }
            var assignment = try bench.assignment("/f.bin") { $0.retriesMax = 0 }
            let plain = try bench.origin.url("/f.bin").text
            assignment.url = try ResourceURL.parse("https" + plain.dropFirst("http".count)).url
            guard case .failed(let failure, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure == Failure(.tls, "'127.0.0.1' does not speak TLS at this port", isRetryable: false))
        }
    }
}
