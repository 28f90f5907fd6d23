/// All rules over all files.
package enum Rules {
    /// Every breach in a tree, ordered by file and line.
    package static func findings(in tree: Tree) -> [Finding] {
        let witnesses = Documentation.requirements(in: tree.sources)
        var findings: [Finding] = []
        for file in tree.sources {
            findings += Lengths.findings(in: file)
            findings += Documentation.findings(in: file, witnesses: witnesses)
            findings += Words.findings(in: file)
            findings += Imports.findings(in: file)
        }
        for file in tree.sources + tree.texts { findings += Words.paths(in: file, privatePaths: tree.privatePaths) }
        return findings.sorted()
    }
}
