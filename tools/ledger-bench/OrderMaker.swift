import LedgerModel
import LedgerTestSupport

/// The orders of a log: many from few hosts, few from many, with the labels and options that people give.
struct OrderMaker: Sendable {
    private let scale: LogScale
    private let labels: [Shared<Labels>]
    private let options: [Shared<TransferOptions>]

    private static let groups = ["papers", "lectures", "radio", "photographs", "systems", "maps", "scores", "logs"]
    private static let words = [
        "harbour", "meadow", "lantern", "granite", "orchard", "compass", "thicket", "quarry", "marble", "copper",
        "saffron", "willow", "estuary", "cobalt", "juniper", "tundra",
    ]
    private static let types = [
        ("mp4", "video/mp4"), ("mp3", "audio/mpeg"), ("jpg", "image/jpeg"), ("pdf", "application/pdf"),
        ("tar.gz", "application/gzip"), ("iso", "application/octet-stream"), ("zip", "application/zip"),
        ("csv", "text/csv"),
    ]
    private static let hosts = 60

    init(_ scale: LogScale) {
        self.scale = scale
        labels = Self.groups.indices.map { index in
            Shared(Labels(group: Self.groups[index], tags: [Self.words[index], Self.words[index + 8]]))
        }
        var (limited, patient) = (TransferOptions(), TransferOptions())
        limited.bytesPerSecondMax = 4 << 20
        patient.retriesMax = 20
        patient.silenceMillisecondsMax = 120_000
        options = [TransferOptions.standard, Shared(limited), Shared(patient)]
    }

    /// The order number `ordinal`, from 0; each asks for a file of its own.
    func order(_ ordinal: Int) -> Order {
        var chance = scale.chance(.orders, UInt64(ordinal))
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &chance)] }
        // The square of an even chance: the first hosts are asked most.
        let evenly = Double.random(in: 0..<1, using: &chance)
        let host = Int(evenly * evenly * Double(Self.hosts))
        let group = host % Self.groups.count
        let name = "\(pick(Self.words))-\(pick(Self.words))-\(ordinal).\(pick(Self.types).0)"
        var order = Order(
            url: ResourceURL(recorded: "https://files\(host).example.org/\(Self.groups[group])/2026/\(name)"),
            destination: Destination(directory: "/srv/files/\(Self.groups[group])", name: nil),
            options: chance.isOnce(in: 8) ? pick(options) : TransferOptions.standard)
        if chance.isOnce(in: 2) { order.labels = labels[group] }
        if chance.isOnce(in: 6) {
            let title = "\(pick(Self.words)) and \(pick(Self.words)), part \(ordinal % 40 + 1)"
            order.labels = Shared(Labels(group: Self.groups[group], title: title))
        }
        if chance.isOnce(in: 10) { order.destination = Destination(directory: "/srv/files", name: name) }
        if chance.isOnce(in: 8) { order.expected = Self.digest(chance.next()) }
        return order
    }

    /// The media type that an origin gives a file of this name.
    static func mediaType(of name: String) -> String? { types.first { name.hasSuffix("." + $0.0) }?.1 }

    /// A sum that no file has.
    static func digest(_ mark: UInt64) -> Digest {
        var chance = SplitMix64(seed: mark)
        let bytes = (0..<Digest.Algorithm.sha256.byteCount).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        guard let digest = Digest(.sha256, bytes) else { preconditionFailure("SHA-256 has 32 bytes") }
        return digest
    }
}
