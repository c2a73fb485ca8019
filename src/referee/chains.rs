//! Steps typed as chains of places: `24/20/16` for `24/20-20/16`, `6/4(2)` for one step made twice, `8/5*` for one that
//! captures. They are read where moves are lists of steps, each from one place to another.

use crate::program::Value;
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

use super::Referee;
use super::naming::{Named, loose};
use super::values::values;

/// The most steps of a text, and of a move that is compared with one.
const MOST: usize = 16;

/// A step, from one place to another.
type Step = (String, String);

/// The steps that a text tells, in its order, each perhaps made by several steps of a move.
pub struct Chains {
    sign: String,
    links: Vec<Step>,
    /// The text is no list of single steps: it leaves out places that are named twice, or has other signs.
    pub is_short: bool,
}

/// The first link of a text that no legal move has behind those before it.
pub struct Wrong {
    /// The move up to it.
    pub term: Term,
    pub step: String,
    /// The steps before it, where a legal move has this one without them.
    pub behind: Option<String>,
}

/// A move of which some first links of a text are steps.
struct Fit {
    links: usize,
    steps: Vec<Step>,
    /// The links are all steps of the move.
    whole: bool,
}

impl Chains {
    /// The steps that a text tells; `None` where it tells none, or where moves are no lists of steps.
    pub fn of(referee: &Referee<'_>, text: &str) -> Option<Chains> {
        let sign = sign(referee).filter(|sign| text.contains(sign.as_str()))?;
        let mut chains = Chains { sign, links: Vec::new(), is_short: false };
        let lower = text.to_lowercase();
        let apart = |c: char| c.is_whitespace() || c == ',' || c == '-';
        for word in lower.split(apart).filter(|word| !word.is_empty()) {
            chains.add(word)?;
        }
        (!chains.links.is_empty()).then_some(chains)
    }

    fn add(&mut self, word: &str) -> Option<()> {
        let (path, times) = match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
            Some((path, times)) => (path, times.parse().ok().filter(|n| (1..=MOST).contains(n))?),
            None => (word, 1),
        };
        let places: Vec<&str> =
            path.split(self.sign.as_str()).map(|place| place.trim_end_matches('*')).collect();
        let is_place = |place: &&str| !place.is_empty() && place.chars().all(char::is_alphanumeric);
        if places.len() < 2 || !places.iter().all(is_place) {
            return None;
        }
        self.is_short |= places.len() > 2 || path.len() < word.len() || path.contains('*');
        for _ in 0..times {
            let links = places.windows(2).map(|ends| (ends[0].to_string(), ends[1].to_string()));
            self.links.extend(links);
        }
        (self.links.len() <= MOST).then_some(())
    }

    /// The moves that consist of these steps, and those that have them among others.
    pub fn named<'n>(&self, moves: &'n [Named]) -> (Vec<&'n Named>, Vec<&'n Named>) {
        let (mut whole, mut part) = (Vec::new(), Vec::new());
        for one in moves {
            let Some(fit) = self.fit(&one.term).filter(|fit| fit.links == self.links.len()) else {
                continue;
            };
            if fit.whole { whole.push(one) } else { part.push(one) }
        }
        (whole, part)
    }

    /// The move up to the first link that no legal move has behind those before it.
    pub fn first_wrong(&self, referee: &Referee<'_>, legal: &[Named]) -> Option<Wrong> {
        let fits = legal.iter().filter_map(|n| self.fit(&n.term));
        let best = fits.reduce(|best, fit| if fit.links > best.links { fit } else { best });
        let (links, mut steps) = best.map_or((0, Vec::new()), |fit| (fit.links, fit.steps));
        let link = self.links.get(links)?;
        let shown = |step: &Step| format!("{}{}{}", step.0, self.sign, step.1);
        let alone = Chains { links: vec![link.clone()], sign: self.sign.clone(), is_short: true };
        let made = legal.iter().any(|n| alone.fit(&n.term).is_some_and(|fit| fit.links == 1));
        let behind = steps.iter().map(shown).collect::<Vec<_>>().join(" and ");
        let behind = Some(behind).filter(|_| made && !steps.is_empty());
        steps.push(link.clone());
        let listed: Vec<Term> = steps.iter().map(|step| self.term(step)).collect();
        let list = Term::new(TermKind::List(listed, None), Span::NONE);
        let mut forms = referee.game.types.moves.iter();
        let (form, _) = forms.find(|(_, domains)| domains.len() == 1 && domains[0].lists)?;
        let kind = TermKind::Compound(form.as_str().into(), vec![list]);
        Some(Wrong { term: Term::new(kind, Span::NONE), step: shown(link), behind })
    }

    fn term(&self, (from, to): &Step) -> Term {
        let place = |name: &String| {
            let kind = match name.parse() {
                Ok(number) => TermKind::Integer(number),
                Err(_) => TermKind::Atom(name.as_str().into()),
            };
            Term::new(kind, Span::NONE)
        };
        Term::new(
            TermKind::Compound(self.sign.as_str().into(), vec![place(from), place(to)]),
            Span::NONE,
        )
    }

    fn fit(&self, mv: &Term) -> Option<Fit> {
        let rest = steps(mv, &self.sign)?;
        let mut best = Fit { links: 0, steps: Vec::new(), whole: false };
        fill(&self.links, 0, None, &rest, &mut Vec::new(), &mut best);
        Some(best)
    }
}

/// Finds steps for the links from `next` on, of which the first has come to a place already; true when all steps are used.
fn fill(
    links: &[Step],
    next: usize,
    reached: Option<&str>,
    rest: &[Step],
    used: &mut Vec<Step>,
    best: &mut Fit,
) -> bool {
    if reached.is_none() && next > best.links {
        (best.links, best.steps) = (next, used.clone());
    }
    let Some((from, to)) = links.get(next) else {
        best.whole = rest.is_empty();
        if best.whole {
            best.steps.clone_from(used);
        }
        return best.whole;
    };
    let from = reached.unwrap_or(from);
    for (i, step) in rest.iter().enumerate() {
        if step.0 != from || rest[..i].contains(step) {
            continue;
        }
        let others: Vec<Step> = [&rest[..i], &rest[i + 1..]].concat();
        used.push(step.clone());
        let done = match step.1 == *to {
            true => fill(links, next + 1, None, &others, used, best),
            false => fill(links, next, Some(&step.1), &others, used, best),
        };
        used.pop();
        if done {
            return true;
        }
    }
    false
}

/// The steps of a move that is a list of them; `None` where it is no such move.
fn steps(mv: &Term, sign: &str) -> Option<Vec<Step>> {
    let (_, [arg]) = mv.functor()? else { return None };
    let TermKind::List(items, None) = &arg.kind else { return None };
    let step = |item: &Term| {
        let [from, to] = item.args_of(sign, 2)? else { return None };
        Some((print_term(from), print_term(to)))
    };
    items.iter().map(step).collect::<Option<Vec<_>>>().filter(|steps| steps.len() <= MOST)
}

/// The operator that joins the two places of a step; `None` where moves are no lists of steps.
pub(super) fn sign(referee: &Referee<'_>) -> Option<String> {
    let constants = &referee.game.program.values;
    let joins = |value: &Value| {
        let (name, args) = constants.functor(*value)?;
        let operator = name.chars().count() == 1 && !name.contains(char::is_alphanumeric);
        (operator && args.len() == 2).then(|| name.to_string())
    };
    values(&referee.game.types.items).iter().find_map(joins)
}

/// What is said of a text that names places and no step between two of them; `None` where it names none.
pub fn without_step(referee: &Referee<'_>, legal: &[Named], text: &str) -> Option<String> {
    let sign = sign(referee).filter(|sign| !text.contains(sign.as_str()))?;
    let values = &referee.game.program.values;
    let places: Vec<String> = values_of_steps(referee).iter().map(|v| values.show(*v)).collect();
    let word = loose(text);
    if !places.contains(&word) {
        return None;
    }
    let all: Vec<Step> = legal.iter().filter_map(|n| steps(&n.term, &sign)).flatten().collect();
    let named = all.iter().find(|(from, to)| [from, to].contains(&&word));
    let (from, to) = named.or(all.first())?;
    Some(format!("a step names two places, as {from}{sign}{to} does"))
}

/// The places that steps join.
fn values_of_steps(referee: &Referee<'_>) -> Vec<Value> {
    let constants = &referee.game.program.values;
    let items = values(&referee.game.types.items);
    items
        .iter()
        .filter_map(|item| constants.functor(*item))
        .flat_map(|(_, args)| args.to_vec())
        .collect()
}
