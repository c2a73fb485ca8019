//! The stages from source to game as types. Each is made from the one before: source, syntax, program,
//! tables, plan, game.

use std::sync::Arc;

use crate::datalog::{self, Budget, Demand, Tables};
use crate::diagnostic::{Diagnostic, Label};
use crate::engine::Game;
use crate::plan::{self, domains, universe};
use crate::program::{self, LoadRequest, Program};
use crate::source::{FileId, Sources};
use crate::types;

/// A game that could not be loaded.
#[derive(Debug)]
pub struct Failure {
    /// The files read, to which the spans of the diagnostics refer.
    pub sources: Sources,
    /// The faults of the rule file, warnings included.
    pub diagnostics: Vec<Diagnostic>,
    /// The faults of the request: an unknown game, a wrong option.
    pub request_faults: Vec<Diagnostic>,
    /// Loading was interrupted ([`LoadRequest::interrupted`]); there need not be any fault.
    pub interrupted: bool,
}

/// A program with the tables of its static relations.
#[derive(Debug)]
pub struct Grounded {
    /// The checked program.
    pub program: Program,
    /// The rows of its static relations, as far as they were demanded.
    pub tables: Tables,
    /// The warnings of the checker.
    pub warnings: Vec<Diagnostic>,
    /// See [`LoadRequest::interrupted`].
    pub interrupted: Option<fn() -> bool>,
}

/// A loaded game and the warnings.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled game.
    pub game: Game,
    /// The warnings of all stages.
    pub warnings: Vec<Diagnostic>,
}

/// Reads and checks a program, and evaluates its static relations as far as `demand` asks for them.
///
/// # Errors
/// The faults that were found.
pub fn ground(request: &LoadRequest, demand: fn(&Program) -> Demand) -> Result<Grounded, Failure> {
    let checked = program::check(request);
    let Some(mut program) = checked.program else {
        return Err(Failure {
            sources: checked.sources,
            diagnostics: checked.diagnostics,
            request_faults: checked.request_faults,
            interrupted: false,
        });
    };
    let warnings = checked.diagnostics;
    let budget = Budget { interrupted: request.interrupted, ..Budget::default() };
    let demand = demand(&program);
    match datalog::evaluate(&mut program, demand, budget) {
        Ok(tables) => Ok(Grounded { program, tables, warnings, interrupted: request.interrupted }),
        Err(faults) => {
            let interrupted = faults.is_empty();
            Err(Failure { interrupted, ..failure(program, warnings, faults) })
        }
    }
}

fn failure(program: Program, warnings: Vec<Diagnostic>, faults: Vec<Diagnostic>) -> Failure {
    let diagnostics = warnings.into_iter().chain(faults).collect();
    Failure {
        sources: program.sources,
        diagnostics,
        request_faults: Vec::new(),
        interrupted: false,
    }
}

fn not_a_game() -> Diagnostic {
    Diagnostic::error("not-a-game", "the file is a part of games, not a game")
        .hint("it has neither players, state, moves nor ends: name it in a game's `:- include`")
}

impl Grounded {
    /// Infers domains and compiles the clauses to a plan.
    ///
    /// # Errors
    /// Faults that only these stages can find, such as arguments outside their domain and domains that
    /// are empty or too large; also a file that is not a game but a part of games.
    pub fn compile(self) -> Result<Loaded, Failure> {
        let Grounded { mut program, tables, mut warnings, interrupted } = self;
        // the stages end early when they are interrupted, and what they return then is not used
        let stopped = || interrupted.is_some_and(|interrupted| interrupted());
        let faults = domains::check_state(&program, &tables);
        if !faults.is_empty() {
            return Err(failure(program, warnings, faults));
        }
        let values = std::mem::take(&mut program.values);
        let (mut types, values) = types::infer(&program, values, &tables, &stopped);
        program.values = values;
        if stopped() {
            return Err(Failure { interrupted: true, ..failure(program, warnings, Vec::new()) });
        }
        let faults = std::mem::take(&mut types.faults);
        let (errors, more): (Vec<_>, Vec<_>) = faults.into_iter().partition(Diagnostic::is_error);
        warnings.extend(more);
        warnings.extend(plan::check_dead(&program, &tables));
        let slips = types::checks::check(&program, &types);
        warnings.extend(slips.into_iter().filter(|d| !errors.iter().any(|e| explains(e, d))));
        if !errors.is_empty() {
            return Err(failure(program, warnings, errors));
        }
        if program.part {
            return Err(failure(program, warnings, vec![not_a_game()]));
        }
        let universes = universe::build(&program, &tables);
        if stopped() {
            return Err(Failure { interrupted: true, ..failure(program, warnings, Vec::new()) });
        }
        let rewritten = plan::closures::rewrite(&mut program, &mut types);
        let lowered = plan::lower(&program, &tables, &types, universes, &rewritten, &stopped);
        rewritten.undo(&mut program);
        match lowered {
            Ok(plan) => {
                let game = Game {
                    program: Arc::new(program),
                    tables: Arc::new(tables),
                    types: Arc::new(types),
                    plan: Arc::new(plan),
                    code: crate::engine::NativeCode::default(),
                };
                Ok(Loaded { game, warnings })
            }
            Err(faults) => {
                let interrupted = stopped();
                Err(Failure { interrupted, ..failure(program, warnings, faults) })
            }
        }
    }
}

/// Whether an error lies within the place of a warning, which then need not be shown.
fn explains(error: &Diagnostic, warning: &Diagnostic) -> bool {
    let (Some(a), Some(b)) = (error.labels.first(), warning.labels.first()) else { return false };
    a.span.file == b.span.file && b.span.start <= a.span.start && a.span.end <= b.span.end
}

/// Loads a game: runs all stages in order.
///
/// # Errors
/// The faults that were found.
pub fn load(request: &LoadRequest) -> Result<Loaded, Failure> {
    stages(request).map_err(|failure| by_options(request, failure))
}

fn stages(request: &LoadRequest) -> Result<Loaded, Failure> {
    let mut loaded = ground(request, Demand::of).and_then(Grounded::compile);
    match &mut loaded {
        Ok(loaded) => own_line_first(&loaded.game.program.sources, &mut loaded.warnings),
        Err(failure) => own_line_first(&failure.sources, &mut failure.diagnostics),
    }
    loaded
}

/// Gives diagnostics about an included file a primary place in the game's own file: a label of the
/// diagnostic itself, or the directive that leads to the included file.
fn own_line_first(sources: &Sources, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let Some(first) = diagnostic.labels.first().map(|l| l.span.file) else { continue };
        let Some(asked) = sources.asked_from_first(first) else { continue };
        match diagnostic.labels.iter().position(|l| l.span.file == FileId(0)) {
            Some(own) => diagnostic.labels[..=own].rotate_right(1),
            None => {
                let text = "asked for here".to_string();
                diagnostic.labels.insert(0, Label { span: asked, text });
            }
        }
    }
}

/// Rules that are right with the default options and wrong with those of the request: the failure
/// then names the options that are at fault.
fn by_options(request: &LoadRequest, failure: Failure) -> Failure {
    let Some(first) = failure.diagnostics.iter().find(|d| d.is_error()) else { return failure };
    if failure.interrupted || !failure.request_faults.is_empty() || request.options.is_empty() {
        return failure;
    }
    let set = |options: Vec<(String, String)>| LoadRequest { options, ..request.clone() };
    let Ok(default) = stages(&set(Vec::new())) else { return failure };
    let without = |name: &str| -> Vec<(String, String)> {
        request.options.iter().filter(|(n, _)| n != name).cloned().collect()
    };
    // the option without which the others do no harm, or else all of them together
    let alone = request
        .options
        .iter()
        .rev()
        .find(|(name, _)| request.options.len() == 1 || stages(&set(without(name))).is_ok());
    let guilty: Vec<&(String, String)> = match alone {
        Some(option) => vec![option],
        None => request.options.iter().collect(),
    };
    let shown: Vec<String> =
        guilty.iter().map(|(name, value)| format!("`{name} = {value}`")).collect();
    let what = if guilty.len() == 1 { "the option" } else { "the options" };
    let message = format!("{what} {} cannot be: {}", shown.join(" and "), first.message);
    let mut fault = Diagnostic::error("option-value", message);
    fault.labels.clone_from(&first.labels);
    let program = &default.game.program;
    let usual = guilty.iter().filter_map(|(name, _)| {
        let option = program.options.get(name)?;
        Some(format!("`{name} = {}`", program.values.show(option.default)))
    });
    let usual: Vec<String> = usual.collect();
    let fault = fault.hint(format!("the rules fit {}, for example", usual.join(" and ")));
    Failure { request_faults: vec![fault], diagnostics: Vec::new(), ..failure }
}
