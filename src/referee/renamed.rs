//! Texts that name the kind of a piece and sites as another notation of the game names them: `B-88` for `B-b2`.

use rustc_hash::FxHashMap;

use crate::explain::Explanation;
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::Referee;
use super::kinds::is_letter;
use super::likeliest::Meant;
use super::made::made_of;
use super::owners::begins_own;
use super::pieces::{another, at_target, refused};
use super::plainer::readings;
use super::values::site_named;

/// A text with the sites that it names in another notation by the game's own names.
struct Renamed {
    text: String,
    /// The names of these sites as they were typed, each with the game's own.
    names: Vec<(String, String)>,
}

/// What is said of a text by which a piece goes to a site where such a piece of the player's stands already.
pub(super) fn occupied(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let renamed = renamed(referee, facts, text)?;
    let (term, told) = at_target(referee, facts, &renamed.text)?;
    Some((term, by_both(text, &renamed, told)?))
}

/// What is said of a text by which a piece moves from a site where no such piece stands.
pub(super) fn elsewhere(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let renamed = renamed(referee, facts, text)?;
    let mut plain = readings(referee, facts, &renamed.text);
    let (term, told) = plain.find_map(|plain| another(referee, facts, &renamed.text, &plain))?;
    Some((term, by_both(text, &renamed, told)?))
}

/// An explanation of what was typed, which says what the game calls the site that it is about.
fn by_both(text: &str, renamed: &Renamed, told: Explanation) -> Option<Explanation> {
    let reason = told.reason?.facts;
    let about = |own: &String| reason.split(' ').next() == Some(own.as_str());
    let named = renamed.names.iter().find(|(_, own)| about(own));
    let reason = match named {
        Some((typed, own)) => format!("{typed} is {own}, and {reason}"),
        None => reason,
    };
    Some(refused(text, reason, told.blamed))
}

fn renamed(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Renamed> {
    let text = text.trim();
    let letter = text.chars().next().filter(char::is_ascii_uppercase)?;
    if referee.rules.styles().is_empty()
        || !text.contains(|c: char| c.is_ascii_digit())
        || !is_letter(referee, letter.to_ascii_lowercase())
    {
        return None;
    }
    let own = site_names(referee, facts);
    let mut renamed = Renamed { text: String::new(), names: Vec::new() };
    let mut rest = text;
    let mut before = ' ';
    while let Some(next) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let typed = &rest[..word];
        match own.get(&typed.to_lowercase()).filter(|_| !before.is_ascii_digit()) {
            Some(site) => {
                renamed.text.push_str(site);
                renamed.names.push((typed.to_string(), site.clone()));
                rest = &rest[word..];
                before = ' ';
            }
            None => {
                renamed.text.push(next);
                rest = &rest[next.len_utf8()..];
                before = next;
            }
        }
    }
    (!renamed.names.is_empty()).then_some(renamed)
}

/// What the game calls the sites on which moves end, by their names in other notations: what stands behind the last
/// sign of a move, where that is the same for all moves to the site, and for none to another.
fn site_names(referee: &Referee<'_>, facts: &Facts) -> FxHashMap<String, String> {
    let target = |term: &Term| {
        let (_, args) = term.functor()?;
        let last = args.last().filter(|_| args.len() > 1).map(print_term)?;
        site_named(referee, &last).map(|_| last)
    };
    let mut ends: FxHashMap<String, Term> = FxHashMap::default();
    for term in made_of(referee, "").1 {
        if let Some(site) = target(&term)
            && !ends.contains_key(&site)
            && begins_own(referee, facts, &term)
        {
            ends.insert(site, term);
        }
    }
    let (sites, terms): (Vec<String>, Vec<Term>) = ends.into_iter().unzip();
    let mut names: FxHashMap<String, Option<String>> = FxHashMap::default();
    for style in referee.rules.styles() {
        // a rule error in a notation is none of what was typed
        let styled = referee.rules.styled(facts, &terms, &style).unwrap_or_default();
        for (site, texts) in sites.iter().zip(styled) {
            for name in texts.iter().filter_map(|text| name_at_end(text)) {
                let known = names.entry(name).or_insert_with(|| Some(site.clone()));
                if known.as_ref() != Some(site) {
                    *known = None;
                }
            }
        }
    }
    let differs = |(name, site): (String, Option<String>)| {
        site.filter(|site| *site != name).map(|site| (name, site))
    };
    names.into_iter().filter_map(differs).collect()
}

/// The letters and digits behind the last sign of a move, with what stands behind them left out.
fn name_at_end(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let at = text.rfind(|c: char| !c.is_alphanumeric() || c == 'x')?;
    let name = text.get(at + 1..)?.to_lowercase();
    (name.len() > 1 && name.contains(|c: char| c.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::name_at_end;

    #[test]
    fn a_site_stands_behind_the_last_sign() {
        assert_eq!(name_at_end("Bx2b+").as_deref(), Some("2b"));
        assert_eq!(name_at_end("R1e-1c").as_deref(), Some("1c"));
        assert_eq!(name_at_end("C2=5"), None);
        assert_eq!(name_at_end("Nf3"), None);
    }
}
