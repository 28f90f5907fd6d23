import FoundationEssentials

extension ControlRequest {
    /// The message as bytes of JSON.
    package func encoded() throws(Problem) -> [UInt8] { try encodeMessage(self) }

    /// Reads a message.
    /// - Throws: ``Problem/Code/versionMismatch`` when it is not one of this version.
    package init(decoding bytes: [UInt8]) throws(Problem) {
        self = try decodeMessage(bytes)
        guard body.isTimeless || version == Self.currentVersion else { throw .otherVersion }
    }
}

extension ControlResponse {
    /// The message as bytes of JSON.
    package func encoded() throws(Problem) -> [UInt8] { try encodeMessage(self) }

    /// Reads a message.
    /// - Throws: ``Problem/Code/versionMismatch`` when it is not one of this version.
    package init(decoding bytes: [UInt8]) throws(Problem) { self = try decodeMessage(bytes) }
}

extension Problem {
    /// Two versions of the program met at one ledger.
    fileprivate static var otherVersion: Problem {
        Problem(
            .versionMismatch, "the process that holds the ledger is another version of this program",
            next: "stop it, and start it again with this version", exitCode: .heldElsewhere)
    }
}

/// A message as bytes of JSON.
func encodeMessage(_ message: some Encodable) throws(Problem) -> [UInt8] {
    do { return [UInt8](try JSONEncoder().encode(message)) } catch {
        throw Problem(.internal, "a message can not be written as JSON", cause: String(describing: error))
    }
}

private func decodeMessage<Message: Decodable>(_ bytes: [UInt8]) throws(Problem) -> Message {
    do { return try JSONDecoder().decode(Message.self, from: Data(bytes)) } catch { throw .otherVersion }
}
