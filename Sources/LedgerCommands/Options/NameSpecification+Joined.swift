import ArgumentParser

extension NameSpecification {
    /// The option's own name, and a letter that may have its value right behind it: `-j2`, as aria2 and curl take it.
    static func joined(_ letter: Character) -> NameSpecification {
        [.customShort(letter, allowingJoined: true), .long]
    }
}
