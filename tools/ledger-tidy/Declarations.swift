/// What a line of code declares.
struct Declaration: Hashable {
    /// `func`, `var`, `struct` ...
    let keyword: String
    /// The declared name, with parameters for an initializer; an operator's signs for an operator.
    let name: String
    /// Whether other targets or packages can see it.
    let isShared: Bool
    /// Whether apps can see it.
    let isPublic: Bool
}

enum Declarations {
    static let modifiers: Set<String> = [
        "package", "public", "open", "internal", "private", "fileprivate", "static", "final", "mutating", "nonmutating",
        "borrowing", "consuming", "nonisolated", "isolated", "override", "required", "convenience", "lazy", "weak",
        "unowned", "indirect", "prefix", "postfix", "infix", "dynamic", "distributed", "private(set)",
        "fileprivate(set)", "package(set)", "nonisolated(unsafe)", "nonisolated(nonsending)",
    ]
    private static let keywords: Set<String> = [
        "func", "var", "let", "struct", "class", "enum", "actor", "protocol", "typealias", "subscript", "macro",
    ]

    /// The declaration on a line of blanked code; nil when there is none.
    static func parse(_ code: String) -> Declaration? {
        var words = code.split(separator: " ").map(String.init)[...]
        var (isShared, isPublic) = (false, false)
        while let word = words.first, modifiers.contains(word) || word.hasPrefix("@") {
            if word == "public" || word == "open" { isPublic = true }
            if word == "package" || isPublic { isShared = true }
            words.removeFirst()
        }
        guard let keyword = words.popFirst() else { return nil }
        if keyword.hasPrefix("init(") || keyword.hasPrefix("init?(") || keyword.hasPrefix("init<") {
            let name = keyword.prefix { $0 != ":" && $0 != ")" }
            return Declaration(keyword: "init", name: String(name), isShared: isShared, isPublic: isPublic)
        }
        if keyword.hasPrefix("subscript") {
            return Declaration(keyword: "subscript", name: "", isShared: isShared, isPublic: isPublic)
        }
        guard keywords.contains(keyword), let rest = words.first else { return nil }
        let name = rest.prefix { !"(:<{=,".contains($0) || !$0.isLetter && rest.first?.isLetter == false && $0 != "(" }
        return Declaration(keyword: keyword, name: String(name), isShared: isShared, isPublic: isPublic)
    }
}
