//! How many columns of a terminal a text takes, and breaking lines there.

/// Ranges of characters that terminals draw two columns wide: the East Asian wide and full-width
/// ones, and those that are drawn as emoji unless asked otherwise (Unicode, UAX 11).
const WIDE: [(u32, u32); 29] = [
    (0x1100, 0x115f),
    (0x231a, 0x231b),
    (0x23e9, 0x23ec),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26f2, 0x26f3),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274e),
    (0x2753, 0x2757),
    (0x2795, 0x2797),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x2e80, 0x303e),
    (0x3041, 0xa4cf),
    (0xa960, 0xa97c),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0x1f300, 0x1f64f),
    (0x1f680, 0x1f9ff),
    (0x20000, 0x3fffd),
];

/// Ranges that take no column: combining marks, joiners and variation selectors.
const NARROWEST: [(u32, u32); 6] = [
    (0x0300, 0x036f),
    (0x1ab0, 0x1aff),
    (0x200b, 0x200f),
    (0x20d0, 0x20ff),
    (0xfe00, 0xfe0f),
    (0xe0100, 0xe01ef),
];

fn within(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&(c as u32)))
}

/// The columns of one character.
pub(super) fn char_width(c: char) -> usize {
    if c.is_control() || within(&NARROWEST, c) {
        0
    } else if within(&WIDE, c) {
        2
    } else {
        1
    }
}

/// The columns that a text takes in a terminal.
pub fn display_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// A text broken at blanks into lines of at most `width` columns; all but the first are indented.
pub fn fit(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let mut column = text.len() - words.len();
    let mut out = " ".repeat(column);
    let mut first = true;
    for word in words.split(' ') {
        let wide = display_width(word);
        if !first && column > indent && column + 1 + wide > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if !first {
            out.push(' ');
            column += 1;
        }
        first = false;
        out.push_str(word);
        column += wide;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{display_width, fit};

    #[test]
    fn wide_and_narrow_characters_are_told_apart() {
        assert_eq!(display_width("a1"), 2);
        assert_eq!(display_width("♜○●"), 3);
        assert_eq!(display_width("将🐅"), 4);
        assert_eq!(display_width("e\u{301}"), 1);
    }

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(fit("one two three", 8, 2), "one two\n  three");
        assert_eq!(fit("unbreakable words", 4, 0), "unbreakable\nwords");
        assert_eq!(fit("  one two", 6, 4), "  one\n    two");
    }
}
