//! Games of the search against itself, whose positions are labelled by the result of the game and by what the search
//! thought of the positions behind them.

use crate::engine::{Candidate, Fault, Look, Random, Session, State, Walk};

use super::alphabeta::{DECIDED, Search};
use super::evaluation::Evaluation;
use super::regression::{Sample, share};
use super::table::Table;
use super::tune::{drawn, go_on, leads};
use super::view::View;

/// A game that is not over after this many plies is valued as it stands.
pub(super) const MAX_PLIES: usize = 300;
/// The share of moves drawn at random, of 100.
const RANDOM_MOVES: u64 = 4;
/// The share of a later position in the label of the one before it.
const TRACE: f32 = 0.85;
/// The share of the result in labels; the rest is what the search thought.
const RESULT: f32 = 0.5;
/// The same where dice are thrown all the time.
const LUCKY_RESULT: f32 = 0.2;
/// The most positions that are searched for one move.
const MOST_NODES: u64 = 20_000;
/// The logarithm of the odds of a game that is won.
const SURE: f32 = 50.0;
/// Where dice are thrown, a game shows one position in this many: so the same number of positions comes from more games,
/// and what luck decides counts less.
const SHOWN: u64 = 6;

/// A game of the search against itself.
pub(super) struct Play<'a> {
    pub evaluation: &'a Evaluation,
    /// How many plies are searched.
    pub depth: i16,
    /// How many plies are drawn at random.
    pub opening: u64,
    /// The seed by which estimates vary, so that games do.
    pub noise: u64,
    pub stopped: &'a dyn Fn() -> bool,
    /// A game in which more positions have been searched is valued as it stands.
    pub most: u64,
    pub number: u32,
    /// Dice are thrown all the time, so that a search of more than one ply would cost as much as hundreds of games.
    pub thrown: bool,
    /// The chance events of the game, and its plies with them.
    pub throws: u64,
    pub plies: u64,
}

/// A position of a game.
struct Stage {
    /// `None` for one that is not shown.
    features: Option<Box<[(u32, f32)]>>,
    /// What the first player gains by the judgement of the search, from 0 to 1.
    judged: Option<f32>,
    /// The move made here was drawn at random, so what comes behind says nothing of it.
    drawn: bool,
}

/// Judges the last position by what was found behind it: the logarithm of the odds of the player to move there.
fn judge(stages: &mut [Stage], turn: usize, odds: f32, drawn: bool) {
    if let Some(stage) = stages.last_mut() {
        stage.judged = Some(share(if turn == 0 { odds } else { -odds }));
        stage.drawn = drawn;
    }
}

/// Makes the move that was chosen, or one at random; false where there is none.
fn made(
    walk: &mut dyn Walk,
    chosen: Option<Candidate>,
    look: Look,
    list: &mut Vec<Candidate>,
    random: &mut Random,
) -> Result<bool, Fault> {
    match chosen {
        Some(chosen) => walk.make(chosen),
        None => drawn(walk, look, list, random),
    }
}

impl Play<'_> {
    /// Plays the game and adds its positions to the samples; returns how many positions were searched.
    ///
    /// # Errors
    /// A rule error, or an interruption.
    pub fn game(
        &mut self,
        session: &mut Session<'_>,
        opening: &State,
        random: &mut Random,
        samples: &mut Vec<Sample>,
    ) -> Result<u64, Fault> {
        match self.thrown {
            true => self.thrown_game(session, opening, random, samples),
            false => self.searched_game(session, opening, random, samples),
        }
    }

    /// A game in which each move leads to the position that is worth most, which is valued before dice are thrown.
    fn thrown_game(
        &mut self,
        session: &mut Session<'_>,
        opening: &State,
        random: &mut Random,
        samples: &mut Vec<Sample>,
    ) -> Result<u64, Fault> {
        let valued = session.game().plan.value.is_some();
        let players = self.evaluation.reader.players;
        let mut walk = session.walk(opening);
        let mut stages: Vec<Stage> = Vec::new();
        let mut list: Vec<Candidate> = Vec::new();
        let (mut nodes, mut winners) = (1, None);
        for ply in 0..MAX_PLIES as u64 {
            go_on(self.stopped)?;
            if nodes > self.most {
                break;
            }
            let look = walk.look()?;
            if let Look::Over(won) = look {
                winners = Some(won);
                break;
            }
            list.clear();
            walk.candidates(&mut list);
            self.throws += u64::from(look == Look::Chance);
            self.plies += 1;
            let mut chosen = None;
            if look == Look::Moves {
                nodes += list.len() as u64;
                let draws = ply < self.opening || random.below(100) < RANDOM_MOVES;
                let turn = walk.turn();
                if let Some((best, odds)) = self.best(&mut *walk, &list)? {
                    judge(&mut stages, turn, odds, draws);
                    chosen = (!draws).then_some(best);
                }
            }
            if !made(&mut *walk, chosen, look, &mut list, random)? {
                winners = Some(0);
                break;
            }
            if look == Look::Moves && ply >= self.opening.min(2) {
                let shown = random.below(SHOWN) == 0 && walk.over()?.is_none();
                let features = shown.then(|| self.features(&mut *walk)).transpose()?;
                stages.push(Stage { features, judged: None, drawn: false });
            }
        }
        let leads = match winners.is_none() && valued {
            true => Some(leads(&walk.values()?, players)),
            false => None,
        };
        self.label(stages, winners, leads, samples);
        Ok(nodes)
    }

    /// The move to the position that is worth most to the player to move, and the logarithm of his odds there.
    fn best(
        &self,
        walk: &mut dyn Walk,
        list: &[Candidate],
    ) -> Result<Option<(Candidate, f32)>, Fault> {
        let me = walk.turn();
        let sums = self.evaluation.sums(walk.words(), me);
        let mut best: Option<(Candidate, f32)> = None;
        for candidate in list {
            if !walk.make(*candidate)? {
                continue;
            }
            let odds = match walk.over()? {
                Some(0) => 0.0,
                Some(winners) if winners >> me & 1 == 1 => SURE,
                Some(_) => -SURE,
                None => {
                    let after = self.evaluation.after(&sums, walk.words_before(), walk.words(), me);
                    let values = self.evaluation.reader.values(walk)?;
                    let moment = (walk.turn(), walk.choices());
                    self.evaluation.from_sums(&after, moment, &values, me)
                }
            };
            walk.unmake();
            if best.is_none_or(|(_, most)| odds > most) {
                best = Some((*candidate, odds));
            }
        }
        Ok(best)
    }

    /// The features of a position.
    fn features(&self, walk: &mut dyn Walk) -> Result<Box<[(u32, f32)]>, Fault> {
        let reader = &self.evaluation.reader;
        Ok(reader.list(View::of(walk, reader)?))
    }

    /// A game in which moves are chosen by a search.
    fn searched_game(
        &mut self,
        session: &mut Session<'_>,
        opening: &State,
        random: &mut Random,
        samples: &mut Vec<Sample>,
    ) -> Result<u64, Fault> {
        let game = session.game();
        let players = self.evaluation.reader.players;
        let mut nodes = 1;
        let mut table = Table::default();
        let mut stages: Vec<Stage> = Vec::new();
        let mut list: Vec<Candidate> = Vec::new();
        let mut state = opening.clone();
        let mut winners = None;
        // a search values positions before a throw, which stand for those behind it
        let mut thrown = false;
        for ply in 0..MAX_PLIES as u64 {
            go_on(self.stopped)?;
            if nodes > self.most {
                break;
            }
            let mut walk = session.walk(&state);
            let look = walk.look()?;
            if let Look::Over(won) = look {
                winners = Some(won);
                break;
            }
            let draws = ply < self.opening || random.below(100) < RANDOM_MOVES;
            let mut best = None;
            let mut sure = None;
            if look == Look::Moves {
                let mut search = self.search(&mut *walk, game, &mut table);
                if !draws || players == 2 && ply >= self.opening {
                    let lines = search.run(self.depth, &mut |_, _, _| {})?;
                    nodes += search.nodes;
                    if let Some(line) = lines.first() {
                        best = Some(line.keys[0]);
                        let turn = walk.turn();
                        judge(&mut stages, turn, line.value as f32 / 100.0, draws);
                        if line.value > DECIDED && players == 2 {
                            sure = Some(1 << turn);
                        } else if line.value < -DECIDED && players == 2 {
                            sure = Some(1 << (1 - turn));
                        }
                    }
                }
            }
            if sure.is_some() {
                winners = sure;
                break;
            }
            list.clear();
            // the search has left the walk where it was, but not its candidates
            walk.look()?;
            walk.candidates(&mut list);
            let chosen =
                best.filter(|_| !draws).and_then(|best| list.iter().find(|c| c.key == best));
            nodes += 1;
            if !made(&mut *walk, chosen.copied(), look, &mut list, random)? {
                winners = Some(0);
                break;
            }
            let look = walk.look()?;
            let open = look == Look::Chance || look == Look::Moves && !thrown;
            thrown = look == Look::Chance;
            self.throws += u64::from(thrown);
            self.plies += 1;
            if ply >= self.opening.min(2) && open {
                let mut features = None;
                if thrown {
                    features = Some(self.features(&mut *walk)?);
                } else {
                    let mut search = self.search(&mut *walk, game, &mut table);
                    search.settled(&mut |walk| {
                        features = Some(self.features(walk)?);
                        Ok(())
                    })?;
                    nodes += search.nodes;
                }
                stages.push(Stage { features, judged: None, drawn: false });
            }
            state = walk.state();
        }
        // a game that did not come to its end is judged by the values that the rules define, if any
        let leads = match winners.is_none() && game.plan.value.is_some() {
            true => Some(leads(&session.values(&state)?, players)),
            false => None,
        };
        self.label(stages, winners, leads, samples);
        Ok(nodes)
    }

    fn search<'w>(
        &'w self,
        walk: &'w mut dyn Walk,
        game: &'w crate::engine::Game,
        table: &'w mut Table,
    ) -> Search<'w> {
        let mut search =
            Search::new(walk, game, self.evaluation, table, &|nodes| nodes > MOST_NODES);
        search.noise = self.noise;
        search
    }

    /// Labels the positions of a game, from the last to the first.
    fn label(
        &self,
        stages: Vec<Stage>,
        winners: Option<u8>,
        leads: Option<Vec<f32>>,
        samples: &mut Vec<Sample>,
    ) {
        let players = self.evaluation.reader.players;
        let result = |player: usize| match winners {
            None | Some(0) => 0.5 + leads.as_ref().map_or(0.0, |leads| leads[player]),
            Some(won) if won >> player & 1 == 1 => 1.0 / won.count_ones() as f32,
            Some(_) => 0.0,
        };
        let sample = |features: Option<_>, targets: &[f32]| {
            features.map(|features| Sample { features, targets: targets.into(), game: self.number })
        };
        if players != 2 {
            let targets: Vec<f32> = (0..players).map(result).collect();
            samples.extend(stages.into_iter().filter_map(|stage| sample(stage.features, &targets)));
            return;
        }
        let last = stages.iter().rev().find_map(|stage| stage.judged).unwrap_or(0.5);
        let known = winners.is_some() || leads.is_some();
        let mut result = if known { result(0) } else { last };
        let mut trace = result;
        let weight = if self.thrown { LUCKY_RESULT } else { RESULT };
        for stage in stages.into_iter().rev() {
            if let Some(judged) = stage.judged {
                if stage.drawn {
                    (result, trace) = (judged, judged);
                }
                trace = TRACE * trace + (1.0 - TRACE) * judged;
            }
            let target = weight * result + (1.0 - weight) * trace;
            samples.extend(sample(stage.features, &[target]));
        }
    }
}
