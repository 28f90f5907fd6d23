import LedgerAPI
import LedgerModel
import LedgerTransfer
import LedgerViews

extension Metalink.File {
    /// Turns a request into one for this file. What was asked for on the command line comes before what the document
    /// says: a name, a checksum.
    /// - Parameter source: where the document was fetched from by URL; nil for a file. What opens doors there is not
    ///   sent elsewhere on a document's word, unless headers are to be forwarded.
    func apply(to request: inout EnqueueRequest, from source: ResourceURL?) {
        request.url = urls[0].text
        request.mirrors = urls.dropFirst().map(\.text) + request.mirrors
        if let source, !source.hasOrigin(of: urls[0].url), !request.forwardsHeaders {
            request.headers = []
            request.credentials = nil
            request.bearer = nil
            (request.clientCertificateFile, request.clientKeyFile) = (nil, nil)
        }
        if request.name == nil {
            for directory in directories { request.directory = Paths.absolute(directory, from: request.directory) }
            request.namedComponents = UInt32(directories.count)
            request.name = name
        }
        request.expectedLength = length
        request.pieces = pieces.map {
            EnqueueRequest.Pieces(algorithm: $0.algorithm.rawValue, length: $0.pieceLength, hashes: $0.bytes.hex)
        }
        // What the user named counts, not what the document says of itself.
        guard request.checksumFile == nil else { return }
        request.checksum = request.checksum ?? digest.map { $0.algorithm.rawValue + "=" + $0.hex }
    }
}

extension Problem {
    /// A Metalink that can not be read, in words.
    init(_ error: XMLProblem, document name: String, isFile: Bool) {
        self.init(
            isFile ? .usage : .refused, "line \(error.line) of '\(name)': \(TextWidth.printable(error.reason))",
            next: "a Metalink is an XML document of version 4 (RFC 5854) or 3", exitCode: isFile ? .usage : .failed)
    }
}
