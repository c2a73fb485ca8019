//! The places of the letters and numbers of a board's coordinates.
//!
//! When the names of sites are letters and numbers, and those of one letter lie on a straight line
//! as well as those of one number, the letters and numbers are written at the ends of these lines.
//! On other boards the names are written beside the sites.

use indexmap::IndexMap;

use super::layout::Spot;

/// A step from site to site on a line, in units of the layout; rows grow downwards.
type Step = (i64, i64);

/// A text at a place of the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub text: String,
    pub column: i64,
    pub row: i64,
}

/// Letters and numbers at the ends of their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Coordinates {
    pub labels: Vec<Label>,
    /// For each site, whether its name follows from the labels.
    pub told: Vec<bool>,
    /// The lines of both are upright and level, so that the labels stand in a row and a column.
    pub straight: bool,
}

/// The letters and the number of a name like `a1`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = name.split_at(digits);
    let good = !letters.is_empty()
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && number.chars().all(|c| c.is_ascii_digit());
    good.then_some((letters, number))
}

/// The coordinates of a board; `None` where the names do not match the places.
pub(super) fn coordinates(names: &[&str], places: &[Spot], gap: i64) -> Option<Coordinates> {
    let parsed: Vec<Option<(&str, &str)>> = names.iter().map(|name| parts(name)).collect();
    let known = parsed.iter().flatten().count();
    if known * 3 < names.len() * 2 {
        return None;
    }
    let mut files: IndexMap<&str, Vec<Spot>> = IndexMap::new();
    let mut ranks: IndexMap<&str, Vec<Spot>> = IndexMap::new();
    for (part, place) in parsed.iter().zip(places) {
        if let Some((letters, number)) = part {
            files.entry(letters).or_default().push(*place);
            ranks.entry(number).or_default().push(*place);
        }
    }
    let file_step = common_step(files.values(), (0, 1), |(_, down)| down > 0)?;
    let rank_step = common_step(ranks.values(), (-1, 0), |(right, _)| right < 0)?;
    if (file_step.0 * rank_step.1) == (file_step.1 * rank_step.0) {
        return None;
    }
    let straight = file_step.0 == 0 && rank_step.1 == 0;
    let last_row = places.iter().map(|p| p.row).max()?;
    let first_column = places.iter().map(|p| p.column).min()?;
    let mut labels = Vec::new();
    for (text, group) in &files {
        let last = group.iter().max_by_key(|p| ahead(**p, file_step))?;
        labels.push(match straight {
            true => Label { text: (*text).to_string(), column: last.column, row: last_row + 1 },
            false => Label {
                text: (*text).to_string(),
                column: last.column + file_step.0,
                row: last.row + file_step.1,
            },
        });
    }
    for (text, group) in &ranks {
        let last = group.iter().max_by_key(|p| ahead(**p, rank_step))?;
        labels.push(match straight {
            true => Label { text: (*text).to_string(), column: first_column - gap, row: last.row },
            false => {
                let scale = if rank_step.1 == 0 { gap } else { 1 };
                Label {
                    text: (*text).to_string(),
                    column: last.column + rank_step.0 * scale,
                    row: last.row + rank_step.1 * scale,
                }
            }
        });
    }
    Some(Coordinates { labels, told: parsed.iter().map(Option::is_some).collect(), straight })
}

/// How far a place is in the direction of a step.
fn ahead(place: Spot, step: Step) -> i64 {
    place.column * step.0 + place.row * step.1
}

/// The smallest step along all groups, in the wanted direction. `fallback` where every group is a
/// single site; `None` where a group is not straight or the groups differ.
fn common_step<'a>(
    groups: impl Iterator<Item = &'a Vec<Spot>>,
    fallback: Step,
    wanted: impl Fn(Step) -> bool,
) -> Option<Step> {
    let mut common = None;
    for group in groups {
        let Some((first, rest)) = group.split_first() else { continue };
        for place in rest {
            let (dx, dy) = (place.column - first.column, place.row - first.row);
            let divisor = gcd(dx, dy);
            if divisor == 0 {
                return None;
            }
            let step = (dx / divisor, dy / divisor);
            let step = if wanted(step) { step } else { (-step.0, -step.1) };
            if !wanted(step) || common.is_some_and(|c| c != step) {
                return None;
            }
            common = Some(step);
        }
    }
    Some(common.unwrap_or(fallback))
}

/// The greatest common divisor; 0 for twice 0.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
