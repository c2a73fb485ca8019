//! Moves as people shorten them: how a text that is no move's exact name can still name it.

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

/// How a text names the move with this name; `None` if it does not.
pub fn likeness(typed: &str, name: &str) -> Option<Likeness> {
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
    typed_parts.part_of(&parts)
}

/// The letters and numbers of a text, without what stands between them.
struct Parts {
    text: Vec<char>,
    /// Where the parts begin.
    begins: Vec<usize>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        let chars: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        let mut parts = Parts { text: Vec::new(), begins: Vec::new() };
        let mut apart = true;
        for (i, c) in chars.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| chars[i]);
            let after = chars.get(i + 1).copied();
            let joined = before.is_some_and(char::is_alphanumeric);
            let sign = *c == '-' && !joined && after.is_some_and(|c| c.is_ascii_digit());
            let piece = i < 2 || i.checked_sub(2).is_some_and(|i| !chars[i].is_alphanumeric());
            if !(c.is_alphanumeric() || sign) || takes(before.filter(|_| !piece), *c, after) {
                apart = true;
                continue;
            }
            if std::mem::take(&mut apart) {
                parts.begins.push(parts.text.len());
            }
            parts.text.push(*c);
        }
        // castling is often written with zeros
        if parts.text.iter().all(|c| *c == '0') {
            parts.text.fill('o');
        }
        parts
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        self.begins.iter().skip(1).copied().chain([self.text.len()])
    }

    /// Whether this is the other text from one place to another, and is nowhere divided inside a number or a word of it.
    fn names(&self, other: &Parts, from: usize, to: usize) -> bool {
        self.text == other.text[from..to]
            && self.begins.iter().skip(1).all(|begin| {
                let (before, after) = (self.text[begin - 1], self.text[*begin]);
                before.is_alphabetic() != after.is_alphabetic()
                    || other.begins.contains(&(from + begin))
            })
    }

    /// How this names the other text, by some of its parts.
    fn part_of(&self, other: &Parts) -> Option<Likeness> {
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
            if to <= whole && (to == whole || shortened) && self.names(other, *from, to) {
                return Some(Likeness::Part);
            }
        }
        // the beginning, up to the end of a part
        let mut ends = other.ends();
        let several = ends.position(|end| end == len).is_some_and(|part| part > 0);
        if several && self.names(other, 0, len) {
            return Some(Likeness::Part);
        }
        let mut sites = other.begins.iter().zip(other.ends());
        sites.any(|(from, to)| self.names(other, *from, to)).then_some(Likeness::Hint)
    }
}

/// Whether this is the `x` of a capture: `c3xe5`, `28x19`, `xb2`; of `Nxe5` too, where `before` leaves out the piece.
fn takes(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let beside = after.is_some_and(char::is_alphabetic) || is_digit(before) && is_digit(after);
    c == 'x' && before.is_none_or(|c| !c.is_alphabetic()) && beside
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
    use super::likeness;

    #[test]
    fn separators_and_capitals_do_not_matter() {
        for typed in ["e2e4", "e2 e4", "E2-E4", "e2xe4", "e2:e4", "e2 - e4", "e2→e4"] {
            assert_eq!(likeness(typed, "e2-e4"), Some(Same), "{typed}");
        }
        assert_eq!(likeness("0-0", "O-O"), Some(Same));
        assert_eq!(likeness("a8q", "a8=Q"), Some(Same));
        assert_eq!(likeness("b2", "xb2"), Some(Same));
        assert_eq!(likeness("28-19", "28x19"), Some(Same));
        assert_eq!(likeness("2819", "28x19"), Some(Same));
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
}
