//! Machine code against the interpreter: the same answers at each position, and the same random
//! games by the same seed.

use std::time::{Duration, Instant};

use ludex::engine::{Candidate, Fault, Look, PlayoutOptions, Playouts, Session, State};
use ludex::syntax::print_term;

use crate::play::{BUDGET, Code, SUCCESSORS, Stop, Table, perft};
use crate::report::Report;

const PLAYOUTS: u64 = 12;
/// Where the moves of a position take longer, each of them is not made once more.
const SOON: Duration = Duration::from_millis(20);
const PLAYOUT_PATIENCE: Duration = Duration::from_millis(30);

/// What a search finds in a position: whether it is over, and the moves or chance events that can be made.
fn walked(session: &mut Session<'_>, state: &State) -> Result<(Look, Vec<String>), Fault> {
    let mut walk = session.walk(state);
    let look = walk.look()?;
    let mut list: Vec<Candidate> = Vec::new();
    if !matches!(look, Look::Over(_)) {
        walk.candidates(&mut list);
    }
    let mut made = Vec::new();
    for candidate in list {
        if walk.make(candidate)? {
            walk.unmake();
            made.push(print_term(&walk.term(candidate)));
        }
    }
    made.sort();
    Ok((look, made))
}

impl<'g> Table<'g> {
    /// Machine code against the interpreter.
    pub fn native_position(&mut self, state: &State, report: &mut Report) -> Result<(), Stop> {
        let Some(mut native) = self.native.take() else { return Ok(()) };
        let result = self.with_native(&mut native, state, report);
        self.native = Some(native);
        result
    }

    fn with_native(
        &mut self,
        native: &mut Session<'g>,
        state: &State,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let code = |f: Fault| f.diagnostic(&self.game.plan, &self.game.program).code;
        let outcomes =
            (native.outcome(state).map_err(code), self.plain.outcome(state).map_err(code));
        self.same("outcome", outcomes, report)?;
        let values = (native.values(state).map_err(code), self.plain.values(state).map_err(code));
        self.same("values", values, report)?;
        let began = Instant::now();
        let few = self.plain.legal_moves(state).is_ok_and(|moves| moves.len() <= SUCCESSORS);
        let soon = began.elapsed() < SOON;
        let moves =
            (native.legal_moves(state).map_err(code), self.plain.legal_moves(state).map_err(code));
        self.same("moves", moves, report)?;
        if few || self.line.is_empty() {
            let next = (
                native.successors(state).map_err(code),
                self.plain.successors(state).map_err(code),
            );
            self.same("successors", next, report)?;
        }
        if few && soon {
            let walks =
                (walked(native, state).map_err(code), walked(&mut self.plain, state).map_err(code));
            self.same("walk", walks, report)?;
        }
        let hashes = (native.hashes(state), self.plain.hashes(state));
        self.same("hashes", (Ok(hashes.0), Ok(hashes.1)), report)?;
        if self.line.len().is_multiple_of(5) && few {
            for (depth, make_leaves) in [(1, false), (1, true), (2, false)] {
                let counts = (
                    perft(native, state, depth, make_leaves).map_err(code),
                    perft(&mut self.plain, state, depth, make_leaves).map_err(code),
                );
                self.same("perft", counts, report)?;
            }
        }
        Ok(())
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &self,
        stage: &str,
        (native, plain): (Result<T, Code>, Result<T, Code>),
        report: &mut Report,
    ) -> Result<(), Stop> {
        let stage = format!("native {stage}");
        match self.agree(&stage, ("native", native), ("interpreted", plain), report)? {
            Some((native, plain)) if native != plain => {
                let shown = apart(&native, &plain);
                Err(self.find(stage, shown))
            }
            _ => Ok(()),
        }
    }

    /// Random games of the engine itself; machine code plays the same by the same seed.
    pub fn playouts(&mut self) -> Result<(), Stop> {
        self.line.clear();
        let (plain, played) = playouts(&mut self.plain, PLAYOUTS, PLAYOUT_PATIENCE);
        let Some(mut native) = self.native.take() else { return Ok(()) };
        // where a rule error ends the games, both meet it
        let games = if plain.0.is_ok() { played } else { PLAYOUTS };
        let (found, _) = playouts(&mut native, games, Duration::MAX);
        self.native = Some(native);
        let codes = |played: &Played| played.0.as_ref().err().map(|f| self.code(f));
        match (codes(&found), codes(&plain)) {
            (None, None) if found == plain => Ok(()),
            (Some(a), Some(b)) if a == b => Ok(()),
            (Some(BUDGET), _) => Err(Stop::Budget("native".to_string())),
            (_, Some(BUDGET)) => Err(Stop::Budget("interpreted".to_string())),
            (a, b) => {
                let shown = format!("native {a:?} {:?}\ninterpreted {b:?} {:?}", found.0, plain.0);
                Err(self.find("native playouts", shown))
            }
        }
    }
}

/// Both values from the place on where they come apart, in as much text as a report has room for.
fn apart<T: std::fmt::Debug>(native: &T, plain: &T) -> String {
    let unplaced = |value: &T| -> Vec<char> {
        let text = format!("{value:?}");
        let mut parts = text.split(", span: Span {");
        let first = parts.next().unwrap_or_default().to_string();
        let rest = parts.map(|part| part.split_once(" }").map_or(part, |(_, rest)| rest));
        std::iter::once(first.as_str()).chain(rest).collect::<String>().chars().collect()
    };
    let (native, plain) = (unplaced(native), unplaced(plain));
    let same = native.iter().zip(&plain).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(80);
    let shown = |text: &[char]| text.iter().skip(from).take(400).collect::<String>();
    format!("native …{}\ninterpreted …{}", shown(&native), shown(&plain))
}

type Played = (Result<Playouts, Fault>, Vec<State>);

/// So many random games at most, fewer where they take long; and how many there were.
fn playouts(session: &mut Session, games: u64, patience: Duration) -> (Played, u64) {
    let opening = session.opening();
    let mut last = Vec::new();
    let started = Instant::now();
    let mut played = 0;
    let result = session.playouts(
        &opening,
        &mut PlayoutOptions {
            seed: 1,
            max_plies: 40,
            go_on: &mut |so_far| {
                played = so_far.games;
                so_far.games < games && started.elapsed() < patience
            },
            finished: Some(&mut |state| last.push(state.clone())),
            seen: None,
        },
    );
    ((result, last), played)
}
