//! Static relations in words: how sites lie to each other, and whose something is.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::diagnostic::{listed, nearest};
use crate::goals::{Environment, Evaluator as _, Terms as _};
use crate::program::{Kind, RelationId, Term, Value};

use super::Teller;
use super::failure::Why;
use super::said::Said;
use super::words::owner;
use crate::reference::run::Answer;

/// The most answers shown of a relation that has others than the one asked for.
const TOLD: usize = 8;

/// The relation between an option and its value.
pub(super) const OPTION: &str = "option";

/// How many columns and rows two sites lie apart.
type Distance = (i64, i64);

impl<'r> Teller<'_, 'r> {
    /// Why a static relation does not hold: the values for which it holds instead.
    pub fn static_reason(
        &mut self,
        id: RelationId,
        args: &'r [Term],
        env: &mut Environment,
        shown: &str,
    ) -> Answer<(String, Vec<Value>)> {
        let relation = self.run.program.relation(id);
        let mut given = Vec::new();
        for arg in args {
            given.push(self.run.value(arg, env)?);
        }
        if self.run.program.special.step == Some(id)
            && let [None, Some(from), Some(to)] = given[..]
        {
            return ControlFlow::Continue((self.beside(&[], from, to), vec![from, to]));
        }
        if self.run.program.special.step == Some(id)
            && let [Some(way), Some(from), None] = given[..]
            && self.site(&[from]).is_some()
        {
            let text = format!("nothing lies {} of {}", self.called(way), self.show(from));
            return ControlFlow::Continue((text, vec![from]));
        }
        if self.run.program.special.xy == Some(id)
            && let Some(text) = self.off_board(&given)
        {
            return ControlFlow::Continue((text, Vec::new()));
        }
        if let Some(said) = self.denied(&relation.name, &given) {
            let known = given.iter().flatten().copied().collect();
            return ControlFlow::Continue((said.to_string(), known));
        }
        // the answers with the last argument left open
        let mut open = given.clone();
        *open.last_mut().unwrap_or(&mut None) = None;
        let lookup = self.run.lookup(id, &open)?;
        let table = lookup.tables.get(id);
        let about: Vec<Value> = given.iter().flatten().copied().collect();
        if let [Some(value)] = given[..] {
            let name = self.show(value);
            let others: Vec<String> = table.column(0).into_iter().map(|v| self.show(v)).collect();
            let mut text = format!("{name} is no {}", relation.name.replace('_', " "));
            if others.len() <= TOLD {
                text = format!(
                    "{text}: only {} {}",
                    listed(&others, "and"),
                    if others.len() == 1 { "is" } else { "are" }
                );
            } else if !self.known(value)
                && let Some(near) = nearest(&name, others.iter().map(String::as_str))
            {
                text = format!("{text}; `{near}` is one");
            }
            return ControlFlow::Continue((text, about));
        }
        let text = match given.split_last() {
            Some((Some(_), front)) if front.iter().all(Option::is_some) => {
                let rows = lookup.rows(id, &open);
                let mut last: Vec<String> = rows
                    .iter()
                    .filter_map(|n| table.row(*n as usize).last().map(|v| self.show(*v)))
                    .collect();
                last.sort();
                let front: Vec<Value> = front.iter().flatten().copied().collect();
                let told = self
                    .of_another(id, &about)
                    .or_else(|| self.apart(&relation.name, &about, &last));
                if let Some(text) = told {
                    return ControlFlow::Continue((text, about));
                }
                let pattern = format!("{}({}, _)", relation.name, self.run.values.show_all(&front));
                match last.as_slice() {
                    [only] if relation.name == OPTION => {
                        let (name, wanted) = (self.show(about[0]), self.show(about[1]));
                        return ControlFlow::Continue((
                            format!("the option `{name}` is {only}, not {wanted}"),
                            about,
                        ));
                    }
                    _ => {}
                }
                match last.len() {
                    0 => format!("`{shown}` does not hold, nor does any `{pattern}`"),
                    1..=TOLD => {
                        let all = listed(&last, "and");
                        format!("`{shown}` does not hold: `{pattern}` only for {all}")
                    }
                    _ => format!("`{shown}` does not hold"),
                }
            }
            _ => format!("`{shown}` does not hold"),
        };
        ControlFlow::Continue((text, about))
    }

    /// That no site has a column and a row, of which one may be open.
    fn off_board(&self, given: &[Option<Value>]) -> Option<String> {
        let [_, x, y] = given else { return None };
        let all = self.run.reference.lookup.tables.get(self.run.program.special.xy?);
        let fits = |asked: Option<Value>, found: Value| asked.is_none_or(|asked| asked == found);
        let some = |x: Option<Value>, y: Option<Value>| {
            (0..all.len()).any(|n| fits(x, all.row(n)[1]) && fits(y, all.row(n)[2]))
        };
        if some(*x, *y) {
            return None;
        }
        Some(match (x, y) {
            (Some(x), _) if !some(Some(*x), None) => match x {
                Value::Integer(_) => format!("there is no column {}", self.show(*x)),
                Value::Constant(_) => {
                    format!("a column has a number here, and {} is none", self.show(*x))
                }
            },
            (_, Some(y)) if !some(None, Some(*y)) => format!("there is no row {}", self.show(*y)),
            _ => "there is no such place on the board".to_string(),
        })
    }

    /// Whether a static relation between players and sites says whose a site is: it gives most of the board to one
    /// player each. One that names a row or a corner for each of them does not.
    fn owns(&mut self, id: RelationId, at: usize) -> bool {
        let Some(xy) = self.run.program.special.xy else { return true };
        let sites = self.run.reference.lookup.tables.get(xy).column(0);
        let ControlFlow::Continue(lookup) = self.run.lookup(id, &[None, None]) else {
            return false;
        };
        let things = lookup.tables.get(id).column(1 - at);
        !things.iter().any(|thing| sites.contains(thing)) || 2 * things.len() > sites.len()
    }

    /// That something is another player's, where a relation between a player and it holds for that player.
    pub fn of_another(&mut self, id: RelationId, values: &[Value]) -> Option<String> {
        let [a, b] = values else { return None };
        let program = self.run.program;
        let is_player = |value: &Value| program.player_index(*value).is_some();
        let (at, thing) = match (is_player(a), is_player(b)) {
            (true, false) => (0, *b),
            (false, true) => (1, *a),
            _ => return None,
        };
        // `hole(south, a1)` names what the site is to the player, `goes(black, s)` names nothing
        let named = at == 1 || !self.sites(&[thing]).is_empty();
        if !named || !self.owns(id, at) {
            return None;
        }
        for player in &program.players {
            let mut row = values.to_vec();
            row[at] = *player;
            let given: Vec<Option<Value>> = row.iter().copied().map(Some).collect();
            let ControlFlow::Continue(lookup) = self.run.lookup(id, &given) else { continue };
            if lookup.tables.get(id).contains(&row) {
                let (thing, whose) = (self.show(thing), owner(&self.show(*player)));
                let (relation, not) = (&program.relation(id).name, owner(&self.show(values[at])));
                return Some(match at {
                    0 => format!("{thing} is {whose} `{relation}`, not {not}"),
                    _ => {
                        let asked = self.run.values.show_all(values);
                        format!(
                            "{thing} is {whose}, not {not} (`{relation}({asked})` does not hold)"
                        )
                    }
                });
            }
        }
        None
    }

    /// Whether a static relation between players and sites tells that a site is a player's and no other's.
    pub fn belongs(&mut self, site: Value, player: Value) -> bool {
        let program = self.run.program;
        if program.player_index(site).is_some() {
            return site == player;
        }
        let pairs = (0..program.relations.len()).map(|id| RelationId(id as u32)).filter(|id| {
            let relation = program.relation(*id);
            relation.kind == Kind::Static && relation.arity == 2
        });
        for id in pairs.collect::<Vec<_>>() {
            let holds = |teller: &mut Self, row: [Value; 2]| {
                let lookup = teller.run.lookup(id, &row.map(Some));
                matches!(lookup, ControlFlow::Continue(l) if l.tables.get(id).contains(&row))
            };
            let others = program.players.iter().filter(|p| **p != player);
            let owned = holds(self, [player, site]);
            let alone = !others.copied().any(|other| holds(self, [other, site]));
            if owned && alone && self.owns(id, 0) {
                return true;
            }
        }
        false
    }

    /// That one site is not beside another, in words; `last` are the sites that are.
    fn apart(&mut self, relation: &str, values: &[Value], last: &[String]) -> Option<String> {
        let told = match (relation, values) {
            ("adjacent", [a, b]) => {
                self.site(&[*a])?;
                self.site(&[*b])?;
                self.beside(&[], *a, *b)
            }
            ("step", [way, a, b]) => {
                self.site(&[*a])?;
                self.site(&[*b])?;
                self.beside(&[*way], *a, *b)
            }
            (_, [front @ .., b]) => {
                self.site(&[*b])?;
                let a = front.iter().rev().find_map(|value| self.site(&[*value]))?;
                match last {
                    [] => format!("from {a} `{relation}` leads nowhere"),
                    _ if last.len() > TOLD => {
                        format!("from {a} `{relation}` does not lead to {}", self.show(*b))
                    }
                    _ => {
                        format!("from {a} `{relation}` leads only to {}", listed(last, "and"))
                    }
                }
            }
            _ => return None,
        };
        Some(told)
    }

    /// That no step in one of these directions leads from one site to another: how they lie to each other instead.
    pub fn beside(&mut self, directions: &[Value], from: Value, to: Value) -> String {
        let (a, b) = (self.show(from), self.show(to));
        if from == to {
            return format!("it would end where it begins, on {a}");
        }
        let lies = self.run.program.special.step.and_then(|step| {
            let given = [None, Some(from), Some(to)];
            let ControlFlow::Continue(lookup) = self.run.lookup(step, &given) else { return None };
            let first = lookup.rows(step, &given).first().copied()?;
            lookup.tables.get(step).row(first as usize).first().copied()
        });
        match lies {
            Some(lies) if !directions.is_empty() => {
                let lies = self.called(lies);
                let asked: Vec<String> = directions.iter().map(|way| self.called(*way)).collect();
                format!("{b} is {lies} of {a}, not {}", listed(&asked, "or"))
            }
            _ if self.is_aslant(from, to) => {
                format!("{b} lies aslant of {a}, not beside it in a row or column")
            }
            _ if self.is_beside_without_line(from, to) => format!("no line joins {b} to {a}"),
            _ => format!("{b} is not next to {a}"),
        }
    }

    /// Whether two sites touch at a corner alone, on a board where that makes no neighbours.
    fn is_aslant(&self, from: Value, to: Value) -> bool {
        let Some(((x, y), others)) = self.distances(from, to) else { return false };
        let straight = |(dx, dy): &(i64, i64)| *dx == 0 && *dy == y || *dy == 0 && *dx == x;
        // lines of several lengths join points, not squares
        x == y && x > 0 && !others.is_empty() && others.iter().all(straight)
    }

    /// Whether two sites lie aslant of one another as some do that a line joins, though none joins them.
    fn is_beside_without_line(&self, from: Value, to: Value) -> bool {
        self.distances(from, to).is_some_and(|((x, y), others)| x == y && others.contains(&(x, y)))
    }

    /// How far two sites lie apart in columns and rows, and how far all sites do between which there is a step.
    fn distances(&self, from: Value, to: Value) -> Option<(Distance, Vec<Distance>)> {
        let special = &self.run.program.special;
        let tables = &self.run.reference.lookup.tables;
        let is_static = |id: RelationId| self.run.program.relation(id).kind == Kind::Static;
        let xy = special.xy.filter(|id| is_static(*id))?;
        let places: FxHashMap<Value, (i64, i64)> = tables
            .get(xy)
            .rows()
            .filter_map(|row| match row[..] {
                [site, Value::Integer(x), Value::Integer(y)] => Some((site, (x, y))),
                _ => None,
            })
            .collect();
        let apart = |a: Value, b: Value| {
            let ((ax, ay), (bx, by)) = (places.get(&a)?, places.get(&b)?);
            Some(((ax - bx).abs(), (ay - by).abs()))
        };
        let mut others = Vec::new();
        for id in [special.step, special.adjacent].into_iter().flatten().filter(|id| is_static(*id))
        {
            others.extend(tables.get(id).rows().filter_map(|row| match row[..] {
                [.., a, b] => apart(a, b),
                _ => None,
            }));
        }
        Some((apart(from, to)?, others))
    }

    /// That nothing stands between two sites, where a way from one to the other leads over a piece. Only where this is
    /// why there is no way.
    pub fn over_nothing(&mut self, why: &Why, from: Value, to: Value) -> Option<String> {
        let empty = |fact: &Said| matches!(fact, Said::Of(_, what) if what == "empty");
        if !why.state || !why.facts.iter().all(empty) {
            return None;
        }
        // other sites are on ways that go round
        let mut over = self.sites_told(&why.facts);
        over.retain(|site| self.adjoin(from, *site) && self.adjoin(*site, to));
        if over.is_empty() {
            return None;
        }
        let names: Vec<String> = over.iter().map(|site| self.show(*site)).collect();
        let (from, to, over) = (self.show(from), self.show(to), listed(&names, "or"));
        Some(match why.steps {
            true => {
                format!("{to} is not next to {from}, and nothing stands on {over} between them")
            }
            false => format!("nothing stands on {over} between {from} and {to}"),
        })
    }

    /// The sites of which facts in words say something.
    pub fn sites_told(&self, facts: &[Said]) -> Vec<Value> {
        let named = facts.iter().filter_map(|fact| match fact {
            Said::Of(site, _) => self.run.values.find_atom(site),
            _ => None,
        });
        self.sites(&named.collect::<Vec<_>>())
    }

    /// Whether some step leads from one site to another.
    fn adjoin(&mut self, a: Value, b: Value) -> bool {
        let special = self.run.program.special;
        let by = |teller: &mut Self, id: Option<RelationId>, given: &[Option<Value>]| {
            let lookup = id.map(|id| (id, teller.run.lookup(id, given)));
            matches!(lookup, Some((id, ControlFlow::Continue(lookup))) if !lookup.rows(id, given).is_empty())
        };
        by(self, special.step, &[None, Some(a), Some(b)])
            || by(self, special.adjacent, &[Some(a), Some(b)])
    }

    /// That a player's pieces do not go in the direction in which one site lies of another, where a goal asks that of
    /// `about`, a player and a direction.
    pub fn not_that_way(&mut self, about: &[Value], from: Value, to: Value) -> Option<String> {
        let step = self.run.program.special.step?;
        let player = about.iter().find(|value| self.run.program.player_index(**value).is_some())?;
        let player = owner(&self.show(*player));
        let way = about.iter().copied().find(|way| {
            let given = [Some(*way), Some(from), Some(to)];
            let lookup = self.run.lookup(step, &given);
            matches!(lookup, ControlFlow::Continue(l) if !l.rows(step, &given).is_empty())
        })?;
        let (way, from, to) = (self.called(way), self.show(from), self.show(to));
        Some(format!("{to} is {way} of {from}, where {player} pieces do not go"))
    }

    /// That a piece cannot come from one site to another in any position; without the piece, what stands there.
    pub fn no_way(&mut self, piece: Option<Value>, from: Value, to: Value) -> String {
        if from == to {
            return self.beside(&[], from, to);
        }
        // what stands where the move does not begin is not what moves
        let begins = self.named.as_ref().is_none_or(|named| named.contains(&from));
        let piece = piece.or_else(|| self.piece_on(from).filter(|_| begins));
        let (from, to) = (self.show(from), self.show(to));
        match piece {
            Some(piece) => format!("{} cannot reach {to} from {from}", self.named(piece)),
            None => format!("{to} cannot be reached from {from}"),
        }
    }

    /// The first occupied site on the straight line from one site to another, if there is one between them.
    pub fn first_between(&mut self, from: Value, to: Value) -> Option<Value> {
        let step = self.run.program.special.step?;
        let fluent = self.run.reference.contents_fluent()?;
        let ways = self.run.reference.lookup.tables.get(step).column(0);
        ways.into_iter().find_map(|way| {
            let mut first = None;
            let mut passed = vec![from];
            loop {
                let given = [Some(way), passed.last().copied(), None];
                let ControlFlow::Continue(lookup) = self.run.lookup(step, &given) else {
                    return None;
                };
                let row = lookup.rows(step, &given).first().copied()?;
                let site = lookup.tables.get(step).row(row as usize)[2];
                if site == to {
                    return first;
                }
                // a line that closes leads nowhere else
                if passed.contains(&site) {
                    return None;
                }
                if first.is_none() && self.run.read(fluent, &[site]).is_some() {
                    first = Some(site);
                }
                passed.push(site);
            }
        })
    }

    /// The piece on a site.
    pub fn piece_on(&self, site: Value) -> Option<Value> {
        let stands = self.run.read(self.run.reference.drawn_fluent()?, &[site])?;
        self.is_piece(stands).then_some(stands)
    }
}
