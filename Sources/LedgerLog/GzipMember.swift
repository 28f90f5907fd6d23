import CZlib
import LedgerSystem

/// One member of an archived segment: a gzip file of its own (RFC 1952), whose header tells how long it is, so that a
/// reader goes from one to the next without unpacking it. All of them together are what `gunzip` takes for one file;
/// the way of bgzip, with longer members.
enum GzipMember {
    /// How many bytes a member holds, unpacked; the last one of a file may hold fewer.
    static let plainBytesMax = 1 << 20
    /// The length of a member's header: the ten bytes of every gzip file, and the extra field with the member's length.
    static let headerBytes = 20
    /// What a header is before the length: magic, deflate, with an extra field, no time, no hint, no system; then that
    /// field: 'L' 'D', 4 bytes.
    private static let start: [UInt8] = [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 0x4C, 0x44, 4, 0]
    /// The longest that a member can be: what deflate makes of bytes that can not be packed, with a margin.
    static let packedBytesMax = plainBytesMax + plainBytesMax / 1000 + 4096
    /// How hard zlib tries.
    enum Effort: Int32 {
        /// About three times as fast, and a fifth longer: for what is written often.
        case low = 1
        /// Its own default, about 60 MB/s.
        case usual = 6
    }

    /// A member that holds these bytes, at most ``plainBytesMax``; nil when zlib finds no memory.
    static func pack(_ bytes: [UInt8], _ effort: Effort = .usual) -> [UInt8]? {
        precondition(!bytes.isEmpty && bytes.count <= plainBytesMax, "a member holds a block")
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // A window of 15 bits and no frame of zlib's own: ours has the extra field.
        guard
            unsafe deflateInit2_(
                &stream, effort.rawValue, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var body = [UInt8](repeating: 0, count: packedBytesMax)
        let isWhole = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe body.withUnsafeMutableBufferPointer { target in
                // zlib does not write to what it reads, but says so only in its documentation.
                unsafe stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        guard isWhole else { return nil }
        let packed = unsafe Int(stream.total_out)
        var member = start
        member.append(integer: UInt32(headerBytes + packed + 8))
        member += body[..<packed]
        let sum = unsafe bytes.withUnsafeBufferPointer { unsafe crc32(0, $0.baseAddress, UInt32($0.count)) }
        member.append(integer: UInt32(truncatingIfNeeded: sum))
        member.append(integer: UInt32(bytes.count))
        return member
    }

    /// The length that a member's header gives; nil when this is none.
    static func length(_ header: [UInt8]) -> Int? {
        guard header.count == headerBytes,
            header.starts(with: start)
        else { return nil }
        let length = Int(header.span.integer(at: start.count, as: UInt32.self))
        return length > headerBytes + 8 && length <= headerBytes + packedBytesMax + 8 ? length : nil
    }

    /// The bytes that a member holds; nil when it is damaged.
    static func unpack(_ member: [UInt8]) -> [UInt8]? {
        guard length(Array(member.prefix(headerBytes))) == member.count else { return nil }
        return unpackAll(member[...], bytesMax: plainBytesMax)
    }

    /// How many bytes a member says that it holds; nil when it can not be so.
    private static func plainCount(_ member: ArraySlice<UInt8>) -> Int? {
        let count = Int(member.span.integer(at: member.count - 4, as: UInt32.self))
        return count > 0 && count <= plainBytesMax ? count : nil
    }

    /// Unpacks a member to where as many bytes go as it says that it holds.
    /// - Returns: whether it holds them, and they are what was packed.
    private static func unpack(
        _ member: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { return false }
        defer { unsafe inflateEnd(&stream) }
        // zlib does not write to what it reads, but says so only in its documentation.
        unsafe stream.next_in = UnsafeMutablePointer(mutating: member.baseAddress.map { unsafe $0 + headerBytes })
        unsafe stream.avail_in = UInt32(member.count - headerBytes - 8)
        unsafe stream.next_out = target.baseAddress
        unsafe stream.avail_out = UInt32(target.count)
        guard unsafe inflate(&stream, Z_FINISH) == Z_STREAM_END, unsafe stream.avail_in == 0,
            unsafe stream.avail_out == 0
        else { return false }
        let sum = unsafe crc32(0, target.baseAddress, UInt32(target.count))
        let stored: UInt32 = unsafe member.span.integer(at: member.count - 8)
        return stored == UInt32(truncatingIfNeeded: sum)
    }
}

extension GzipMember {
    /// How many members are worth threads of their own, and how many threads that are.
    private static let (membersOnThreadsMin, threadsMax) = (8, 2)

    /// What members are unpacked from and to.
    ///
    /// `@unchecked Sendable`: the source is only read, of the target each thread writes what no other does, and both
    /// are lent to the caller until all threads are done.
    @safe private struct Places: @unchecked Sendable {
        let source: UnsafeBufferPointer<UInt8>
        let target: UnsafeMutableBufferPointer<UInt8>
    }

    /// Bytes of any length as members, one after the other; nil when zlib finds no memory.
    static func packAll(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        var packed: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let end = min(place + plainBytesMax, bytes.count)
            guard let member = pack(Array(bytes[place..<end]), effort) else { return nil }
            packed += member
            place = end
        }
        return packed
    }

    /// What members hold, one after the other, at most so many bytes; nil when any is damaged, or it is more.
    static func unpackAll(_ members: ArraySlice<UInt8>, bytesMax: Int) -> [UInt8]? {
        var (extents, count) = ([(member: Range<Int>, plain: Range<Int>)](), 0)
        var rest = members
        while !rest.isEmpty {
            let start = rest.startIndex - members.startIndex
            guard let length = length(Array(rest.prefix(headerBytes))), length <= rest.count,
                let added = plainCount(rest.prefix(length)), count + added <= bytesMax
            else { return nil }
            extents.append((start..<start + length, count..<count + added))
            count += added
            rest = rest.dropFirst(length)
        }
        var isWhole = true
        // Each to its place: for a long queue these are hundreds of megabytes, to be moved once.
        let plain = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            isWhole = unsafe members.withUnsafeBufferPointer { source in
                let places = unsafe Places(source: source, target: target)
                let threads = extents.count >= membersOnThreadsMin ? threadsMax : 0
                return ParallelWork.map(extents, threads: threads, isQuiet: false) { extent in
                    unsafe unpack(
                        UnsafeBufferPointer(rebasing: places.source[extent.member]),
                        into: UnsafeMutableBufferPointer(rebasing: places.target[extent.plain]))
                }.allSatisfy(\.self)
            }
            filled = isWhole ? count : 0
        }
        return isWhole ? plain : nil
    }
}
