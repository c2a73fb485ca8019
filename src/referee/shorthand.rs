//! Moves as people shorten them: how a text that is no move's exact name can still name it.

use super::naming::folded;

/// The signs of drops.
const DROPS: &str = "*@";

/// How a text names a move, the closest way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The same letters and numbers: `e2e4`, `e2 e4` and `E2xE4` for `e2-e4`, `0-0` for `O-O`.
    Same,
    /// The same steps in another order: `6/5 8/2` for `8/2-6/5`.
    Reordered,
    /// Its end or its beginning: `e4` for `e2-e4`, `c3-e5` for `c3-e5-g7`, `pa` for `pass`.
    Part,
    /// Only one of its sites, which may as well be meant as the end of another move: `e2` for `e2-e4`.
    Hint,
}

/// How a text names the move with this name; `None` if it does not. A site is named by `width` parts.
pub fn likeness(typed: &str, name: &str, width: usize) -> Option<Likeness> {
    let (typed_parts, parts) = (Parts::of(typed), Parts::of(name));
    if typed_parts.text.is_empty() || parts.text.is_empty() {
        return None;
    }
    if typed_parts.names(&parts, 0, parts.text.len()) {
        return Some(Likeness::Same);
    }
    if reordered(typed, name) {
        return Some(Likeness::Reordered);
    }
    typed_parts.part_of(&parts, width)
}

/// How a text names the move with this term: its values alone, in their order, whatever its form is called.
pub fn likeness_of_term(typed: &str, term: &str) -> Option<Likeness> {
    let (typed, values) = (Parts::of(typed), Parts::of(values(term)));
    let whole = !typed.text.is_empty() && typed.names(&values, 0, values.text.len());
    whole.then_some(Likeness::Same)
}

/// The letters and numbers that a text has behind the values of a move; none where it does not begin with them.
pub fn behind(typed: &str, term: &str) -> String {
    let (typed, values) = (Parts::of(typed), Parts::of(values(term)));
    let len = values.text.len();
    if len == 0 || typed.text.len() <= len || !typed.text.starts_with(&values.text) {
        return String::new();
    }
    let divided = typed.begins.contains(&len) || typed.changes(len);
    if divided { typed.text[len..].iter().collect() } else { String::new() }
}

/// The values of a move, without the name of its form.
fn values(term: &str) -> &str {
    term.split_once('(').map_or("", |(_, values)| values.strip_suffix(')').unwrap_or(values))
}

/// Whether a text that is a move's name or its end joins numbers of it that could as well be divided elsewhere: `111`
/// is 1, 11 and 11, 1. `greatest` gives the greatest number that a move can name.
pub fn divides_otherwise(typed: &str, name: &str, greatest: impl Fn() -> u64) -> bool {
    let (typed, name) = (Parts::of(typed), Parts::of(name));
    if !name.text.ends_with(&typed.text) {
        return false;
    }
    let at = name.text.len() - typed.text.len();
    let is_number = |from: usize, to: usize| name.text[from..to].iter().all(char::is_ascii_digit);
    let mut joined: Vec<usize> = Vec::new();
    let mut otherwise = false;
    let ends: Vec<usize> = name.ends().collect();
    for (from, to) in name.begins.iter().zip(ends).filter(|(from, _)| **from >= at) {
        let number = is_number(*from, to);
        if typed.begins.contains(&(from - at)) || !number {
            joined.clear();
        }
        if number {
            joined.push(*from);
            let digits: String = name.text[joined[0]..to].iter().collect();
            otherwise |= joined.len() > 1 && divisions(&digits, joined.len(), greatest()) > 1;
        }
    }
    otherwise
}

/// The number of ways to divide digits into `parts` numbers up to `greatest`.
fn divisions(digits: &str, parts: usize, greatest: u64) -> usize {
    let fits = |part: &str| {
        !part.starts_with('0') && part.parse::<u64>().is_ok_and(|number| number <= greatest)
    };
    if parts == 1 {
        return usize::from(fits(digits));
    }
    let cuts = (1..digits.len()).filter(|at| fits(&digits[..*at]));
    cuts.map(|at| divisions(&digits[at..], parts - 1, greatest)).sum()
}

/// The letters and numbers of a text, without what stands between them.
struct Parts {
    text: Vec<char>,
    /// Where the parts begin.
    begins: Vec<usize>,
    /// What stands before each of them.
    signs: Vec<char>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        let chars: Vec<char> = text.chars().map(folded).flat_map(char::to_lowercase).collect();
        let mut parts = Parts { text: Vec::new(), begins: Vec::new(), signs: Vec::new() };
        let mut apart = true;
        let mut before_part = ' ';
        for (i, c) in chars.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| chars[i]);
            let after = chars.get(i + 1).copied();
            let joined = before.is_some_and(char::is_alphanumeric);
            let sign = *c == '-' && !joined && after.is_some_and(|c| c.is_ascii_digit());
            let piece = i < 2 || i.checked_sub(2).is_some_and(|i| !chars[i].is_alphanumeric());
            let lettered = piece && before.is_some_and(char::is_alphabetic);
            let before = before.filter(|_| !lettered);
            if !(c.is_alphanumeric() || sign) || takes((before, lettered), *c, after) {
                apart = true;
                before_part = if before_part == ' ' { *c } else { before_part };
                continue;
            }
            if std::mem::take(&mut apart) {
                parts.begins.push(parts.text.len());
                parts.signs.push(std::mem::replace(&mut before_part, ' '));
            }
            parts.text.push(*c);
        }
        // castling is often written with zeros
        if parts.text.iter().all(|c| *c == '0') {
            parts.text.fill('o');
        }
        parts
    }

    /// The sign before all else that says more than where the text begins: that of a drop, since `@e5` is not `e5`, or
    /// that of a promoted piece, since `+B-5e` is not `B*5e`.
    fn first_sign(&self) -> Option<char> {
        self.signs.first().copied().filter(|sign| DROPS.contains(*sign) || *sign == '+')
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        self.begins.iter().skip(1).copied().chain([self.text.len()])
    }

    /// Whether this is the other text from one place to another, and is nowhere divided inside a number or a word of it.
    /// A sign that says more than that is one of the other text's too: `N*e4` may be `N@e4`, and is neither `Ne4` nor
    /// `Nxe4`.
    fn names(&self, other: &Parts, from: usize, to: usize) -> bool {
        self.text == other.text[from..to]
            && self.first_sign().is_none_or(|sign| {
                let at = other.begins.iter().position(|theirs| *theirs == from);
                at.is_some_and(|at| agree(sign, other.signs[at]))
            })
            && self.begins.iter().zip(&self.signs).skip(1).all(|(begin, sign)| {
                let at = other.begins.iter().position(|theirs| *theirs == from + begin);
                match at {
                    Some(at) => agree(*sign, other.signs[at]),
                    None => is_plain(*sign) && self.changes(*begin),
                }
            })
    }

    /// Whether letters and digits meet at a place.
    fn changes(&self, at: usize) -> bool {
        self.text[at - 1].is_alphabetic() != self.text[at].is_alphabetic()
    }

    /// Whether what is behind a place names whole sites: as many parts as they have, and no sign within it parts the
    /// rest from it, where there are several signs: `5 8/2` is no end of `6/5-8/2`.
    fn is_cut_between(&self, from: usize, to: usize, cut: usize, width: usize) -> bool {
        let begins = || self.begins.iter().zip(&self.signs);
        let term = self.signs.get(1) == Some(&'(');
        let within = begins().filter(|(begin, _)| **begin > from && **begin < to);
        let parts = 1 + within.clone().count();
        let parts = if term && from == 0 { parts - 1 } else { parts };
        let sign = begins().find(|(begin, _)| **begin == cut).map(|(_, sign)| *sign);
        let inner = self.signs.iter().skip(if term { 2 } else { 1 });
        let several = inner.clone().any(|sign| Some(sign) != inner.clone().next());
        parts.is_multiple_of(width)
            && (!several || within.into_iter().all(|(_, inside)| Some(*inside) != sign))
    }

    /// How this names the other text, by some of its parts.
    fn part_of(&self, other: &Parts, width: usize) -> Option<Likeness> {
        let (len, whole) = (self.text.len(), other.text.len());
        if len >= whole {
            return None;
        }
        let last = *other.begins.last()?;
        let is_word =
            |from: usize, to: usize| other.text[from..to].iter().all(|c| c.is_alphabetic());
        for from in &other.begins {
            let to = from + len;
            // the end, whose last word may be shortened
            let shortened = to > last && is_word(last, whole);
            if to <= whole
                && (to == whole || shortened)
                && self.names(other, *from, to)
                && other.is_cut_between(*from, to, *from, width)
            {
                return Some(Likeness::Part);
            }
        }
        // the beginning, up to the end of a part
        let mut ends = other.ends();
        let several = ends.position(|end| end == len).is_some_and(|part| part > 0);
        if several && self.names(other, 0, len) && other.is_cut_between(0, len, len, width) {
            return Some(Likeness::Part);
        }
        let ends: Vec<usize> = other.ends().collect();
        let first = if other.signs.get(1) == Some(&'(') && width > 1 { 1 } else { 0 };
        let mut sites = (first..other.begins.len()).step_by(width).map(|at| at..at + width);
        let named = sites.any(|site| {
            let end = ends.get(site.end - 1);
            end.is_some_and(|end| self.names(other, other.begins[site.start], *end))
        });
        named.then_some(Likeness::Hint)
    }
}

/// Whether a sign that was typed may stand for one of a move's name. The signs of drops are alike, and no others; `-` is
/// no `+`.
fn agree(typed: char, own: char) -> bool {
    let drop = |sign: char| DROPS.contains(sign);
    match (is_plain(typed), is_plain(own)) {
        (true, true) => true,
        (true, false) => (typed, own) != ('-', '+'),
        (false, true) => false,
        (false, false) => typed == own || drop(typed) && drop(own),
    }
}

/// Whether a sign divides a text and says nothing more.
fn is_plain(sign: char) -> bool {
    sign.is_whitespace() || "-–—>→,.:/x×()[]".contains(sign)
}

/// Whether this is the `x` of a capture: `c3xe5`, `28x19`, `xb2`; of `Nxe5` and `Bx3c` too, where `before` leaves out the
/// letter of the piece.
fn takes((before, lettered): (Option<char>, bool), c: char, after: Option<char>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let beside =
        after.is_some_and(char::is_alphabetic) || (lettered || is_digit(before)) && is_digit(after);
    c == 'x' && before.is_none_or(|c| !c.is_alphabetic()) && beside
}

/// Whether a text has the `x` of a capture before a site.
pub fn has_cross(text: &str) -> bool {
    // the column from which a piece captures: `Nbxd2`
    let plain: Vec<char> = text.chars().collect();
    if let [piece, line, 'x', column, row, ..] = plain.as_slice()
        && piece.is_ascii_uppercase()
        && [line, column].iter().all(|letter| letter.is_ascii_lowercase())
        && row.is_ascii_digit()
    {
        return true;
    }
    let chars: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let at = |i: Option<usize>| i.and_then(|i| chars.get(i)).copied();
    chars.iter().enumerate().any(|(i, c)| {
        let before = i.checked_sub(1);
        let piece = i == 1 || i > 1 && !chars[i - 2].is_alphanumeric();
        let lettered = piece && at(before).is_some_and(char::is_alphabetic);
        let apart = at(before).filter(|_| !lettered);
        at(before).is_some() && takes((apart, lettered), *c, at(Some(i + 1)))
    })
}

/// The signs in a text, between its letters and numbers, that say more than where one part ends.
pub fn signs(text: &str) -> usize {
    text.chars().skip(1).filter(|c| !c.is_alphanumeric() && !is_plain(*c)).count()
}

/// Whether a text has the sign of a drop.
pub fn has_drop(text: &str) -> bool {
    text.contains(|c| DROPS.contains(c))
}

/// Whether two texts consist of the same steps, each of several parts.
fn reordered(typed: &str, name: &str) -> bool {
    let steps = |text: &str| -> Vec<String> {
        let apart = |c: char| c.is_whitespace() || c == ',' || c == '-';
        let steps = text.split(apart).filter(|step| !step.is_empty());
        let mut steps: Vec<String> = steps.map(str::to_lowercase).collect();
        steps.sort_unstable();
        steps
    };
    let several = |step: &String| step.contains(|c: char| !c.is_alphanumeric());
    let (typed, name) = (steps(typed), steps(name));
    typed.len() > 1 && typed == name && typed.iter().all(several)
}

#[cfg(test)]
mod tests {
    use super::Likeness::{Hint, Part, Reordered, Same};
    use super::divides_otherwise;

    fn likeness(typed: &str, name: &str) -> Option<super::Likeness> {
        super::likeness(typed, name, 1)
    }

    #[test]
    fn separators_and_capitals_do_not_matter() {
        for typed in ["e2e4", "e2 e4", "E2-E4", "e2xe4", "e2:e4", "e2 - e4", "e2→e4"] {
            assert_eq!(likeness(typed, "e2-e4"), Some(Same), "{typed}");
        }
        assert_eq!(likeness("0-0", "O-O"), Some(Same));
        assert_eq!(likeness("N@e4", "N*e4"), Some(Same));
        assert_eq!(likeness("@e4", "e2-e4"), None);
        assert_eq!(likeness("+B-e5", "B*e5"), None);
        assert_eq!(likeness("+B-e5", "+B-e5"), Some(Same));
        assert_eq!(likeness("@e4", "pawn@e4"), Some(Part));
        for typed in ["A4-5", "A4=5"] {
            assert_eq!(likeness(typed, "A4+5"), None, "{typed}");
        }
        assert_eq!(likeness("a8q", "a8=Q"), Some(Same));
        assert_eq!(likeness("b2", "xb2"), Some(Same));
        assert_eq!(likeness("28-19", "28x19"), Some(Same));
        assert_eq!(likeness("2819", "28x19"), Some(Same));
        assert_eq!(likeness("6-17", "6x17"), Some(Same));
        assert_eq!(likeness("Ne5", "Nxe5"), Some(Same));
    }

    #[test]
    fn numbers_are_never_divided_elsewhere_than_in_the_move() {
        assert_eq!(likeness("3127", "31-27"), Some(Same));
        assert_eq!(likeness("3-127", "31-27"), None);
        assert_eq!(likeness("1,-2", "1,2"), None);
        assert_eq!(likeness("2", "12"), None);
        assert_eq!(likeness("2", "a12"), None);
        assert_eq!(likeness("1", "12"), None);
    }

    #[test]
    fn steps_come_in_any_order_but_ways_do_not() {
        assert_eq!(likeness("6/5 8/2", "8/2-6/5"), Some(Reordered));
        assert_eq!(likeness("e4 e2", "e2-e4"), None);
    }

    #[test]
    fn the_end_of_a_move_names_it_and_so_does_its_beginning_with_two_sites() {
        assert_eq!(likeness("e4", "e2-e4"), Some(Part));
        assert_eq!(likeness("a8=q", "a7-a8=queen"), Some(Part));
        assert_eq!(likeness("a7a8q", "a7-a8=queen"), Some(Part));
        assert_eq!(likeness("c3xe5", "c3xe5xg7"), Some(Part));
        assert_eq!(likeness("pa", "pass"), Some(Part));
        assert_eq!(likeness("ss", "pass"), None);
    }

    #[test]
    fn the_first_site_alone_is_a_hint() {
        assert_eq!(likeness("e2", "e2-e4"), Some(Hint));
        assert_eq!(likeness("c3", "b3-c3xd3"), Some(Hint));
        assert_eq!(likeness("", "e2-e4"), None);
        assert_eq!(likeness("-", "e2-e4"), None);
    }

    #[test]
    fn a_part_of_a_move_is_whole_sites() {
        assert_eq!(likeness("5/4", "8/5-5/4"), Some(Part));
        assert_eq!(likeness("5-5/4", "8/5-5/4"), None);
        assert_eq!(likeness("d7/d5", "d1-d7/d5"), Some(Part));
        for (typed, likeness) in
            [("1,3", Some(Part)), ("2,1,3", None), ("3", None), ("1,2", Some(Hint))]
        {
            assert_eq!(super::likeness(typed, "go(1, 2, 1, 3)", 2), likeness, "{typed}");
        }
        assert_eq!(super::likeness("go 1,2", "go(1, 2, 1, 3)", 2), Some(Part));
    }

    #[test]
    fn joined_numbers_are_not_divided_in_two_ways() {
        assert!(divides_otherwise("111", "1-11", || 32));
        assert!(!divides_otherwise("1-11", "1-11", || 32));
        assert!(!divides_otherwise("2819", "28x19", || 50));
        assert!(!divides_otherwise("1213", "go(1, 2, 1, 3)", || 5));
        assert!(!divides_otherwise("e2e4", "e2-e4", || 50));
    }
}
