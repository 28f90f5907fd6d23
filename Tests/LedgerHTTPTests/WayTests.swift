import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

@testable import LedgerHTTP

/// Families of addresses, and who we are in TLS.
@Suite struct WayTests {
    let body = OriginEntity.pattern(50_000)

    @Test(arguments: [("::1", "[::1]"), ("127.0.0.1", "localhost"), ("127.0.0.1", "127.0.0.1")])
    func `an origin is found on the family it is on`(address: String, host: String) async throws {
        try await Bench.run { bench in
            let origin = try await OriginServer.start(address: address)
            origin.on("/a.bin") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/a.bin")
            assignment.order.url = try origin.url("/a.bin", host: host)
            assignment.url = assignment.order.url
            await bench.completes(assignment, as: "a.bin")
            #expect(try bench.file("a.bin") == body)
            #expect(origin.requests.map { $0["host"] } == ["\(host):\(origin.port)"])
            try await origin.stop()
        }
    }

    @Test func `a path that is no text is asked for as it was written`() async throws {
        try await Bench.run { bench in
            let origin = try await OriginServer.start()
            let (path, query) = ("/d%E9%2525/a%ED%A0%80.bin", "?k=%E9%25")
            origin.on(path) { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment(path)
            assignment.order.url = try origin.url(path + query)
            assignment.url = assignment.order.url
            await bench.completes(assignment, as: assignment.order.url.plannedName)
            #expect(origin.requests.map(\.target) == [path + query])
            try await origin.stop()
        }
    }

    /// A bench whose origin wants a certificate, with the files `cert.pem` and `key.pem` that it takes.
    private func withCertificates(
        _ body: (Bench, OriginServer, (String?, String?) throws -> Assignment) async throws -> Void
    ) async throws {
        try await Bench.run { bench in
            let origin = try await OriginServer.start(isSecure: true, asksForCertificate: true)
            let file = OriginEntity(self.body)
            origin.on("/a.bin") { file.reply(to: $0) }
            try bench.put("cert.pem", Array(OriginCertificate.certificate.utf8))
            try bench.put("key.pem", Array(OriginCertificate.key.utf8))
            try bench.put("both.pem", Array((OriginCertificate.certificate + "\n" + OriginCertificate.key).utf8))
            try await body(bench, origin) { certificate, key in
                var assignment = try bench.assignment("/a.bin") { options in
                    options.isInsecure = true
                    options.clientCertificateFile = certificate.map(bench.path)
                    options.clientKeyFile = key.map(bench.path)
                }
                assignment.order.url = try origin.url("/a.bin")
                assignment.url = assignment.order.url
                return assignment
            }
            try await origin.stop()
        }
    }

    @Test func `an origin that asks who we are is shown the certificate`() async throws {
        try await withCertificates { bench, _, assignment in
            await bench.completes(try assignment("cert.pem", "key.pem"), as: "a.bin")
            #expect(try bench.file("a.bin") == self.body)
            await bench.completes(try assignment("both.pem", nil), as: "a (1).bin")
        }
    }

    @Test func `without a certificate, or with a wrong file, it says so`() async throws {
        try await withCertificates { bench, _, assignment in
            for (certificate, key, words) in [
                (nil, nil, "--cert"), ("gone.pem", "key.pem", "certificate '\(bench.path("gone.pem"))'"),
                ("cert.pem", "gone.pem", "key '\(bench.path("gone.pem"))'"), ("cert.pem", "cert.pem", "no private key"),
                ("key.pem", nil, "holds no certificate"),
            ] as [(String?, String?, String)] {
                guard case .failed(let failure, nil) = await bench.run(try assignment(certificate, key)) else {
                    return #expect(Bool(false), "\(words)")
                }
                #expect(failure.code == .tls && failure.message.contains(words), "\(failure.message)")
            }
        }
    }

    @Test func `another origin is not shown the certificate`() async throws {
        try await withCertificates { bench, origin, assignment in
            let target = try origin.url("/a.bin", host: "localhost").text
            bench.origin.on("/away") { _ in .redirect(302, to: target) }
            var away = try assignment("cert.pem", "key.pem")
            away.order.url = try bench.origin.url("/away")
            away.url = away.order.url
            guard case .failed(let failure, nil) = await bench.run(away) else { return #expect(Bool(false)) }
            #expect(failure.message.contains("asks for a client certificate"), "\(failure.message)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["h2", "http/1.1"], false, nil), (["h2", "http/1.1"], true, "2"),
            (["h2"], true, "2"),
            (["http/1.1"], true, nil),
        ] as [([String], Bool, String?)])
    func `HTTP/2 is spoken where it is asked for and offered`(
        protocols: [String], isAskedFor: Bool, version: String?
    ) async throws {
        try await Bench.run { bench in
            let origin = try await OriginServer.start(isSecure: true, protocols: protocols)
            origin.serve("/a.bin", OriginEntity(body))
            for id in [1, 2] as [UInt64] {
                var assignment = try bench.assignment("/a.bin", id: id) { options in
                    options.isInsecure = true
                    options.prefersHTTP2 = isAskedFor
                }
                assignment.order.url = try origin.url("/a.bin")
                assignment.url = assignment.order.url
                let name = id == 1 ? "a.bin" : "a (1).bin"
                await bench.completes(assignment, as: name)
                #expect(try bench.file(name) == body)
            }
            #expect(origin.requests.map { $0[":version"] } == [version, version])
            try await origin.stop()
        }
    }

    @Test(
        arguments: [
            ("TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "takes none of the protocols that were offered", false),
            ("SSLV3_ALERT_HANDSHAKE_FAILURE", "may ask for a client certificate (--cert FILE and --key FILE)", true),
            ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "asks for a client certificate: give it with --cert FILE", false),
            ("SSLV3_ALERT_BAD_CERTIFICATE", "give it with --cert FILE and --key FILE", false),
            ("TLSV1_ALERT_INTERNAL_ERROR", "TLS with 'o' failed: tlsv1 alert internal error", true),
        ]) func `why a handshake failed is told with what helps`(reason: String, words: String, isRetryable: Bool)
    {
        let failure = Failure.handshake([reason], "'o'")
        #expect(failure.message.contains(words) && failure.message.contains("'o'"), "\(failure.message)")
        #expect(failure.code == .tls && failure.isRetryable == isRetryable)
    }

    @Test func `a download is continued over HTTP/2`() async throws {
        try await Bench.run { bench in
            let origin = try await OriginServer.start(isSecure: true, protocols: ["h2"])
            origin.serve("/a.bin", OriginEntity(body))
            var assignment = try bench.assignment("/a.bin") { options in
                options.isInsecure = true
                options.prefersHTTP2 = true
            }
            assignment.order.url = try origin.url("/a.bin")
            assignment.url = assignment.order.url
            var known = try bench.known("/a.bin", length: UInt64(body.count))
            known.url = assignment.url
            try bench.left(Array(body.prefix(20_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "a.bin")
            #expect(try bench.file("a.bin") == body)
            #expect(origin.requests.map { $0["range"] } == ["bytes=20000-"])
            #expect(origin.requests.first?[":version"] == "2")
            try await origin.stop()
        }
    }
}
