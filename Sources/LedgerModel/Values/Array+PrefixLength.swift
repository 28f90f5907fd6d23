extension Array {
    /// How many elements come before the first that does not fulfil `isBefore`, where none behind it does. O(log n).
    /// (Not `count` of anything: with a closure behind it, that would be taken for `count(where:)`.)
    package func prefixLength(while isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
