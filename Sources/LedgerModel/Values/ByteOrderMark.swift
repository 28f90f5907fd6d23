extension Collection<UInt8> {
    /// These bytes without the mark of UTF-8 in front, which some editors put there and is no part of the text.
    package var withoutByteOrderMark: SubSequence { dropFirst(starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) }
}
