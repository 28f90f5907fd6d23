import LedgerModel
import LedgerTransfer
import Synchronization

/// Unpacks a body on its way into another sink.
///
/// What a few bytes can unpack to is bounded: by the disk, which the other sink meets, and by a ratio that no honest
/// file of this size has.
final class DecodingSink: BodySink {
    /// Up to here any ratio is taken, in unpacked bytes: a file of zeros packs a thousandfold.
    static let freeBytesMax: UInt64 = 256 << 20
    /// Unpacked bytes for each packed one, beyond that.
    static let ratioMax: UInt64 = 200

    private let inner: any BodySink
    private let freeBytesMax: UInt64
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var inflater: Inflater
        var packed: UInt64 = 0
        var unpacked: UInt64 = 0
    }

    /// A sink for what is packed by `coding`, ``ContentCoding/gzip`` or ``ContentCoding/deflate``.
    init(_ coding: ContentCoding, into inner: any BodySink, freeBytesMax: UInt64 = DecodingSink.freeBytesMax) {
        self.inner = inner
        self.freeBytesMax = freeBytesMax
        state = Mutex(State(inflater: Inflater(coding)))
    }

    func write(_ bytes: RawSpan) throws(Failure) -> Duration {
        try state.withLock { state throws(Failure) in
            var (pause, unpacked) = (Duration.zero, state.unpacked)
            let packed = state.packed + UInt64(bytes.byteCount)
            try state.inflater.unpack(bytes) { plain throws(Failure) in
                unpacked += UInt64(plain.byteCount)
                guard unpacked <= freeBytesMax || unpacked / Self.ratioMax <= packed else { throw Self.bomb }
                pause += try inner.write(plain)
            }
            (state.packed, state.unpacked) = (packed, unpacked)
            return pause
        }
    }

    func pause() -> Duration { inner.pause() }

    /// Whether all that was packed came; else the body was cut short, whatever its framing says.
    func finish() throws(Failure) {
        guard state.withLock({ $0.inflater.isWhole }) else {
            throw Failure(.protocolViolation, "the compressed body ends before its own end", isRetryable: true)
        }
    }

    private static let bomb = Failure(
        .suspicious, "the compressed body unpacks to more than \(ratioMax) times its size: it was left",
        isRetryable: false)
}

/// Puts a ``DecodingSink`` before what an answer's body goes to, when it comes packed.
final class Unpacking: Sendable {
    private let wanted: ResponseDelegate.Receive
    private let sink = Mutex<DecodingSink?>(nil)

    /// For answers that `receive` takes.
    init(_ receive: @escaping ResponseDelegate.Receive) { wanted = receive }

    /// What takes answers now.
    @Sendable func receive(_ response: TransferResponse) async throws(Failure) -> (any BodySink)? {
        let coding = ContentCoding(response.fields)
        let isPacked = coding == .gzip || coding == .deflate
        var response = response
        // What comes is to be unpacked on its way.
        if isPacked { response.early = nil }
        guard let inner = try await wanted(response) else { return nil }
        guard isPacked else { return inner }
        let decoding = DecodingSink(coding, into: inner)
        sink.withLock { $0 = decoding }
        return decoding
    }

    /// The body ended as its framing says; throws when what was packed in it did not.
    func finish() throws(Failure) { try sink.withLock({ $0 })?.finish() }
}
