/// `&amp;`, `&#233;` and their kin, in XML and HTML.
///
/// The names of HTML are known in XML too, since feeds use them without declaring them. A reference never grows: what
/// it stands for is shorter than itself. Names that a document defines are not known, so nothing can be amplified.
enum CharacterReference {
    /// The longest reference, in bytes, `&` and `;` included; a longer one is no reference.
    static let referenceBytesMax = 16

    /// Appends a text with its references resolved; what is none stays as it is written.
    static func resolve(_ text: ArraySlice<UInt8>, into result: inout [UInt8]) {
        var rest = text
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<mark]
            rest = rest[mark...]
            if let end = rest.prefix(referenceBytesMax).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: rest[(mark + 1)..<end], as: UTF8.self))
            {
                result += String(Character(scalar)).utf8
                rest = rest[(end + 1)...]
            } else {
                result.append(UInt8(ascii: "&"))
                rest = rest.dropFirst()
            }
        }
        result += rest
    }

    /// The character of a reference without its marks; nil when there is none, or it is a control.
    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return byName[name].flatMap { Unicode.Scalar($0) } }
        let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard digits.first != "+", let number = UInt32(digits, radix: isHex ? 16 : 10) else { return nil }
        switch number {
        case 9, 10, 13, 32..<127, 160...: return Unicode.Scalar(number)
        // What HTML makes of them: they come from Windows.
        case 128..<160: return TextDecoding.windows1252(UInt8(number))
        default: return nil
        }
    }

    private static let byName: [String: UInt32] = {
        var table: [String: UInt32] = [:]
        for (offset, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
            table[String(name)] = 160 + UInt32(offset)
        }
        for pair in others.split(whereSeparator: \.isWhitespace) {
            let parts = pair.split(separator: "=")
            table[String(parts[0])] = UInt32(parts[1], radix: 16)
        }
        return table
    }()

    /// U+00A0 to U+00FF, in order.
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring
        AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml
        times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil
        egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash
        ugrave uacute ucirc uuml yacute thorn yuml
        """

    /// The five of XML, and what else is common.
    private static let others = """
        amp=26 lt=3C gt=3E quot=22 apos=27 OElig=152 oelig=153 Scaron=160 scaron=161 Yuml=178 fnof=192 circ=2C6
        tilde=2DC ensp=2002 emsp=2003 thinsp=2009 zwnj=200C zwj=200D lrm=200E rlm=200F ndash=2013 mdash=2014
        lsquo=2018 rsquo=2019 sbquo=201A ldquo=201C rdquo=201D bdquo=201E dagger=2020 Dagger=2021 bull=2022
        hellip=2026 permil=2030 prime=2032 Prime=2033 lsaquo=2039 rsaquo=203A euro=20AC trade=2122 larr=2190
        uarr=2191 rarr=2192 darr=2193 harr=2194 minus=2212 infin=221E asymp=2248 ne=2260 le=2264 ge=2265 hearts=2665
        alpha=3B1 beta=3B2 gamma=3B3 delta=3B4 lambda=3BB mu=3BC pi=3C0 sigma=3C3 omega=3C9 Omega=3A9 Delta=394
        """
}
