//! Random games of one rule file: at each position the evaluators have the same facts, outcome,
//! moves, positions behind them, rule errors, values and counts.

use std::time::{Duration, Instant};

use ludex::engine::{Budget, Execution, Fault, Game, Perft, Session, State};
use ludex::reference::{Facts, Reference};
use ludex::syntax::{Term, print_term};

use crate::facts::{difference, engine_facts, moves_class, reference_facts, written};
use crate::generate::Dice;
use crate::report::{Find, Question, Report};

/// Random games of a rule file, more where they are short.
const GAMES: u64 = 3;
const SHORT_GAMES: u64 = 8;
const ENOUGH: u64 = 24;
const PLIES: usize = 14;
/// Time for the random games of one rule file.
const PATIENCE: Duration = Duration::from_millis(60);
/// Positions that are compared although they take longer, up to [`MOST_PATIENCE`].
const AT_LEAST: u64 = 12;
const MOST_PATIENCE: Duration = Duration::from_secs(6);
/// Facts of positions behind moves that are compared at one position.
const FACTS: usize = 6_000;
/// Moves of a position behind which machine code is compared.
pub const SUCCESSORS: usize = 80;
/// In one of this many rule files the memory accesses of machine code are checked.
const CHECKED: u64 = 4;
/// Moves up to which the reference counts two plies.
const COUNTED: usize = 12;

const ENGINE: fn() -> Budget = || Budget { answers: 100_000, ..Budget::PLAY };

/// The kind of a rule error.
pub type Code = &'static str;

pub const BUDGET: Code = "play-budget";

/// A move with its weight, and what holds behind it.
type Next<T> = (String, i64, T);

pub fn reference(game: &Game) -> Reference {
    let budget = Budget { steps: 400_000, ..Budget::REFERENCE };
    Reference::new(game.program.clone(), game.tables.clone()).with_budget(budget)
}

/// Stops the comparison without a find.
pub enum Stop {
    Find(Find),
    /// A budget was exceeded on the sides named.
    Budget(String),
}

impl From<Find> for Stop {
    fn from(find: Find) -> Stop {
        Stop::Find(find)
    }
}

pub fn compare(game: &Game, question: &Question, report: &mut Report) -> Result<(), Find> {
    let mut table = Table::new(game, question.native, question.seed);
    let started = Instant::now();
    let mut result = Ok(());
    for number in 0..SHORT_GAMES {
        if number >= GAMES && report.positions >= ENOUGH {
            break;
        }
        let mut dice = Dice::new(question.seed.wrapping_mul(31).wrapping_add(number));
        result = table.game(&mut dice, started, report);
        if result.is_err() || is_over(started, report) {
            break;
        }
    }
    if result.is_ok() {
        result = table.given_games(question.seed, started, report);
    }
    let native = report.spent.get("native").copied().unwrap_or_default();
    report.spent.insert("games".to_string(), milliseconds(started) - native);
    let started = Instant::now();
    if result.is_ok() {
        result = table.playouts();
    }
    if table.native.as_ref().is_some_and(|native| native.native_runs().flawed > 0) {
        return Err(Find::new("native: flawed", "the code generator refuses a function"));
    }
    report.spent.insert("playouts".to_string(), milliseconds(started));
    match result {
        Ok(()) => Ok(()),
        Err(Stop::Find(find)) => Err(find),
        Err(Stop::Budget(sides)) => {
            // the engine gives up where the reference has an answer: too slow
            let line = table.line.join(", ");
            let message = format!("after [{line}]: a budget was exceeded");
            let find = Find::new(format!("budget: {sides}"), message);
            report.budget = Some(sides.clone());
            if sides.contains("reference") { Ok(()) } else { Err(find) }
        }
    }
}

/// The evaluators side by side.
pub struct Table<'g> {
    pub game: &'g Game,
    pub reference: Reference,
    pub plain: Session<'g>,
    pub native: Option<Session<'g>>,
    pub line: Vec<String>,
}

impl<'g> Table<'g> {
    fn new(game: &'g Game, native: bool, seed: u64) -> Table<'g> {
        let mut plain = Session::with(game, Execution::Interpreted);
        plain.set_budget(ENGINE());
        let native = native.then(|| {
            let execution = match seed.is_multiple_of(CHECKED) {
                true => Execution::Checked,
                false => Execution::Native,
            };
            let mut session = Session::with(game, execution);
            session.set_budget(ENGINE());
            session
        });
        Table { game, reference: reference(game), plain, native, line: Vec::new() }
    }

    pub fn code(&self, fault: &Fault) -> Code {
        fault.diagnostic(&self.game.plan, &self.game.program).code
    }

    pub fn find(&self, class: impl Into<String>, message: impl std::fmt::Display) -> Stop {
        let line = self.line.join(", ");
        Stop::Find(Find::new(class, format!("after [{line}]: {message}")))
    }

    /// Both have the same value, or a rule error of the same kind; `None` is the error.
    pub fn agree<T, U>(
        &self,
        stage: &str,
        (left, a): (&str, Result<T, Code>),
        (right, b): (&str, Result<U, Code>),
        report: &mut Report,
    ) -> Result<Option<(T, U)>, Stop> {
        match (a, b) {
            (Ok(a), Ok(b)) => Ok(Some((a, b))),
            (Err(a), Err(b)) if a == b => {
                match a == BUDGET {
                    true => report.budget = Some("all".to_string()),
                    false => report.rule_error = Some(a.to_string()),
                }
                Ok(None)
            }
            (Err(BUDGET), _) => Err(Stop::Budget(left.to_string())),
            (_, Err(BUDGET)) => Err(Stop::Budget(right.to_string())),
            // which of several errors is raised is not laid down where updates are among them
            (Err(a), Err(_)) if right == "reference" => {
                report.rule_error = Some(a.to_string());
                Ok(None)
            }
            (a, b) => {
                let (a, b) = (a.err().unwrap_or("no error"), b.err().unwrap_or("no error"));
                Err(self.find(
                    match (a, b) {
                        ("no error", b) => format!("{stage}: {b} of {right} only"),
                        (a, "no error") => format!("{stage}: {a} of {left} only"),
                        (a, b) => format!("{stage}: {a} of {left}, {b} of {right}"),
                    },
                    format!("{stage}: {left} has {a}, {right} has {b}"),
                ))
            }
        }
    }

    /// One random game.
    fn game(&mut self, dice: &mut Dice, started: Instant, report: &mut Report) -> Result<(), Stop> {
        let opening = (self.plain.opening(), self.reference.opening());
        self.line.clear();
        self.game_from(opening, dice, started, report)
    }

    /// A random game from each position that an example gives.
    fn given_games(
        &mut self,
        seed: u64,
        started: Instant,
        report: &mut Report,
    ) -> Result<(), Stop> {
        for (line, begun) in self.given(report)? {
            self.line = vec![line];
            let mut dice = Dice::new(seed.wrapping_mul(31).wrapping_add(self.line.len() as u64));
            self.game_from(begun, &mut dice, started, report)?;
        }
        Ok(())
    }

    fn game_from(
        &mut self,
        (mut state, mut facts): (State, Facts),
        dice: &mut Dice,
        started: Instant,
        report: &mut Report,
    ) -> Result<(), Stop> {
        for _ in 0..PLIES {
            if is_over(started, report) {
                return Ok(());
            }
            report.positions += 1;
            let Some(next) = self.position(&state, &facts, report)? else { return Ok(()) };
            if next.is_empty() {
                return Ok(());
            }
            let (term, after, behind) = next[dice.below(next.len())].clone();
            self.line.push(term);
            (state, facts) = (after, behind);
        }
        Ok(())
    }

    /// Compares one position; the positions behind its moves, where the game goes on.
    #[allow(clippy::type_complexity)]
    fn position(
        &mut self,
        state: &State,
        facts: &Facts,
        report: &mut Report,
    ) -> Result<Option<Vec<(String, State, Facts)>>, Stop> {
        let mine = written(self.game, &engine_facts(self.game, state));
        let theirs = written(self.game, &reference_facts(self.game, facts));
        if mine != theirs {
            return Err(self.find("facts", difference(&mine, &theirs)));
        }
        let (hash, full) = self.plain.hashes(state);
        if hash != full {
            return Err(self.find("hash", format!("incremental {hash:x}, full {full:x}")));
        }
        match self.plain.build(&self.game.facts(state)) {
            Ok(built) if built.words() == state.words() => {}
            other => return Err(self.find("build", format!("{other:?}"))),
        }
        self.told(facts, report)?;
        let began = Instant::now();
        self.native_position(state, report)?;
        *report.spent.entry("native".to_string()).or_default() += milliseconds(began);
        let mine = self.plain.outcome(state).map_err(|f| self.code(&f));
        let theirs = self.reference.outcome(facts).map_err(|e| e.diagnostic().code);
        let shown = |kind, winners: &Vec<_>, scores: &Option<Vec<_>>, clause| {
            format!("{kind:?} {winners:?} {scores:?} {clause:?}")
        };
        let mine = mine.map(|o| o.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause)));
        let theirs = theirs.map(|o| o.map(|o| shown(o.kind, &o.winners, &o.scores, o.clause)));
        // the engine stops at the first legal move where the reference looks at all: a rule error of
        // the others is one of the moves, not of the end
        if let (Ok(_), Err(code)) = (&mine, &theirs)
            && self.reference.legal_moves(facts).is_err()
            && self.plain.legal_moves(state).map_err(|f| self.code(&f)) == Err(*code)
        {
            report.rule_error = Some((*code).to_string());
            return Ok(None);
        }
        let Some((mine, theirs)) =
            self.agree("outcome", ("engine", mine), ("reference", theirs), report)?
        else {
            return Ok(None);
        };
        if mine != theirs {
            return Err(self.find("outcome", format!("{mine:?}, by the reference {theirs:?}")));
        }
        self.values(state, facts, report)?;
        let next = self.moves(state, facts, report)?;
        Ok(if mine.is_some() { None } else { next })
    }

    /// `value/2`.
    fn values(&mut self, state: &State, facts: &Facts, report: &mut Report) -> Result<(), Stop> {
        let mine = self.plain.values(state).map_err(|f| self.code(&f));
        let players = self.game.program.players.iter();
        let theirs: Result<Vec<_>, _> = players.map(|p| self.reference.value(facts, *p)).collect();
        let theirs = theirs.map_err(|e| e.diagnostic().code);
        let both = self.agree("values", ("engine", mine), ("reference", theirs), report)?;
        if let Some((mine, theirs)) = both
            && mine != theirs
        {
            return Err(self.find("values", format!("{mine:?}, by the reference {theirs:?}")));
        }
        Ok(())
    }

    /// Moves with their weights and the positions behind them.
    #[allow(clippy::type_complexity)]
    fn moves(
        &mut self,
        state: &State,
        facts: &Facts,
        report: &mut Report,
    ) -> Result<Option<Vec<(String, State, Facts)>>, Stop> {
        let before = state.clone();
        let mine = self.plain.successors(state).map_err(|f| self.code(&f));
        if *state != before {
            return Err(self.find("position changed", "by asking for the moves"));
        }
        let listed = self.plain.legal_moves(state).map_err(|f| self.code(&f));
        let theirs = self.successors(facts);
        let Some((mine, theirs)) =
            self.agree("moves", ("engine", mine), ("reference", theirs), report)?
        else {
            return Ok(None);
        };
        let mut mine: Vec<Next<State>> =
            mine.into_iter().map(|(m, s)| (print_term(&m.term), m.weight, s)).collect();
        let mut theirs = theirs;
        mine.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        theirs.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        let terms = |all: &[(String, i64)]| -> Vec<String> {
            all.iter().map(|(m, w)| format!("{m} {w}")).collect()
        };
        let of = |all: &[Next<State>]| all.iter().map(|n| (n.0.clone(), n.1)).collect::<Vec<_>>();
        let of_theirs = theirs.iter().map(|n| (n.0.clone(), n.1)).collect::<Vec<_>>();
        if of(&mine) != of_theirs {
            let class = moves_class(&of(&mine), &of_theirs);
            return Err(self.find(class, difference(&terms(&of(&mine)), &terms(&of_theirs))));
        }
        match listed {
            Ok(listed) => {
                let mut listed: Vec<(String, i64)> =
                    listed.iter().map(|m| (print_term(&m.term), m.weight)).collect();
                listed.sort();
                if listed != of_theirs {
                    let shown = difference(&terms(&listed), &terms(&of_theirs));
                    return Err(self.find("listed moves", shown));
                }
            }
            Err(code) => return Err(self.find(format!("listed moves: {code}"), code)),
        }
        let mut left = FACTS;
        for ((term, _, after), (_, _, behind)) in mine.iter().zip(&theirs) {
            let (mine, theirs) =
                (engine_facts(self.game, after), reference_facts(self.game, behind));
            if mine != theirs {
                let shown = difference(&written(self.game, &mine), &written(self.game, &theirs));
                return Err(self.find("successor", format!("behind {term}: {shown}")));
            }
            left = left.saturating_sub(mine.len());
            if left == 0 {
                break;
            }
        }
        self.counts(state, facts, mine.len())?;
        let pairs = mine.into_iter().zip(theirs);
        Ok(Some(pairs.filter(|(m, _)| m.1 > 0).map(|(m, t)| (m.0, m.2, t.2)).collect()))
    }

    fn successors(&self, facts: &Facts) -> Result<Vec<Next<Facts>>, Code> {
        let code = |e: ludex::reference::RuleError| e.diagnostic().code;
        let next = self.reference.successors(facts).map_err(code)?;
        let events: Vec<(Term, i64)> = match self.game.plan.chance.is_empty() {
            true => Vec::new(),
            false => self.reference.chance_events(facts).map_err(code)?,
        };
        let weight = |mv: &Term| events.iter().find(|(e, _)| e == mv).map_or(1, |(_, w)| *w);
        Ok(next.into_iter().map(|(mv, facts)| (print_term(&mv), weight(&mv), facts)).collect())
    }

    /// Move counts to a small depth.
    fn counts(&mut self, state: &State, facts: &Facts, moves: usize) -> Result<(), Stop> {
        if !self.line.len().is_multiple_of(4) || moves > COUNTED {
            return Ok(());
        }
        let wanted = match self.reference.perft(facts, 2) {
            Ok(wanted) => Ok(wanted),
            Err(e) => Err(e.diagnostic().code),
        };
        for make_leaves in [false, true] {
            let found = perft(&mut self.plain, state, 2, make_leaves).map_err(|f| self.code(&f));
            if found == Err(BUDGET) || wanted == Err(BUDGET) {
                continue;
            }
            // which of several errors is raised is not laid down
            if found != wanted && !(found.is_err() && wanted.is_err()) {
                let what = match (&found, &wanted) {
                    (Ok(_), Ok(_)) => "perft".to_string(),
                    (Ok(_), Err(code)) => format!("perft: {code} of reference only"),
                    (Err(code), _) => format!("perft: {code} of engine only"),
                };
                let shown =
                    format!("{found:?}, by the reference {wanted:?} (leaves made: {make_leaves})");
                return Err(self.find(what, shown));
            }
        }
        Ok(())
    }
}

/// Have the random games of a rule file taken their time?
fn is_over(started: Instant, report: &Report) -> bool {
    let patience = if report.positions >= AT_LEAST { PATIENCE } else { MOST_PATIENCE };
    started.elapsed() > patience
}

pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

pub fn perft(session: &mut Session, state: &State, depth: u32, make: bool) -> Result<u64, Fault> {
    let mut work = Perft::new(&|| false);
    work.make_leaves = make;
    session.perft(state, depth, &mut work)
}
