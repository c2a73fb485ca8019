//! The moves, legal or not, that a typed text can mean.
//!
//! Legal moves are listed by the rules. Others are made of what the text names: sites and other values of the
//! game in it are arguments of a form of move, in their order, and arguments that it does not name take each
//! value of their domain. A text means those of them that it would mean if they were legal.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::program::{Term as RuleTerm, Value};
use crate::reference::{Alias, Facts};
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};
use crate::types::Domain;

use crate::referee::Stop;
use crate::referee::plainer::Kind;
use crate::referee::shorthand::{Likeness, likeness, signs};
use crate::referee::typed::{self, Miss, Named, Reading, loose};
use crate::referee::wording::is_among;
use crate::referee::{Position, Referee};

/// The most moves of one form that are made.
const MOST: usize = 9_000;
/// The most moves that a text is taken to mean.
pub(super) const MOST_MEANT: usize = 40;
/// The longest name that is looked for in a text, in letters.
const LONGEST_NAME: usize = 24;
/// The most values that a text names.
const MOST_VALUES: usize = 32;

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

/// The value of the game that a term is, where it is a number or a name.
fn value(referee: &Referee<'_>, term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Integer(number) => Some(Value::Integer(*number)),
        TermKind::Atom(name) => referee.game.program.values.find_atom(name),
        _ => None,
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
    if referee.game.program.special.alias.is_none() {
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
    let meant = named
        .filter(|(term, forms)| forms.iter().any(names) || is_among(term, forms, text, is_site));
    Ok(meant.map(|(term, _)| term).collect())
}

/// The moves of the player's own pieces that a text means in another notation, where that names no sites as the game does:
/// it begins with the letter of a piece, and has numbers; or the site on which the move ends, and nothing more.
pub(super) fn by_style(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Result<Vec<Term>, Stop> {
    let styles = referee.rules.styles();
    let site = site_named(referee, text);
    let letter = text.starts_with(|c: char| c.is_uppercase() || c == '@' || c == '*');
    let letter = letter || site.is_some();
    if styles.is_empty() || !letter || !text.contains(|c: char| c.is_ascii_digit()) {
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

/// Whether what stands where a move begins is the player's whose turn it is.
pub(super) fn begins_own(referee: &Referee<'_>, facts: &Facts, term: &Term) -> bool {
    let first = first_value(referee, term);
    let fluent = referee.rules.contents_fluent();
    let held = fluent.zip(first).and_then(|(fluent, site)| facts.get(fluent, &[site]));
    held.zip(facts.turn()).is_some_and(|(held, turn)| owned(referee, held, turn))
}

/// The first argument of a move.
fn first_value(referee: &Referee<'_>, term: &Term) -> Option<Value> {
    value(referee, term.functor()?.1.first()?)
}

/// Whether a move names its first site twice.
fn ends_where_it_begins(term: &Term) -> bool {
    term.functor().is_some_and(|(_, args)| args.len() > 1 && args[0] == args[1])
}

/// Whether the first argument of a move is a site.
fn names_site_first(referee: &Referee<'_>, term: &Term) -> bool {
    first_value(referee, term).is_some_and(|first| sites(referee).contains(&first))
}

/// Whether a piece is a player's.
pub(super) fn owned(referee: &Referee<'_>, piece: Value, player: Value) -> bool {
    let args = referee.game.program.values.functor(piece).map(|(_, args)| args);
    piece == player || args.is_some_and(|args| args.contains(&player))
}

/// The forms of the events of chance: their names and numbers of arguments.
pub(super) fn events(referee: &Referee<'_>) -> Vec<(String, usize)> {
    let program = &referee.game.program;
    let clauses = program.special.chance.map(|id| &program.relation(id).clauses);
    let heads = clauses.into_iter().flatten().map(|id| program.clause(*id).head.first());
    let form = |head: Option<&RuleTerm>| {
        let (name, arity) = program.values.form(head?)?;
        Some((name.to_string(), arity))
    };
    heads.filter_map(form).collect()
}

/// Whether what is due now are events of chance.
pub(super) fn is_chance(referee: &Referee<'_>, legal: &[Named]) -> bool {
    let events = events(referee);
    legal.first().is_some_and(|n| is_one_of(&n.term, &events))
}

/// Whether a term is an event of chance.
pub(super) fn is_event(referee: &Referee<'_>, term: &Term) -> bool {
    is_one_of(term, &events(referee))
}

/// Whether a move or an event has one of these forms.
fn is_one_of(term: &Term, forms: &[(String, usize)]) -> bool {
    forms.iter().any(|(name, arity)| term.form() == Some((name, *arity)))
}

/// Whether each argument of a term is one that moves of its form can have.
pub(super) fn is_possible(referee: &Referee<'_>, term: &Term) -> bool {
    let Some((name, terms)) = term.functor() else { return false };
    let types = &referee.game.types;
    let values = &referee.game.program.values;
    let sites = sites(referee);
    let shown = |d: &Domain| -> Vec<String> {
        with_sites(self::values(d), &sites).iter().map(|value| values.show(*value)).collect()
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
    self::values(domain).iter().any(|value| {
        let functor = constants.functor(*value).filter(|(known, _)| *known == name);
        functor
            .and_then(|(_, args)| args.get(at))
            .is_some_and(|arg| constants.show(*arg) == argument)
    })
}

/// The site that a text names and nothing more.
pub(crate) fn site_named(referee: &Referee<'_>, text: &str) -> Option<Value> {
    let text = loose(text);
    let board = referee.view.board.as_ref()?;
    board.sites().find(|(_, site)| site.name.to_lowercase() == text).map(|(_, site)| site.value)
}

/// The names of the sites in a text.
pub(crate) fn sites_in(referee: &Referee<'_>, text: &str) -> IndexSet<Value> {
    let values = &referee.game.program.values;
    let names = sites(referee).iter().map(|s| (values.show(*s).to_lowercase(), *s)).collect();
    said(text, &names).into_iter().collect()
}

/// Whether something stands on a site.
pub(super) fn is_held(referee: &Referee<'_>, facts: &Facts, site: &[Value]) -> bool {
    let fluent = referee.rules.contents_fluent();
    fluent.is_some_and(|fluent| facts.get(fluent, site).is_some())
}

/// Whether a text begins with a site and names another one.
pub fn names_sites(referee: &Referee<'_>, text: &str) -> bool {
    let values = &referee.game.program.values;
    let sites = sites(referee);
    let begins = sites.iter().any(|site| text.starts_with(&values.show(*site)));
    let names = sites.iter().map(|site| (values.show(*site).to_lowercase(), *site)).collect();
    begins && said(text, &names).len() > 1
}

/// Whether a move names a site.
pub fn names_site(referee: &Referee<'_>, term: &Term) -> bool {
    let values = &referee.game.program.values;
    let names: IndexSet<String> =
        sites(referee).into_iter().map(|site| values.show(site)).collect();
    fn any(term: &Term, names: &IndexSet<String>) -> bool {
        let inner = match &term.kind {
            TermKind::Compound(_, args) | TermKind::List(args, _) => args.as_slice(),
            _ => return names.contains(&print_term(term)),
        };
        inner.iter().any(|inner| any(inner, names))
    }
    any(term, &names)
}

/// The most sites that a move can name, where a text names more.
pub fn too_many_sites(referee: &Referee<'_>, text: &str) -> Option<usize> {
    let sites = sites(referee);
    let forms = referee.game.types.moves.iter().map(|(_, domains)| {
        let lists = domains.iter().any(|domain| domain.lists);
        let named = domains.iter().filter(|d| values(d).iter().any(|v| sites.contains(v))).count();
        if lists { usize::MAX } else { named }
    });
    let most = forms.max().filter(|most| *most > 0)?;
    let values = &referee.game.program.values;
    let names = sites.iter().map(|site| (values.show(*site).to_lowercase(), *site)).collect();
    (said(text, &names).len() > most).then_some(most)
}

/// The names of the sites of a text that is a path of more of them than any move names, which is two, all joined by one sign;
/// and that sign.
pub fn path_of_sites(referee: &Referee<'_>, text: &str) -> Option<(Vec<String>, &'static str)> {
    too_many_sites(referee, text).filter(|most| *most == 2)?;
    let lower = text.trim().to_lowercase();
    let shown = |site: &Value| referee.game.program.values.show(*site);
    let names: Vec<String> = sites_in(referee, text).iter().map(shown).collect();
    let sign = ["-", "x", ":"].into_iter().find(|sign| lower == names.join(sign))?;
    Some((names, sign))
}

/// An argument of a form of move.
struct Argument {
    /// What it can be, besides lists, where the text names it.
    named: IndexSet<Value>,
    /// And where it does not.
    values: IndexSet<Value>,
    lists: bool,
    /// Which key of a site of several keys it is.
    key: Option<usize>,
}

/// The names of all values that moves can have, in small letters.
pub(super) fn value_names(referee: &Referee<'_>) -> FxHashMap<String, Value> {
    let types = &referee.game.types;
    let sites = sites(referee);
    let domains = types.moves.iter().flat_map(|(_, domains)| domains).chain([&types.items]);
    let all = domains.flat_map(|domain| with_sites(values(domain), &sites));
    all.map(|value| (referee.game.program.values.show(value).to_lowercase(), value)).collect()
}

/// The terms of moves whose arguments are the values that a text names, and these values.
pub(super) fn made_of(referee: &Referee<'_>, text: &str) -> (Vec<Value>, Vec<Term>) {
    let types = &referee.game.types;
    let sites = sites(referee);
    let items = with_sites(values(&types.items), &sites);
    let keys = referee.rules.contents_keys();
    let forms: Vec<(&str, Vec<Argument>)> = types
        .moves
        .iter()
        .map(|(name, domains)| {
            let argument = |(d, key): (&Domain, Option<usize>)| Argument {
                named: with_sites(values(d), &sites),
                values: values(d),
                lists: d.lists,
                key,
            };
            (name.as_str(), domains.iter().zip(keys_in(&keys, domains)).map(argument).collect())
        })
        .collect();
    let said = said(text, &value_names(referee));
    let filled = |said: &[Value]| {
        let (items, sites) = (&items, &sites);
        let mut made = Vec::new();
        for (name, arguments) in &forms {
            let (filled, empty) = (Vec::new(), Vec::new());
            let mut form =
                Form { referee, name, arguments, items, sites, said, filled, made: empty };
            if form.is_small() {
                form.fill(&mut Vec::new(), 0);
                made.append(&mut form.made);
            }
        }
        made
    };
    let mut made = filled(&said);
    // two values of which each can be only the other's argument: a site and a colour
    if let ([one, two], true) = (said.as_slice(), made.is_empty()) {
        made = filled(&[*two, *one]);
    }
    (said, made)
}

/// The greatest number that a move can name.
pub(super) fn greatest(referee: &Referee<'_>) -> u64 {
    let names = value_names(referee);
    names.keys().filter_map(|name| name.parse().ok()).max().unwrap_or(0)
}

/// For each argument of a form of move its place among the keys of the map that tells what stands where, if that has
/// several keys and the argument is one of them.
fn keys_in(keys: &[Vec<Value>], domains: &[Domain]) -> Vec<Option<usize>> {
    let fits = |at: usize, key: usize| {
        let values = values(&domains[at]);
        !values.is_empty() && values.iter().all(|value| keys[key].contains(value))
    };
    let mut places = vec![None; domains.len()];
    let mut at = 0;
    while at < domains.len() {
        let whole = !keys.is_empty()
            && at + keys.len() <= domains.len()
            && (0..keys.len()).all(|key| fits(at + key, key));
        if whole {
            (0..keys.len()).for_each(|key| places[at + key] = Some(key));
        }
        at += if whole { keys.len() } else { 1 };
    }
    places
}

/// The sites of the board.
pub(super) fn sites(referee: &Referee<'_>) -> IndexSet<Value> {
    let board = referee.view.board.iter();
    board.flat_map(|board| board.sites().map(|(_, site)| site.value)).collect()
}

/// Values among which there are sites, as all sites: a move to one that no move can reach is one too.
fn with_sites(values: IndexSet<Value>, sites: &IndexSet<Value>) -> IndexSet<Value> {
    if values.iter().any(|value| sites.contains(value)) { sites.clone() } else { values }
}

/// The values of a domain, apart from lists; none where they are too many.
pub(super) fn values(domain: &Domain) -> IndexSet<Value> {
    let few = domain.integers.filter(|(lo, hi)| hi.saturating_sub(*lo) < MOST as i64);
    let integers = few.into_iter().flat_map(|(lo, hi)| lo..=hi).map(Value::Integer);
    if domain.top || domain.moves {
        return IndexSet::new();
    }
    domain.constants.iter().map(Value::Constant).chain(integers).collect()
}

/// The values that a text names, in their order.
fn said(text: &str, names: &FxHashMap<String, Value>) -> Vec<Value> {
    parted(text, names).0
}

/// The values that a text names, in their order, and the text in small letters with blanks for them and for signs.
pub(super) fn parted(text: &str, names: &FxHashMap<String, Value>) -> (Vec<Value>, Vec<char>) {
    let letters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut rest: Vec<char> =
        letters.iter().map(|c| if c.is_alphanumeric() { *c } else { ' ' }).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() && found.len() < MOST_VALUES {
        let longest = (letters.len() - at).min(LONGEST_NAME);
        let named = (1..=longest).rev().find_map(|len| {
            let value = names.get(&letters[at..at + len].iter().collect::<String>())?;
            whole(&letters, at, at + len).then_some((len, *value))
        });
        match named {
            Some((len, value)) => {
                found.push(value);
                rest[at..at + len].fill(' ');
                at += len;
            }
            None if letters[at].is_ascii_digit() => {
                at += letters[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            }
            None => at += 1,
        }
    }
    (found, rest)
}

/// Whether a part of a text is a name of its own: it divides no number, and a word of letters no word.
pub(super) fn whole(letters: &[char], from: usize, to: usize) -> bool {
    let is = |at: Option<usize>, test: fn(&char) -> bool| {
        at.and_then(|at| letters.get(at)).is_some_and(test)
    };
    let (before, after) = (from.checked_sub(1), Some(to));
    let word = letters[from..to].iter().all(|c| c.is_alphabetic());
    let number = |c: &char| c.is_ascii_digit();
    match word {
        true => !is(before, |c| c.is_alphabetic()) && !is(after, |c| c.is_alphabetic()),
        false => {
            let divides =
                |own: usize, next| number(&letters[own]) && is(next, char::is_ascii_digit);
            !divides(to - 1, after) && !divides(from, before)
        }
    }
}

/// A form of move whose arguments are being filled.
struct Form<'a, 'g> {
    referee: &'a Referee<'g>,
    name: &'a str,
    arguments: &'a [Argument],
    /// What the items of lists can be.
    items: &'a IndexSet<Value>,
    sites: &'a IndexSet<Value>,
    said: &'a [Value],
    /// For each argument so far whether the text does not name it.
    filled: Vec<bool>,
    made: Vec<Term>,
}

impl Form<'_, '_> {
    /// Whether the arguments that the text does not name have few enough values.
    fn is_small(&self) -> bool {
        let mut sizes: Vec<usize> =
            self.arguments.iter().filter(|a| !a.lists).map(|a| a.values.len()).collect();
        sizes.sort_unstable();
        let open = sizes.len().saturating_sub(self.said.len());
        // with a list the text names all that it can
        let open = if sizes.len() < self.arguments.len() { 0 } else { open };
        sizes.iter().rev().take(open).product::<usize>() <= MOST
    }

    fn fill(&mut self, terms: &mut Vec<Term>, next: usize) {
        if self.made.len() >= MOST {
            return;
        }
        let Some(argument) = self.arguments.get(terms.len()) else {
            if next == self.said.len() && !self.invents(terms) {
                let kind = match terms.is_empty() {
                    true => TermKind::Atom(self.name.into()),
                    false => TermKind::Compound(self.name.into(), terms.clone()),
                };
                self.made.push(Term::new(kind, Span::NONE));
            }
            return;
        };
        let term = |value: Value| self.referee.game.program.values.to_term(value);
        if argument.lists {
            let rest = &self.said[next..];
            let fits = rest.iter().take_while(|value| self.items.contains(*value)).count();
            // a site alone is no path, but one step is
            let step = rest.first().is_some_and(|first| !self.sites.contains(first));
            let least = if self.arguments.len() > 1 || step { 1 } else { 2 };
            for len in least..=fits {
                let list = rest[..len].iter().map(|value| term(*value)).collect();
                terms.push(Term::new(TermKind::List(list, None), Span::NONE));
                self.filled.push(false);
                self.fill(terms, next + len);
                self.filled.pop();
                terms.pop();
            }
        }
        // a site of several keys is named or not, never in part
        let begun = self.filled.last().copied().filter(|_| argument.key.is_some_and(|key| key > 0));
        if let Some(value) = self.said.get(next)
            && argument.named.contains(value)
            && begun != Some(true)
        {
            terms.push(term(*value));
            self.filled.push(false);
            self.fill(terms, next + 1);
            self.filled.pop();
            terms.pop();
        }
        let after = self.arguments.len() - terms.len() - 1;
        let lists = self.arguments.iter().any(|a| a.lists);
        if !lists && after >= self.said.len() - next && begun != Some(false) {
            self.filled.push(true);
            for value in &argument.values {
                let value = self.referee.game.program.values.to_term(*value);
                terms.push(value);
                self.fill(terms, next);
                terms.pop();
            }
            self.filled.pop();
        }
    }

    /// Whether a site that the text does not name is one that it names.
    fn invents(&self, terms: &[Term]) -> bool {
        let values = &self.referee.game.program.values;
        let is_site = |term: &Term| self.sites.iter().any(|s| values.show(*s) == print_term(term));
        let again = |at: usize| {
            let term = &terms[at];
            let twice = |other: usize| !self.filled[other] && terms[other] == *term;
            self.arguments[at].key.is_none()
                && self.filled[at]
                && (0..terms.len()).any(twice)
                && is_site(term)
        };
        if (0..terms.len()).any(again) {
            return true;
        }
        let begins = (0..terms.len()).filter(|at| self.arguments[*at].key == Some(0));
        let sites: Vec<(bool, Vec<String>)> = begins
            .map(|at| {
                let keys = self.arguments[at + 1..].iter().take_while(|a| a.key > Some(0)).count();
                (self.filled[at], terms[at..=at + keys].iter().map(print_term).collect())
            })
            .collect();
        sites.iter().any(|(filled, site)| {
            *filled && sites.iter().any(|(other, named)| !other && named == site)
        })
    }
}
