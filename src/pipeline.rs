//! The stages from rule file to game as types, each made from the one before by a method of it:
//! [`Syntax`], [`Checked`], [`Grounded`], [`Typed`], [`Planned`], [`Loaded`].

use crate::datalog::{self, Demand, Tables};
use crate::diagnostic::{Diagnostic, Label};
use crate::engine::Game;
use crate::plan::{self, Plan, universe};
use crate::program::{self, Budget, LoadRequest, Program};
use crate::reference;
use crate::source::{FileId, Sources};
use crate::types::{self, Types};

/// The most rows of a recursion whose lists grow with each call, where it can be evaluated call by call instead.
/// They are found in about a tenth of a second.
const FEW_GROWING: usize = 20_000;

/// A game that could not be loaded.
#[derive(Debug)]
pub struct Failure {
    /// The files read, to which the spans of the diagnostics refer.
    pub sources: Sources,
    /// The faults of the rule file, warnings included.
    pub diagnostics: Vec<Diagnostic>,
    /// The faults of the request: an unknown game, a wrong option.
    pub request_faults: Vec<Diagnostic>,
    /// Loading was interrupted ([`LoadRequest::budget`]); there need not be any fault.
    pub interrupted: bool,
}

/// The clauses and directives of the rule file and of the files that it includes.
#[derive(Debug)]
pub struct Syntax {
    /// The files as read.
    pub read: program::Read,
    /// See [`LoadRequest::budget`].
    pub budget: Budget,
}

/// A checked program.
#[derive(Debug)]
pub struct Checked {
    /// The program.
    pub program: Program,
    /// The warnings of the checker.
    pub warnings: Vec<Diagnostic>,
    /// See [`LoadRequest::budget`].
    pub budget: Budget,
}

/// A program with the tables of its static relations.
#[derive(Debug)]
pub struct Grounded {
    /// The checked program.
    pub program: Program,
    /// The rows of its static relations, as far as they were demanded.
    pub tables: Tables,
    /// The warnings so far.
    pub warnings: Vec<Diagnostic>,
    /// See [`LoadRequest::budget`].
    pub budget: Budget,
}

/// A grounded program with the types of its arguments and variables.
#[derive(Debug)]
pub struct Typed {
    /// The checked program, with the compounds that clauses of play build among its values.
    pub program: Program,
    /// The rows of its static relations.
    pub tables: Tables,
    /// What each argument and variable can be.
    pub types: Types,
    /// The warnings so far.
    pub warnings: Vec<Diagnostic>,
    /// See [`LoadRequest::budget`].
    pub budget: Budget,
}

/// A typed program with its plan.
#[derive(Debug)]
pub struct Planned {
    /// The checked program.
    pub program: Program,
    /// The rows of its static relations.
    pub tables: Tables,
    /// What each argument and variable can be.
    pub types: Types,
    /// The blocks of instructions that the engine runs.
    pub plan: Plan,
    /// The warnings so far.
    pub warnings: Vec<Diagnostic>,
}

/// A loaded game and the warnings.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled game.
    pub game: Game,
    /// The warnings of all stages.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the files of a game. Their faults are told by the next stage.
pub fn read(request: &LoadRequest) -> Syntax {
    Syntax { read: program::load(request), budget: request.budget }
}

/// Reads and checks a program.
///
/// # Errors
/// The faults of the rule file and of the request.
pub fn check(request: &LoadRequest) -> Result<Checked, Failure> {
    read(request).check()
}

impl Syntax {
    /// Resolves names and checks the clauses.
    ///
    /// # Errors
    /// The faults of the rule file and of the request.
    pub fn check(self) -> Result<Checked, Failure> {
        let checked = program::check_read(self.read);
        match checked.program {
            Some(program) => {
                Ok(Checked { program, warnings: checked.diagnostics, budget: self.budget })
            }
            None => Err(Failure {
                sources: checked.sources,
                diagnostics: checked.diagnostics,
                request_faults: checked.request_faults,
                interrupted: false,
            }),
        }
    }
}

impl Checked {
    /// Evaluates the static relations as far as `demand` asks for them.
    ///
    /// # Errors
    /// The faults that were found.
    pub fn ground(self, demand: fn(&Program) -> Demand) -> Result<Grounded, Failure> {
        let Checked { mut program, warnings, budget } = self;
        let evaluate = |program: &mut Program, budget| {
            let demand = demand(program);
            datalog::evaluate(program, demand, budget)
        };
        let tables = match program.on_demand() {
            None => evaluate(&mut program, budget),
            Some(on_demand) => {
                let few = Budget { growing: FEW_GROWING, ..budget };
                evaluate(&mut program, few).or_else(|_| {
                    program = on_demand;
                    evaluate(&mut program, budget)
                })
            }
        };
        match tables {
            Ok(mut tables) => match reference::open(&program, &mut tables) {
                Ok(()) => Ok(Grounded { program, tables, warnings, budget }),
                Err(faults) => Err(failure(program, warnings, faults)),
            },
            Err(faults) => {
                let interrupted = faults.is_empty();
                Err(Failure { interrupted, ..failure(program, warnings, faults) })
            }
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

fn not_a_game(program: &Program) -> Diagnostic {
    if program.clauses.is_empty() {
        return Diagnostic::error("not-a-game", "there are no rules in the file")
            .hint("a game begins with its title and its players: `:- game \"Name\".`, `:- players white, black.`");
    }
    Diagnostic::error("not-a-game", "the file is a part of games, not a game")
        .hint("it has neither players, state, moves nor ends: name it in a game's `:- include`")
}

fn interruption(program: Program, warnings: Vec<Diagnostic>) -> Failure {
    Failure { interrupted: true, ..failure(program, warnings, Vec::new()) }
}

impl Grounded {
    /// Infers the types.
    ///
    /// # Errors
    /// Arguments outside of their domains, and domains that are empty or too large; also a file that
    /// is not a game but a part of games.
    pub fn infer(self) -> Result<Typed, Failure> {
        let Grounded { mut program, tables, mut warnings, budget } = self;
        // the stages end early when they are interrupted, and what they return then is not used
        let stopped = || budget.is_over();
        let faults = types::check_state(&program, &tables);
        if !faults.is_empty() {
            return Err(failure(program, warnings, faults));
        }
        let values = std::mem::take(&mut program.values);
        let (mut types, values) = types::infer(&program, values, &tables, &stopped);
        program.values = values;
        if stopped() {
            return Err(interruption(program, warnings));
        }
        let faults = std::mem::take(&mut types.faults);
        let (errors, more): (Vec<_>, Vec<_>) = faults.into_iter().partition(Diagnostic::is_error);
        warnings.extend(more);
        warnings.extend(types::checks::check_dead(&program, &tables));
        warnings.extend(types::checks::check_texts(&program, &tables));
        let slips = types::checks::check(&program, &types);
        warnings.extend(slips.into_iter().filter(|d| !errors.iter().any(|e| explains(e, d))));
        if !errors.is_empty() {
            return Err(failure(program, warnings, errors));
        }
        if program.part {
            let fault = not_a_game(&program);
            return Err(failure(program, warnings, vec![fault]));
        }
        Ok(Typed { program, tables, types, warnings, budget })
    }
}

impl Typed {
    /// Compiles the clauses to a plan.
    ///
    /// # Errors
    /// Faults that only this stage can find: a state that is too large, a goal in play that works at
    /// load only.
    pub fn plan(self) -> Result<Planned, Failure> {
        let Typed { mut program, tables, mut types, warnings, budget } = self;
        let stopped = || budget.is_over();
        // the plan is made from a rewritten program where a recursion counts, or keys are pairs
        let mut recursions = plan::recursions::rewrite(&program, &tables, &types, budget);
        let (seen, seen_tables, seen_types) = match &mut recursions {
            Some(made) => (&mut made.program, &made.tables, &mut made.types),
            None => (&mut program, &tables, &mut types),
        };
        let mut sited = plan::sites::rewrite(seen, seen_tables, seen_types, &stopped);
        let (seen, seen_types, declared) = match &mut sited {
            Some(sited) => {
                let declared = std::mem::take(&mut sited.declared);
                (&mut sited.program, &mut sited.types, declared)
            }
            None => (seen, seen_types, Vec::new()),
        };
        let universes = universe::build(seen, seen_tables, seen_types);
        if stopped() {
            return Err(interruption(program, warnings));
        }
        let rewritten = plan::closures::rewrite(seen, seen_tables, seen_types);
        let lowered =
            plan::lower(seen, seen_tables, seen_types, universes, &rewritten, declared, &stopped);
        rewritten.undo(seen);
        if let Some(of_plan) = sited.map(|s| s.program).or(recursions.map(|r| r.program)) {
            program.values = of_plan.values;
        }
        match lowered {
            Ok(plan) => Ok(Planned { program, tables, types, plan, warnings }),
            Err(faults) => {
                let interrupted = stopped();
                Err(Failure { interrupted, ..failure(program, warnings, faults) })
            }
        }
    }
}

impl Planned {
    /// The game that runs the plan.
    pub fn game(self) -> Loaded {
        let Planned { program, tables, types, plan, warnings } = self;
        Loaded { game: Game::new(program, tables, types, plan), warnings }
    }
}

/// The game by whose moves random games say most of a position (`plan/sensible.rs`). `None` where there is no other one than the
/// game itself. Its positions are those of the game.
pub fn sensible(game: &Game) -> Option<Game> {
    let program = plan::sensible::rewrite(&game.program)?;
    let checked = Checked { program, warnings: Vec::new(), budget: Budget::STATIC };
    let made = compiled(checked).ok()?.game;
    let alike = made.plan.layout == game.plan.layout && made.plan.universes == game.plan.universes;
    alike.then_some(made)
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

/// The stages behind the check.
fn compiled(checked: Checked) -> Result<Loaded, Failure> {
    checked.ground(Demand::of)?.infer()?.plan().map(Planned::game)
}

fn stages(request: &LoadRequest) -> Result<Loaded, Failure> {
    let mut loaded = check(request).and_then(compiled);
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
