//! One game, played and recorded for a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::engine::{Budget, Candidate, Game, Look, Random, Session, State};
use crate::referee::interrupt;
use crate::reference::Reference;
use crate::search::contest::Broken;
use crate::search::{Advisor, Limits, Memory, Player, Request, choose};
use crate::syntax::print_term;

/// The purposes of random draws.
const CHANCE: u64 = 0xC4A2CE;
const OPENING: u64 = 0x09E2;
const PLAYER: u64 = 0x91A;

/// How a game is played.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// Who plays, for all sides.
    pub player: Player,
    pub limits: Limits,
    /// How many plies at the beginning are drawn at random.
    pub opening: u32,
    /// A game that is not over after this many plies is stopped.
    pub max_plies: u32,
    pub seed: u64,
}

/// How many chance events a game may have for each ply that it may.
const MOST_EVENTS: usize = 10;

/// What a report keeps of a game.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// By ply, how many legal moves there were. Chance events are no plies here.
    pub moves: Vec<u32>,
    /// Who makes the first move: an index among the players.
    pub begins: u32,
    /// By ply, the share of games that the player who began is expected to win, in thousandths, as the player to move judged.
    pub leads: Vec<Option<u32>>,
    /// By clause of `move/1`: how many moves it made, and in how many positions it allowed one.
    pub clauses: BTreeMap<u32, (u32, u32)>,
    /// The first move, where no chance event comes before it.
    pub first: Option<String>,
    /// The winners, a bit each; `None` for a game that was stopped.
    pub winners: Option<u32>,
    /// The end clause, as an index; behind the last one where none applied.
    pub end: u32,
    pub scores: Vec<Option<i64>>,
    pub measures: Vec<(String, i64)>,
}

impl Record {
    /// For the file of results.
    pub fn data(&self) -> Value {
        let clauses: Vec<Value> =
            self.clauses.iter().map(|(id, (made, seen))| json!([id, made, seen])).collect();
        json!([
            self.moves,
            self.leads,
            clauses,
            self.first,
            self.winners,
            self.end,
            self.scores,
            self.measures,
            self.begins
        ])
    }

    /// What [`Record::data`] has written.
    pub fn read(data: &Value) -> Option<Record> {
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        let list = |i: usize| data[i].as_array();
        let clause =
            |entry: &Value| Some((number(&entry[0])?, (number(&entry[1])?, number(&entry[2])?)));
        let measure = |entry: &Value| Some((entry[0].as_str()?.to_string(), entry[1].as_i64()?));
        Some(Record {
            moves: list(0)?.iter().map(number).collect::<Option<_>>()?,
            leads: list(1)?.iter().map(number).collect(),
            clauses: list(2)?.iter().map(clause).collect::<Option<_>>()?,
            first: data[3].as_str().map(String::from),
            winners: number(&data[4]),
            end: number(&data[5])?,
            scores: list(6)?.iter().map(Value::as_i64).collect(),
            measures: list(7)?.iter().map(measure).collect::<Option<_>>()?,
            begins: data.get(8).map_or(Some(0), number)?,
        })
    }
}

/// Plays games of one thread.
pub struct Table<'g> {
    game: &'g Game,
    session: Session<'g>,
    rules: Reference,
    advisor: Advisor<'g>,
}

impl<'g> Table<'g> {
    pub fn new(game: &'g Game) -> Table<'g> {
        let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables))
            .with_budget(Budget::REFERENCE.interrupted_by(interrupt::interrupted));
        let mut session = Session::new(game);
        session.set_budget(Budget::PLAY.interrupted_by(interrupt::interrupted));
        Table { game, session, rules, advisor: Advisor::new(game) }
    }

    /// Plays the game with this number; `None` where it is interrupted.
    ///
    /// # Errors
    /// A rule error.
    pub fn play(
        &mut self,
        setup: &Setup,
        number: u64,
        memory: &mut Memory,
    ) -> Result<Option<Record>, Broken> {
        let two = self.game.program.players.len() == 2;
        let mut chance = Random::for_ply(setup.seed ^ CHANCE, number);
        let mut opening = Random::for_ply(setup.seed ^ OPENING, number);
        let mut record = Record::default();
        let mut state = self.session.opening();
        let mut events = 0;
        loop {
            if interrupt::interrupted() {
                return Ok(None);
            }
            let mut walk = self.session.walk(&state);
            let look = walk.look()?;
            let turn = walk.turn();
            if matches!(look, Look::Over(_)) {
                drop(walk);
                return self.finish(record, &state).map(Some);
            }
            // chance events alone must not go on forever
            let most = setup.max_plies as usize;
            if record.moves.len() >= most || events >= MOST_EVENTS.saturating_mul(most) {
                return Ok(Some(record));
            }
            let mut list: Vec<Candidate> = Vec::new();
            walk.candidates(&mut list);
            if look == Look::Chance {
                let mut weights = Vec::with_capacity(list.len());
                for event in &list {
                    weights.push(walk.weight(*event)?);
                }
                let drawn = chance.weighted(&weights);
                let made = match drawn {
                    Some(drawn) => walk.make(list[drawn])?,
                    None => false,
                };
                if !made {
                    return Ok(Some(record));
                }
                events += 1;
                let next = walk.state();
                drop(walk);
                state = next;
                continue;
            }
            let mut legal = Vec::with_capacity(list.len());
            for candidate in list {
                if walk.make(candidate)? {
                    walk.unmake();
                    legal.push(candidate);
                }
            }
            if legal.is_empty() {
                drop(walk);
                return self.finish(record, &state).map(Some);
            }
            let clause_of = |candidate: &Candidate| {
                self.game.plan.moves.get(usize::from(candidate.clause)).map_or(0, |c| c.clause.0)
            };
            let mut allowed: Vec<u32> = legal.iter().map(clause_of).collect();
            allowed.sort_unstable();
            allowed.dedup();
            for clause in allowed {
                record.clauses.entry(clause).or_default().1 += 1;
            }
            let ply = record.moves.len();
            if ply == 0 {
                record.begins = turn as u32;
            }
            record.moves.push(legal.len() as u32);
            let drawn = setup.player == Player::Random || ply < setup.opening as usize;
            let (chosen, term) = if drawn {
                let chosen = legal[opening.below(legal.len() as u64) as usize];
                let term = (ply == 0).then(|| walk.term(chosen));
                record.leads.push(None);
                (chosen, term)
            } else {
                let terms: Vec<_> = legal.iter().map(|candidate| walk.term(*candidate)).collect();
                drop(walk);
                let advice = match setup.player.is_advised() {
                    true => self.advisor.on(&state, &terms)?,
                    false => Vec::new(),
                };
                let question = Request {
                    state: &state,
                    among: &[],
                    advice: &advice,
                    player: setup.player,
                    limits: setup.limits,
                    threads: 1,
                    seed: Random::for_ply(setup.seed ^ PLAYER ^ number << 20, ply as u64).number(),
                    interrupted: &interrupt::interrupted,
                };
                let choice = choose(&mut self.session, memory, &question)?;
                let found = choice.and_then(|choice| {
                    let at = terms.iter().position(|term| *term == choice.term)?;
                    Some((at, choice.expected))
                });
                let Some((at, expected)) = found else { return Ok(Some(record)) };
                let thousandths = |share: f64| (share.clamp(0.0, 1.0) * 1000.0).round() as u32;
                let lead =
                    expected.filter(|_| two).map(|share| match turn as u32 == record.begins {
                        true => thousandths(share),
                        false => thousandths(1.0 - share),
                    });
                record.leads.push(lead);
                walk = self.session.walk(&state);
                walk.look()?;
                (legal[at], Some(terms[at].clone()))
            };
            if ply == 0 && events == 0 {
                record.first = term.as_ref().map(print_term);
            }
            record.clauses.entry(clause_of(&chosen)).or_default().0 += 1;
            if !walk.make(chosen)? {
                return Ok(Some(record));
            }
            let next = walk.state();
            drop(walk);
            state = next;
        }
    }

    /// The end of a game that is over.
    fn finish(&mut self, mut record: Record, state: &State) -> Result<Record, Broken> {
        let program = &self.game.program;
        record.end = program.ends.len() as u32;
        record.winners = Some(0);
        if let Some(outcome) = self.session.outcome(state)? {
            let number = |clause| program.ends.iter().position(|(_, id)| *id == clause);
            record.end = outcome.clause.and_then(number).unwrap_or(program.ends.len()) as u32;
            let winners = program.players.iter().enumerate();
            let won = winners.filter(|(_, player)| outcome.winners.contains(player));
            record.winners = Some(won.map(|(i, _)| 1 << i).sum());
            record.scores = outcome.scores.unwrap_or_default();
        }
        if program.special.measure.is_some() {
            let all = self.game.facts(state);
            let facts =
                self.rules.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), &[]);
            record.measures = self.rules.measures(&facts)?;
        }
        Ok(record)
    }
}
