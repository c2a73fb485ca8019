//! Facts in words, and several of them in one sentence: `a1, b1 and c1 are empty`.

use std::fmt;

use crate::diagnostic::listed;

/// The most subjects that share one verb.
const SITES: usize = 8;

/// A fact in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Of a site or a part of the state: what it is.
    Of(String, String),
    /// Whose turn it is, or was.
    Turn(String),
    /// Anything else, as a whole sentence without a full stop.
    Other(String),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Of(site, what) => write!(f, "{site} is {what}"),
            Said::Turn(text) | Said::Other(text) => f.write_str(text),
        }
    }
}

/// Some facts in one sentence, of which those that say the same of different sites share a verb, and so do those that
/// say different things of the same; at most `most` verbs.
pub(super) fn together(facts: &[Said], most: usize) -> String {
    let mut whats: Vec<&str> = Vec::new();
    // subjects with their verb, and what is said of them
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for fact in facts {
        let Said::Of(_, what) = fact else {
            let text = (fact.to_string(), Vec::new());
            if !parts.contains(&text) {
                parts.push(text);
            }
            continue;
        };
        if whats.contains(&what.as_str()) {
            continue;
        }
        whats.push(what);
        let mut sites: Vec<String> = Vec::new();
        for other in facts {
            match other {
                Said::Of(site, same) if same == what && !sites.contains(site) => {
                    sites.push(site.clone());
                }
                _ => {}
            }
        }
        sites.sort_by_key(|site| (prefix(site).to_string(), number(site)));
        let verb = if sites.len() == 1 { "is" } else { "are" };
        let more = sites.len().saturating_sub(SITES);
        if more > 0 {
            sites.truncate(SITES);
            sites.push(format!("{more} more"));
        }
        let subjects = format!("{} {verb}", listed(&sites, "and"));
        match parts.iter_mut().find(|(same, whats)| *same == subjects && !whats.is_empty()) {
            Some((_, whats)) => whats.push(what.clone()),
            None => parts.push((subjects, vec![what.clone()])),
        }
    }
    parts.truncate(most);
    let told = parts.into_iter().map(|(subjects, whats)| match whats.is_empty() {
        true => subjects,
        false => format!("{subjects} {}", listed(&whats, "and")),
    });
    listed(&told.collect::<Vec<_>>(), "and")
}

/// What a site's name has before its number.
fn prefix(site: &str) -> &str {
    site.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn number(site: &str) -> u64 {
    site[prefix(site).len()..].parse().unwrap_or(0)
}

/// The facts that are worth telling beside others: not whose turn it is.
pub(super) fn telling(mut facts: Vec<Said>) -> Vec<Said> {
    facts.retain(|fact| !matches!(fact, Said::Turn(_)));
    facts
}

#[cfg(test)]
mod tests {
    use super::{Said, together};

    fn of(subject: &str, what: &str) -> Said {
        Said::Of(subject.to_string(), what.to_string())
    }

    #[test]
    fn facts_that_say_the_same_share_a_verb() {
        let facts = [
            of("b10", "empty"),
            of("a1", "occupied by white"),
            of("b2", "empty"),
            of("b10", "empty"),
            Said::Other("white cannot move".to_string()),
        ];
        let told = "b2 and b10 are empty, a1 is occupied by white and white cannot move";
        assert_eq!(together(&facts, 3), told);
        assert_eq!(together(&facts, 1), "b2 and b10 are empty");
    }

    #[test]
    fn what_is_said_of_one_subject_shares_a_verb() {
        let facts =
            [of("c1", "empty"), of("d1", "empty"), of("c1", "not next to a1"), of("c1", "a hole")];
        assert_eq!(together(&facts, 3), "c1 and d1 are empty and c1 is not next to a1 and a hole");
    }

    #[test]
    fn many_subjects_are_counted() {
        let facts: Vec<Said> = (1..=10).map(|n| of(&format!("a{n}"), "empty")).collect();
        let told = "a1, a2, a3, a4, a5, a6, a7, a8 and 2 more are empty";
        assert_eq!(together(&facts, 1), told);
    }
}
