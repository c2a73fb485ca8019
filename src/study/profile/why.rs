//! What is slow and why, in sentences.
//!
//! Each sentence rests on the form in which the plan implements a clause or goal, and on its
//! counts. A recursive or called relation is described as a whole, a move's clause by how its
//! candidates are found and tried, and a goal by the instruction in which it spends its own time.

use indexmap::IndexMap;

use crate::engine::Game;
use crate::plan::{
    Answer, MoveClause, Op, OpId, Procedure, Recursion, Rerun, Risk, Untabled, WrittenId,
};
use crate::program::{ClauseId, RelationId};
use crate::referee::interrupt;
use crate::study::code;

use super::forms::{Form, head, on_one_line, reason};
use super::tree::Tree;

/// A sentence about something slow.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The share of the time, in hundredths.
    pub share: f64,
    pub text: String,
    /// The page of the documentation that says more.
    pub see: Option<&'static str>,
}

/// The least share of the time, in hundredths, that is reported.
const LEAST: f64 = 8.0;
/// The same for the engine's work around the clauses, on which the rules have little influence.
const LEAST_OUTSIDE: f64 = 25.0;
/// The largest number of sentences.
const MOST: usize = 5;
/// The same for a clause of which no goal is slow in itself.
const LEAST_CLAUSE: f64 = 20.0;
/// The least number of tried candidates for each played move that is reported.
const TRIED: f64 = 1.5;
/// The least part of a clause's share for which a goal is named with the clause.
const MOST_PART: f64 = 0.3;

const TABLES: &str = "docs/performance.md#what-becomes-a-flood-and-what-a-table";
const SETS: &str = "docs/performance.md#what-becomes-a-set";
const TRIES: &str = "docs/performance.md#what-becomes-a-segment-and-what-is-tried";
const COSTS: &str = "docs/performance.md#what-costs-time";

/// What is slow, the most expensive first.
pub fn findings(tree: &Tree<'_>) -> Vec<Finding> {
    let (mut all, mut told) = relations(tree);
    for clause in tree.game.plan.moves.iter().chain(&tree.game.plan.chance) {
        if let Some(finding) = move_finding(tree, clause) {
            all.push(finding);
            told.push(tree.game.program.clause(clause.clause).relation);
        }
    }
    let (found, of) = goals(tree, &told);
    all.extend(found);
    told.extend(of);
    all.extend(clauses(tree, &told));
    let outside = tree.share(tree.measured.outside);
    if outside >= LEAST_OUTSIDE {
        all.push(Finding { share: outside, text: around(tree, outside), see: None });
    }
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    all.truncate(MOST);
    if all.is_empty() {
        let text = "No clause takes much more of the time than others.".to_string();
        all.push(Finding { share: 0.0, text, see: None });
    }
    all
}

/// Functions that are left to the interpreter, with the reason.
pub fn interpreted(game: &Game) -> Vec<(String, String)> {
    let Some(report) = game.code.report(&game.plan, &interrupt::interrupted) else {
        return Vec::new();
    };
    let named = |function| match code::place(game, function) {
        place if place.is_empty() => code::purpose(game, function),
        place => format!("{} ({place})", code::purpose(game, function)),
    };
    report.left().map(|(function, lack)| (named(function), lack.text(&game.plan))).collect()
}

/// How often something is done per ply, in words.
fn per_ply(tree: &Tree<'_>, n: u64) -> String {
    match n as f64 / tree.measured.plies().max(1) as f64 {
        often if often >= 10.0 => format!("{often:.0} times a ply"),
        often if often >= 0.1 => format!("{often:.1} times a ply"),
        _ if n > 0 => format!("once in {} plies", tree.measured.plies() / n),
        _ => "never".to_string(),
    }
}

/// The counts of the procedures of one relation.
struct Relation<'a> {
    procedures: Vec<(u32, &'a Procedure)>,
    share: f64,
}

/// The findings about expensive called relations, and these relations.
fn relations(tree: &Tree<'_>) -> (Vec<Finding>, Vec<RelationId>) {
    let (plan, program) = (&tree.game.plan, &tree.game.program);
    let mut all: IndexMap<RelationId, Relation<'_>> = IndexMap::new();
    for (number, procedure) in (0..).zip(&plan.procedures) {
        let Some(body) = procedure.clauses.first() else { continue };
        let id = program.clause(body.clause).relation;
        let empty = || Relation { procedures: Vec::new(), share: 0.0 };
        all.entry(id).or_insert_with(empty).procedures.push((number, procedure));
    }
    for clause in &tree.clauses {
        if let Some(relation) = all.get_mut(&program.clause(clause.id).relation) {
            relation.share += tree.share(clause.samples);
        }
    }
    all.retain(|_, relation| relation.share >= LEAST);
    all.iter()
        .filter_map(|(id, relation)| Some((relation_finding(tree, *id, relation)?, *id)))
        .unzip()
}

fn relation_finding(tree: &Tree<'_>, id: RelationId, of: &Relation<'_>) -> Option<Finding> {
    let program = &tree.game.program;
    let first = program.clause(*program.relation(id).clauses.first()?);
    // where it is compiled for several ways of calling it, the costliest one
    let (_, procedure) = of.procedures.iter().min_by_key(|(_, p)| match p.recursion {
        Recursion::Tabled { .. } => 0,
        Recursion::Flood { .. } => 1,
        Recursion::Plain => 2,
        Recursion::None => 3,
    })?;
    let by = called(tree, &of.procedures);
    let asked = per_ply(tree, by.iter().map(|(_, runs)| runs).sum());
    let caller = by.first().map_or(String::new(), |(goal, _)| {
        format!(", most by `{}` at {}", goal_name(tree, *goal), place_name(tree, *goal))
    });
    let made = per_ply(tree, begun(tree, procedure));
    let what = match &procedure.recursion {
        Recursion::Tabled { untabled: Untabled::Ends | Untabled::Tried, .. } => {
            format!(
                "a recursion that calls itself as it is written; it is asked for {asked}{caller}"
            )
        }
        Recursion::Tabled { because, .. } => {
            // where each clause calls the relation, nothing tells one filling from the next
            let filled = match begun(tree, procedure) {
                0 => String::new(),
                _ => format!(", {made}"),
            };
            format!(
                "a table, as {}. It is filled again for each position and each value that it is \
                 asked for{filled}, and asked for {asked}{caller}",
                reason(because, id, program),
            )
        }
        Recursion::Flood { .. } => {
            format!("a flood, which is made {made} and asked for {asked}{caller}")
        }
        Recursion::Plain => {
            format!("an action that calls itself; it is begun {asked}{caller}, and run {made}")
        }
        Recursion::None => {
            let clauses = match procedure.clauses.len() {
                1 => "one clause that is called".to_string(),
                n => format!("{n} clauses that are called"),
            };
            let how = match procedure.answer {
                _ if procedure.action => "as an action",
                Answer::Test => "as a test of given values",
                Answer::Set => "for a set of values",
                Answer::Tuples => "for answers that are gone through one by one",
            };
            format!("{clauses} {asked} {how}{caller}")
        }
    };
    let see = match &procedure.recursion {
        Recursion::Tabled { .. } | Recursion::Flood { .. } => TABLES,
        Recursion::Plain => TRIES,
        Recursion::None => COSTS,
    };
    let most = most_within(tree, |clause| program.clause(clause).relation == id, of.share);
    let name = program.relation(id).indicator();
    let (share, place) = (of.share, program.sources.place(first.span));
    let text = format!("{share:.0} % of the time goes into `{name}` at {place}: {what}.{most}");
    Some(Finding { share, text, see: Some(see) })
}

/// How often the clauses of a procedure were begun, without the repetitions by rounds of a flood or
/// new answers of a table.
fn begun(tree: &Tree<'_>, procedure: &Procedure) -> u64 {
    let once = |number: usize| match &procedure.recursion {
        Recursion::Tabled { reruns, .. } => reruns[number] == Rerun::Never,
        Recursion::Flood { seeds, .. } => seeds[number],
        Recursion::Plain | Recursion::None => true,
    };
    let runs = procedure.clauses.iter().enumerate().filter(|(number, _)| once(*number));
    runs.map(|(_, body)| tree.runs(OpId::first(body.start))).max().unwrap_or(0)
}

/// The goals that call a relation, each with its number of calls, the most frequent first. Goals of
/// the relation's own clauses do not count.
fn called(tree: &Tree<'_>, of: &[(u32, &Procedure)]) -> Vec<(WrittenId, u64)> {
    let plan = &tree.game.plan;
    let own: Vec<ClauseId> =
        of.iter().flat_map(|(_, p)| &p.clauses).map(|body| body.clause).collect();
    let mut all: IndexMap<WrittenId, u64> = IndexMap::new();
    for id in plan.blocks.ids() {
        let (Op::Call { procedure, .. }
        | Op::Test { procedure, .. }
        | Op::GatherCall { procedure, .. }) = plan.blocks.op(id)
        else {
            continue;
        };
        let goal = plan.blocks.written(id);
        let inside = plan.written.get(goal).is_some_and(|written| own.contains(&written.clause));
        if of.iter().any(|(number, _)| number == procedure) && !inside {
            *all.entry(goal).or_insert(0) += tree.runs(id);
        }
    }
    let mut all: Vec<(WrittenId, u64)> = all.into_iter().filter(|(_, runs)| *runs > 0).collect();
    all.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    all
}

/// The goal of some clauses that itself takes the largest part of their share, if that part is
/// large.
fn most_within(tree: &Tree<'_>, of: impl Fn(ClauseId) -> bool, share: f64) -> String {
    let plan = &tree.game.plan;
    let clause = |id: WrittenId| {
        let root = plan.written.around(id).last().filter(|root| *root != id)?;
        Some(plan.written.get(root)?.clause)
    };
    let within = tree.goals.iter().filter(|(id, _)| clause(**id).is_some_and(&of));
    let Some((id, goal)) = within.max_by_key(|(id, goal)| (goal.own, std::cmp::Reverse(**id)))
    else {
        return String::new();
    };
    let own = tree.share(goal.own);
    if own < share * MOST_PART {
        return String::new();
    }
    let name = goal_name(tree, *id);
    let form = goal.forms.first().map_or(String::new(), |form| format!("{}, ", form.name()));
    let tried = per_ply(tree, goal.tried);
    format!(
        " The goal `{name}` ({form}tried {tried}) at {} takes {own:.0} %.",
        place_name(tree, *id)
    )
}

/// The finding about a move's clause whose candidates are tried, or played to find them.
fn move_finding(tree: &Tree<'_>, clause: &MoveClause) -> Option<Finding> {
    let profile = tree.clauses.iter().find(|c| c.id == clause.clause)?;
    let share = tree.share(profile.samples);
    let (name, place) = (head(&tree.game.program, clause.clause), place_name(tree, profile.root));
    let of = format!("`{name}` at {place}");
    let commits = |start| {
        let mut played = 0;
        tree.game.plan.blocks.each(start, &mut |id, op, _| {
            played += if matches!(op, Op::Commit) { tree.runs(id) } else { 0 };
        });
        played
    };
    let most = most_within(tree, |id| id == clause.clause, share);
    let finding =
        |text: String| Some(Finding { share, text: format!("{text}{most}"), see: Some(TRIES) });
    let several = || {
        clause.several.map_or(String::new(), |id| {
            let (name, place) = (goal_name(tree, id), place_name(tree, id));
            format!(", as `{name}` at {place} may have several answers")
        })
    };
    if clause.all_ways && share >= LEAST {
        return finding(format!(
            "{share:.0} % of the time goes into {of}: its action may have several ways{}, so all of \
             them are taken and compared where a move is played.",
            several()
        ));
    }
    if clause.branching && share >= LEAST {
        let (played, several) = (commits(clause.generate.start), several());
        return finding(format!(
            "{share:.0} % of the time goes into {of}: it branches behind its first update{several}, \
             so each of its moves is played to find the moves, {}.",
            per_ply(tree, played)
        ));
    }
    if clause.updates && !clause.branching && share >= LEAST {
        return finding(format!(
            "{share:.0} % of the time goes into {of}: its last choice reads what its updates write, \
             so these are made and undone to find its candidates."
        ));
    }
    let apply = clause.apply.filter(|_| clause.tested)?;
    let (tried, played) = (tree.runs(OpId::first(apply)), commits(apply));
    // the relations that a trial calls are reported separately
    let many = tried as f64 > TRIED * played.max(1) as f64
        && tried as f64 > TRIED * tree.measured.plies() as f64;
    if !many {
        return None;
    }
    finding(format!(
        "The candidates of {of} are tried, as goals behind its updates may fail: {tried} were tried \
         and {played} of them were legal, in {} plies; it takes {share:.0} % itself.",
        tree.measured.plies()
    ))
}

/// The findings about goals that spend much time in their own instructions, in clauses of relations
/// other than those in `told`; and the relations of these clauses.
fn goals(tree: &Tree<'_>, told: &[RelationId]) -> (Vec<Finding>, Vec<RelationId>) {
    let (plan, program) = (&tree.game.plan, &tree.game.program);
    let mut all = Vec::new();
    for (id, goal) in &tree.goals {
        let (share, Some(form)) = (tree.share(goal.own), goal.forms.first()) else { continue };
        let root = plan.written.around(*id).last().and_then(|root| plan.written.get(root));
        let Some(relation) = root.map(|root| program.clause(root.clause).relation) else {
            continue;
        };
        if share < LEAST || told.contains(&relation) {
            continue;
        }
        let Some((what, see)) = in_words(*form) else { continue };
        let answers = goal.answers.filter(|_| form.generates()).map_or(String::new(), |answers| {
            format!(", with {:.1} answers each", answers as f64 / goal.tried.max(1) as f64)
        });
        let text = format!(
            "{share:.0} % of the time goes into the goal `{}` at {}: {what}, {}{answers}.",
            goal_name(tree, *id),
            place_name(tree, *id),
            per_ply(tree, goal.tried)
        );
        all.push((Finding { share, text, see: Some(see) }, relation));
    }
    all.into_iter().unzip()
}

/// The findings about expensive clauses of moves and ends, of relations other than those in `told`.
fn clauses(tree: &Tree<'_>, told: &[RelationId]) -> Vec<Finding> {
    let program = &tree.game.program;
    let costly = tree.clauses.iter().filter(|clause| {
        tree.share(clause.samples) >= LEAST_CLAUSE
            && !told.contains(&program.clause(clause.id).relation)
    });
    costly
        .map(|clause| {
            let (share, name) = (tree.share(clause.samples), head(program, clause.id));
            let most = most_within(tree, |id| id == clause.id, share / 2.0);
            let place = place_name(tree, clause.root);
            let text = format!("{share:.0} % of the time goes into `{name}` at {place}.{most}");
            Finding { share, text, see: None }
        })
        .collect()
}

/// What a goal of this form does, and its page; `None` where nothing helpful can be said.
fn in_words(form: Form) -> Option<(&'static str, &'static str)> {
    Some(match form {
        Form::NestedQuery => ("it asks for the legal moves of the position", COSTS),
        Form::List => ("a list is gone through item by item", COSTS),
        Form::Rows => ("the rows of a table are gone through one by one", SETS),
        Form::Numbers => ("values that are no set are gone through one by one", SETS),
        Form::Collected => ("its answers are collected and told apart one by one", SETS),
        Form::Tuples => ("it calls a relation and goes through its answers one by one", COSTS),
        Form::Nested => ("it is asked for each value that the goals before it give", SETS),
        // these are fast in themselves
        _ => return None,
    })
}

fn around(tree: &Tree<'_>, share: f64) -> String {
    let plan = &tree.game.plan;
    let clauses = || plan.moves.iter().chain(&plan.chance);
    let mut does = vec!["draws moves"];
    if clauses().any(|clause| clause.tested || clause.risk == Risk::Always) {
        does.push("copies the position before a candidate is tried");
    }
    if clauses().any(|clause| clause.repeats) {
        does.push("tells moves apart that two ways may give");
    }
    if clauses().any(|clause| clause.branching) {
        does.push("keeps the positions that moves lead to");
    }
    format!(
        "{share:.0} % of the time goes into the engine around the clauses: it {}.",
        does.join(", ")
    )
}

/// The place of a goal, as `name:line`.
fn place_name(tree: &Tree<'_>, id: WrittenId) -> String {
    let written = tree.game.plan.written.get(id);
    written.map_or(String::new(), |written| tree.game.program.sources.place(written.span))
}

/// The name of a goal within a sentence.
fn goal_name(tree: &Tree<'_>, id: WrittenId) -> String {
    let program = &tree.game.program;
    let Some(written) = tree.game.plan.written.get(id) else { return String::new() };
    on_one_line(program.sources.text(written.span))
}
