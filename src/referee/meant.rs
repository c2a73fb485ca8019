//! The moves, legal or not, that a typed text can mean.
//!
//! Legal moves are listed by the rules. Others are made of what the text names: sites and other values of the
//! game in it are arguments of a form of move, in their order, and arguments that it does not name take each
//! value of their domain. A text means those of them that it would mean if they were legal.

use crate::program::Value;
use crate::reference::{Alias, Facts};
use crate::syntax::{Term, TermKind, print_term};
use crate::types::Domain;

use super::events::{events, is_one_of};
use super::kinds::Kind;
use super::made::{keys_in, made_of};
use super::miss::{Miss, is_foreign};
use super::naming::{Named, loose};
use super::owners::{begins_own, ends_on_own, first_value};
use super::pieces::designation;
use super::plainer::with_capital;
use super::shorthand::{Likeness, likeness, signs};
use super::typed::{self, Reading};
use super::values::{is_held, site_named, sites, value, with_sites};
use super::wording::is_among;
use super::{Position, Referee, Stop};

/// The most moves that a text is taken to mean.
pub(super) const MOST_MEANT: usize = 40;

/// A number of no more digits is one number.
const FEW_DIGITS: usize = 2;

/// Moves that are not legal, by the values that a text names.
pub struct Illegal {
    named: Vec<Named>,
    /// The values that the text names.
    said: Vec<Value>,
    /// The text is a number.
    number: bool,
    /// The text says that the move captures.
    pub takes: bool,
}

impl Illegal {
    /// The moves that can be made of what a text names, without the legal ones; only those that begin with a kind of
    /// piece where the text says which.
    ///
    /// # Errors
    /// Interrupted.
    pub fn new(
        referee: &Referee<'_>,
        position: &Position,
        legal: &[Named],
        text: &str,
        kind: Option<&Kind>,
    ) -> Result<Illegal, Stop> {
        let facts = referee.facts(position);
        let mut named = Vec::new();
        let (said, mut made) = made_of(referee, text);
        let named_otherwise =
            by_alias(referee, &facts, text)?.into_iter().chain(by_style(referee, &facts, text)?);
        // the text names neither end of a move that ends where it begins
        made.retain(|term| !said.is_empty() || !ends_where_it_begins(term));
        for term in named_otherwise {
            if !made.contains(&term) {
                made.push(term);
            }
        }
        made.retain(|term| kind.is_none_or(|kind| kind.fits(referee, &facts, term)));
        let events = events(referee);
        let due = |event: &Term| legal.iter().any(|n| n.term.form() == event.form());
        // where no event of chance is due none is meant
        made.retain(|term| legal.is_empty() || due(term) || !is_one_of(term, &events));
        for term in made {
            if legal.iter().any(|n| n.term == term) {
                continue;
            }
            // rules for notations need not expect moves that are not legal
            let notation = match referee.notation(&facts, &term) {
                Err(Stop::Interrupted) => return Err(Stop::Interrupted),
                other => other.unwrap_or_else(|_| print_term(&term)),
            };
            named.push(Named { text: print_term(&term), term, weight: 1, notation });
        }
        let number = text.trim().parse::<u32>().is_ok();
        Ok(Illegal { named, said, number, takes: false })
    }

    /// The site on which the text says that the move captures.
    pub fn target(&self, referee: &Referee<'_>) -> Option<String> {
        let site = self.said.last().filter(|_| self.takes)?;
        Some(referee.game.program.values.show(*site))
    }

    /// The moves that begin on a site with this name.
    pub fn begun(&self, site: &str) -> impl Iterator<Item = &Term> {
        let begins = move |term: &&Term| {
            let first = term.functor().and_then(|(_, args)| args.first());
            first.is_some_and(|first| print_term(first) == site)
        };
        self.named.iter().map(|n| &n.term).filter(begins)
    }

    /// The moves of several arguments that end on a site with this name.
    pub fn ended(&self, site: &str) -> impl Iterator<Item = &Term> {
        let ends = move |term: &&Term| {
            let args = term.functor().map_or(&[][..], |(_, args)| args);
            args.len() > 1 && args.last().is_some_and(|last| print_term(last) == site)
        };
        self.named.iter().map(|n| &n.term).filter(ends)
    }

    /// Whether a move has more arguments than the text names.
    pub fn is_filled(&self, term: &Term) -> bool {
        // a number alone is the name of a whole move
        let whole = self.said.is_empty() && self.number;
        !whole && term.functor().is_some_and(|(_, args)| args.len() > self.said.len())
    }

    /// The names of the sites of a move that the text does not name, in the game's own names.
    pub fn filled(&self, referee: &Referee<'_>, term: &Term) -> Vec<String> {
        let values = &referee.game.program.values;
        let shown = |site: Vec<Value>| match site.as_slice() {
            [one] => values.show(*one),
            keys => format!("({})", values.show_all(keys)),
        };
        self.unsaid(referee, term).into_iter().map(shown).collect()
    }

    /// Those among them that a text means.
    ///
    /// # Errors
    /// Interrupted.
    pub fn read(
        &self,
        referee: &Referee<'_>,
        position: &Position,
        text: &str,
        reading: Reading,
    ) -> Result<Vec<Term>, Stop> {
        let mut found: Vec<Named> =
            match typed::read_as_written(referee, position, &self.named, text, reading) {
                Ok(Ok(one)) => vec![one.clone()],
                Ok(Err(Miss::Ambiguous(several))) => several,
                Err(Stop::Interrupted) => return Err(Stop::Interrupted),
                // what is left open is no site: a colour, a direction
                Ok(Err(Miss::Unfinished(several))) if reading == Reading::Any => {
                    let whole = |n: &Named| self.unsaid(referee, &n.term).is_empty();
                    several.into_iter().filter(whole).collect()
                }
                Ok(Err(_)) | Err(_) => Vec::new(),
            };
        // a sign that the text does not have tells another form of move
        let signed = |n: &Named| signs(&n.notation) > signs(text);
        if !found.iter().all(signed) {
            found.retain(|n| !signed(n));
        }
        let mut found: Vec<Term> = found.into_iter().map(|n| n.term).collect();
        // few digits are no two numbers
        if self.number && text.len() <= FEW_DIGITS {
            found = named_by_number(referee, &referee.facts(position), found, text)?;
        }
        // what the text does not say is most likely where a piece stands that can be moved
        let facts = referee.facts(position);
        let occupied = |term: &Term| {
            self.unsaid(referee, term).first().is_none_or(|site| is_held(referee, &facts, site))
        };
        if found.iter().any(occupied) {
            found.retain(occupied);
        }
        // a text that names no site is a player's way to write his own moves
        let own = |term: &Term| begins_own(referee, &facts, term);
        if self.said.is_empty() && found.iter().any(own) {
            found.retain(own);
        }
        // and so is a piece that is named by its letter and its column
        if self.said.is_empty() && designation(&with_capital(text.trim())).is_some() {
            found.retain(own);
        }
        // a name in another script tells where a piece goes, which is not where one of the player's stands
        if self.said.is_empty() && text.contains(is_foreign) {
            found.retain(|term| own(term) || !ends_on_own(referee, &facts, term));
        }
        found.truncate(MOST_MEANT);
        Ok(found)
    }

    /// The sites of a move that the text does not name, each with its keys.
    fn unsaid(&self, referee: &Referee<'_>, term: &Term) -> Vec<Vec<Value>> {
        let (name, args) = term.functor().unwrap_or_default();
        let keys = referee.rules.contents_keys();
        let sites: Vec<Vec<Value>> = if keys.is_empty() {
            let board = referee.view.board.as_ref();
            let site = |arg: &Term| {
                let name = print_term(arg);
                board?.sites().find(|(_, site)| site.name == name).map(|(_, site)| vec![site.value])
            };
            args.iter().filter_map(site).collect()
        } else {
            let mut forms = referee.game.types.moves.iter();
            let form = forms.find(|(form, domains)| form == name && domains.len() == args.len());
            let places = form.map(|(_, domains)| keys_in(&keys, domains)).unwrap_or_default();
            let begins = (0..places.len()).filter(|at| places[*at] == Some(0));
            let site = |at: usize| args[at..at + keys.len()].iter().map(|arg| value(referee, arg));
            begins.filter_map(|at| site(at).collect()).collect()
        };
        // a site that is named once is said once
        let mut used = vec![false; self.said.len()];
        let mut said = |site: &Vec<Value>| {
            let ends =
                (0..(self.said.len() + 1).saturating_sub(site.len())).map(|at| at..at + site.len());
            let mut free = ends.filter(|at| {
                self.said[at.clone()] == site[..] && !used[at.clone()].contains(&true)
            });
            let found = free.next();
            found.is_some_and(|at| {
                used[at].fill(true);
                true
            })
        };
        sites.into_iter().filter(|site| !said(site)).collect()
    }
}

/// The moves, legal or not, that a text means in the game's own notation.
///
/// # Errors
/// A rule error in `notation/2`.
pub fn written(referee: &Referee<'_>, facts: &Facts, text: &str) -> Result<Vec<Term>, Stop> {
    let written = referee.rules.moves_written(facts, text);
    let mut terms = written.map_err(|error| referee.stopped(error))?;
    terms.retain(|term| is_possible(referee, term));
    Ok(terms)
}

/// The moves of which a text is another name. It need not name their sites as the game does.
pub(super) fn by_alias(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Result<Vec<Term>, Stop> {
    if !referee.game.program.has_other_forms(&referee.game.program.values) {
        return Ok(Vec::new());
    }
    let plain = loose(text);
    let (_, made) = made_of(referee, "");
    let aliases = referee.rules.aliases(facts, &made).map_err(|error| referee.stopped(error))?;
    let named = made.into_iter().zip(aliases);
    let names = |alias: &Alias| {
        loose(&alias.text) == plain || likeness(text, &alias.text, 1) == Some(Likeness::Same)
    };
    let is_site = |word: &str| site_named(referee, word).is_some();
    // a number alone is no name of several
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let one = is_number(&plain);
    let names = |alias: &Alias| names(alias) && (!one || is_number(&loose(&alias.text)));
    let meant = named
        .filter(|(term, forms)| forms.iter().any(names) || is_among(term, forms, text, is_site));
    Ok(meant.map(|(term, _)| term).collect())
}

/// Those among some moves that have a number as their name or other name.
fn named_by_number(
    referee: &Referee<'_>,
    facts: &Facts,
    mut moves: Vec<Term>,
    number: &str,
) -> Result<Vec<Term>, Stop> {
    let aliases = referee.rules.aliases(facts, &moves).map_err(|error| referee.stopped(error))?;
    let mut named = aliases.into_iter().map(|forms| forms.iter().any(|form| form.text == number));
    moves.retain(|term| {
        let other = named.next().unwrap_or_default();
        other || referee.notation(facts, term).is_ok_and(|name| name == number)
    });
    Ok(moves)
}

/// The moves of the player's own pieces that a text means in another notation, where that names no sites as the game does:
/// it begins with the letter of a piece, and has numbers; it has letters that are no Latin ones; or the site on which the move ends, and nothing more.
pub(super) fn by_style(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Result<Vec<Term>, Stop> {
    let styles = referee.rules.styles();
    let site = site_named(referee, text);
    let letter = text.starts_with(|c: char| c.is_uppercase() || c == '@' || c == '*');
    let letter = letter || site.is_some();
    // numerals may be such letters too
    let foreign = text.contains(|c: char| !c.is_ascii() && c.is_alphabetic());
    let numbered = text.contains(|c: char| c.is_ascii_digit());
    if styles.is_empty() || !(foreign || letter && numbered) {
        return Ok(Vec::new());
    }
    let (_, mut made) = made_of(referee, "");
    if let Some(site) = site {
        let ends = |term: &Term| term.functor().and_then(|(_, args)| value(referee, args.last()?));
        made.retain(|term| ends(term) == Some(site));
    }
    let drops = text.starts_with(['@', '*']);
    made.retain(|term| match drops {
        true => !names_site_first(referee, term),
        false => begins_own(referee, facts, term) && !ends_where_it_begins(term),
    });
    let plain = loose(text);
    let mut meant = vec![false; made.len()];
    for style in styles {
        let styled = referee.rules.styled(facts, &made, &style);
        let styled = styled.map_err(|error| referee.stopped(error))?;
        for (meant, texts) in meant.iter_mut().zip(styled) {
            *meant |= texts.iter().any(|text| loose(text) == plain);
        }
    }
    Ok(made.into_iter().zip(meant).filter(|(_, meant)| *meant).map(|(term, _)| term).collect())
}

/// Whether a move names its first site twice.
fn ends_where_it_begins(term: &Term) -> bool {
    term.functor().is_some_and(|(_, args)| args.len() > 1 && args[0] == args[1])
}

/// Whether the first argument of a move is a site.
fn names_site_first(referee: &Referee<'_>, term: &Term) -> bool {
    first_value(referee, term).is_some_and(|first| sites(referee).contains(&first))
}

/// Whether each argument of a term is one that moves of its form can have.
pub(super) fn is_possible(referee: &Referee<'_>, term: &Term) -> bool {
    let Some((name, terms)) = term.functor() else { return false };
    let types = &referee.game.types;
    let values = &referee.game.program.values;
    let sites = sites(referee);
    let shown = |d: &Domain| -> Vec<String> {
        with_sites(crate::referee::values::values(d), &sites)
            .iter()
            .map(|value| values.show(*value))
            .collect()
    };
    types.moves.iter().filter(|(n, domains)| n == name && domains.len() == terms.len()).any(
        |(_, domains)| {
            domains.iter().zip(terms).all(|(domain, term)| match &term.kind {
                TermKind::List(items, None) => {
                    let known = shown(&types.items);
                    // a site alone is no path, but one step is
                    let site =
                        |item: &Term| sites.iter().any(|s| values.show(*s) == print_term(item));
                    let path = items.len() > 1 || terms.len() > 1 || !items.iter().all(site);
                    // a step between two places that some steps have, though no step joins them
                    let joins = |item: &Term| match item.functor() {
                        Some((name, args)) if !args.is_empty() => (0..args.len())
                            .all(|i| self::argument(referee, &types.items, name, i, &args[i])),
                        _ => false,
                    };
                    domain.lists
                        && path
                        && items.iter().all(|item| known.contains(&print_term(item)) || joins(item))
                }
                _ => shown(domain).contains(&print_term(term)),
            })
        },
    )
}

/// Whether some value of a domain is a compound of this name with this argument at this place.
fn argument(
    referee: &Referee<'_>,
    domain: &Domain,
    name: &str,
    at: usize,
    argument: &Term,
) -> bool {
    let constants = &referee.game.program.values;
    let argument = print_term(argument);
    crate::referee::values::values(domain).iter().any(|value| {
        let functor = constants.functor(*value).filter(|(known, _)| *known == name);
        functor
            .and_then(|(_, args)| args.get(at))
            .is_some_and(|arg| constants.show(*arg) == argument)
    })
}
