//! `ludex show`: the result of each stage for a game.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::board::{self, Board};
use crate::datalog::{Demand, Tables};
use crate::diagnostic::Diagnostic;
use crate::pipeline;
use crate::plan::print_plan;
use crate::program::{self, Kind, LoadRequest, Program, RelationId, print_program};
use crate::render::{self, Scene};
use crate::syntax::{print_clause, read_file};

use super::tokens;
use crate::referee::{Evaluator, Referee, Stop};
use crate::study::code;
use crate::ui::arguments::{GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::start;

/// A stage, named by its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The clauses as parsed.
    Syntax,
    /// The relations with their kinds and strata.
    Program,
    /// The answers of the static relations.
    Tables,
    /// The sites and their neighbours.
    Board,
    /// The position as text, which `--position` reads.
    Position,
    /// The instructions that the engine runs.
    Plan,
    /// The functions of the plan: which are machine code, and why others are not.
    Code,
    /// The size of the rules in tokens: names, variables, numbers, texts, operators, brackets, commas and full
    /// stops, each one token. Not counted are comments; the directives `game`, `about`, `example` and `perft`;
    /// the clauses of `notation/2`, `notation/3`, `suffix/2`, `alias/2`, `says/2`, `record/2`, `record_tag/3`, `glyph/2`,
    /// `figure/2`, `look/1`, `shaded/1`, `shows/3`, `letter/2`, `prompt/1`, `status/1`, `status/2`, `position_field/3`, `position_mark/3`, `position_item/5`, `advice/3`, `value/2`,
    /// `source/1` and `family/1`. The game's own file, the bases of a variant and what is included are told apart.
    Tokens,
}

/// Shows the result of a stage for a game.
#[derive(Debug, Args)]
pub struct ShowArguments {
    #[arg(value_enum)]
    stage: Stage,

    #[command(flatten)]
    game: GameArguments,

    /// Prints a graph for Graphviz (program and board).
    #[arg(long, conflicts_with_all = ["svg", "json"])]
    dot: bool,

    /// Prints an SVG picture (board).
    #[arg(long, conflicts_with = "json")]
    svg: bool,

    /// Prints only this relation, e.g. `line/2` (tables).
    #[arg(long, value_name = "NAME/ARITY")]
    relation: Option<String>,

    #[command(flatten)]
    start: StartArguments,

    /// Writes the position as lists, in a form that the game has, e.g. `pdn` (position).
    #[arg(long, value_name = "NAME")]
    notation: Option<String>,

    /// Prints JSON (tables, board, code and tokens).
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let graphs = [Stage::Program, Stage::Board].contains(&arguments.stage);
    let data = [Stage::Tables, Stage::Board, Stage::Code, Stage::Tokens].contains(&arguments.stage);
    let started = arguments.start.after.is_some() || arguments.start.given.is_some();
    let wrong = [
        (arguments.dot && !graphs, "--dot draws only the program and the board"),
        (arguments.svg && arguments.stage != Stage::Board, "--svg draws only the board"),
        (
            arguments.json && !data,
            "--json is there for the tables, the board, the code and the tokens",
        ),
        (
            arguments.relation.is_some() && arguments.stage != Stage::Tables,
            "--relation chooses among the tables",
        ),
        (
            started && ![Stage::Board, Stage::Position].contains(&arguments.stage),
            "--after and --given are for the board and the position",
        ),
        (
            arguments.notation.is_some() && arguments.stage != Stage::Position,
            "--notation is for the position",
        ),
    ];
    if let Some((_, text)) = wrong.iter().find(|(wrong, _)| *wrong) {
        return Err(Stop::Usage((*text).to_string()));
    }
    match arguments.stage {
        Stage::Syntax => syntax(arguments, console),
        Stage::Program => program(arguments, console),
        Stage::Tables => tables(arguments, console),
        Stage::Board => board(arguments, console),
        Stage::Position => written(arguments, console),
        Stage::Plan => {
            let game = open::game(&arguments.game.request())?;
            console.text(print_plan(&game.plan, &game.program))
        }
        Stage::Code => code::show(&open::game(&arguments.game.request())?, arguments.json, console),
        Stage::Tokens => {
            tokens::show(&checked(&arguments.game.request())?, arguments.json, console)
        }
    }
}

/// The checked program.
fn checked(request: &LoadRequest) -> Result<Program, Stop> {
    let checked = program::check(request);
    checked.program.ok_or_else(|| {
        open::stop(pipeline::Failure {
            sources: checked.sources,
            diagnostics: checked.diagnostics,
            request_faults: checked.request_faults,
            interrupted: false,
        })
    })
}

/// Prints the clauses of every file, also where later stages fail.
fn syntax(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let checked = program::check(&arguments.game.request());
    if checked.sources.iter().next().is_none() {
        let (sources, diagnostics) = (checked.sources, checked.request_faults);
        return Err(Stop::Diagnosed { sources, diagnostics, code: 2 });
    }
    let mut faults: Vec<Diagnostic> = Vec::new();
    for (i, (id, file)) in checked.sources.iter().enumerate() {
        console.line(format!("{}% {}", if i > 0 { "\n" } else { "" }, file.name))?;
        let (read, wrong) = read_file(&checked.sources, id);
        for clause in &read.clauses {
            console.line(print_clause(clause))?;
        }
        faults.extend(wrong);
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Stop::Diagnosed { sources: checked.sources, diagnostics: faults, code: 1 }),
    }
}

fn program(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let program = checked(&arguments.game.request())?;
    match arguments.dot {
        true => console.text(program::to_dot(&program)),
        false => console.text(print_program(&program)),
    }
}

fn tables(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let grounded =
        pipeline::check(&arguments.game.request()).and_then(|c| c.ground(Demand::everything));
    let grounded = grounded.map_err(open::stop)?;
    let (program, tables) = (&grounded.program, &grounded.tables);
    let mut relations = statics(program);
    if let Some(wanted) = &arguments.relation {
        let known = |id: &RelationId| {
            let relation = program.relation(*id);
            relation.indicator() == *wanted || relation.name == *wanted
        };
        relations.retain(known);
        if relations.is_empty() {
            return Err(Stop::Usage(format!("no static relation is called `{wanted}`")));
        }
    }
    if arguments.json {
        let mut all = serde_json::Map::new();
        for id in relations {
            let rows: Vec<Value> = tables
                .get(id)
                .rows()
                .map(|row| row.iter().map(|v| json!(program.values.show(*v))).collect())
                .collect();
            all.insert(program.relation(id).indicator(), Value::Array(rows));
        }
        return console.json(&Value::Object(all));
    }
    for id in relations {
        table(program, tables, id, console)?;
    }
    Ok(())
}

/// The static relations that have a name in the rule files, by name.
fn statics(program: &Program) -> Vec<RelationId> {
    let mut all: Vec<RelationId> = (0..program.relations.len() as u32)
        .map(RelationId)
        .filter(|id| {
            let relation = program.relation(*id);
            relation.kind == Kind::Static && (relation.built_in || !relation.clauses.is_empty())
        })
        .collect();
    all.sort_by_key(|id| {
        let relation = program.relation(*id);
        (relation.name.clone(), relation.arity)
    });
    all
}

fn table(
    program: &Program,
    tables: &Tables,
    id: RelationId,
    console: &Console,
) -> Result<(), Stop> {
    let (relation, table) = (program.relation(id), tables.get(id));
    let answers = if table.len() == 1 { "answer" } else { "answers" };
    console.line(format!("% {}: {} {answers}", relation.indicator(), table.len()))?;
    for row in table.rows() {
        let values = program.values.show_all(&row);
        let arguments = if row.is_empty() { String::new() } else { format!("({values})") };
        console.line(format!("{}{arguments}.", relation.name))?;
    }
    console.line("")
}

fn board(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let track = start::track(&mut referee, &arguments.start)?;
    let picture = match track.last() {
        Some(last) => referee.picture_after(&track.position, &last)?,
        None => referee.picture(&referee.facts(&track.position))?,
    };
    let title = &game.program.title;
    let Some(board) = &referee.view.board else {
        return Err(Stop::Failed(format!("{title} has no board: no relation `xy/3` places sites")));
    };
    if arguments.dot {
        return console.text(board::to_dot(board, title));
    }
    if arguments.svg {
        return console.text(render::to_svg(
            board,
            &Scene { picture, caption: String::new() },
            title,
        ));
    }
    if arguments.json {
        return console.json(&data(board, &picture.shown));
    }
    console.text(referee.view.text(&picture, console.width()))?;
    let joined: usize = board.sites().map(|(id, _)| board.neighbours(id).len()).sum();
    console.line(format!("{} sites, {joined} steps to a neighbour", board.len()))
}

/// Prints a position as text.
fn written(arguments: &ShowArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let position = start::position(&mut referee, &arguments.start)?;
    let facts = referee.facts(&position);
    let Some(name) = &arguments.notation else {
        return console.line(referee.position_text(&facts)?);
    };
    match referee.rules.listed_text(&facts, name).map_err(|error| referee.stopped(error))? {
        Some((text, _)) => console.line(text),
        None => {
            let forms = referee.rules.listed_forms().map_err(|error| referee.stopped(error))?;
            let known: Vec<String> = forms.iter().map(|name| format!("`{name}`")).collect();
            let told = match known.as_slice() {
                [] => "it has none: clauses of `position_item/5` describe one".to_string(),
                known => format!("it has {}", known.join(", ")),
            };
            let title = &game.program.title;
            Err(Stop::Usage(format!("{title} has no positions in the form `{name}`: {told}")))
        }
    }
}

fn data(board: &Board, shown: &[Option<String>]) -> Value {
    let site = |id| board.site(id).name.clone();
    let sites: Vec<Value> = board
        .sites()
        .zip(shown)
        .map(|((id, s), content)| {
            let near: Vec<String> = board.neighbours(id).into_iter().map(site).collect();
            json!({ "name": s.name, "x": s.x, "y": s.y, "shows": content, "neighbours": near })
        })
        .collect();
    let drawn: Vec<Value> = board.drawn.iter().map(|(a, b)| json!([site(*a), site(*b)])).collect();
    json!({ "sites": sites, "drawn": drawn })
}
