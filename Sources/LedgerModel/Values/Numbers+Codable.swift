extension SequenceNumber: RawRepresentable, Codable {
    /// The place with this number; on the wire it is the number alone.
    public init(rawValue: UInt64) { self.init(rawValue) }
}

extension DownloadID: RawRepresentable, Codable {
    /// The download with this number; on the wire it is the number alone.
    public init(rawValue: UInt64) { self.init(rawValue) }
}
