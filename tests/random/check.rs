//! All that is asked of one rule file: it is accepted, reads back as it was printed, and every
//! evaluator plays it alike.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use ludex::engine::Game;
use ludex::pipeline;
use ludex::plan::{Risk, print_plan};
use ludex::program::print_program;
use ludex::source::Sources;
use ludex::syntax::{Clause, Term, TermKind, print_clause, read_file};

use crate::prolog::{self, Prolog};
use crate::report::{Find, Question, Report};
use crate::{files, law, notations, play};

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where the last panic came from.
pub fn take_panic() -> String {
    PLACE.with_borrow_mut(std::mem::take)
}

/// Where the process of a checker writes the files that it loads.
pub fn folder(process: u32) -> PathBuf {
    std::env::temp_dir().join(format!("ludex-random-{process}"))
}

/// Answers questions; what it keeps between them is only for speed.
pub struct Checker {
    folder: PathBuf,
    prolog: Option<Prolog>,
}

impl Default for Checker {
    fn default() -> Checker {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(|l| format!("{}:{}", l.file(), l.line()));
            PLACE.set(place.unwrap_or_default());
        }));
        Checker { folder: folder(std::process::id()), prolog: None }
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Checker {
    pub fn answer(&mut self, question: &Question) -> Report {
        let mut report = Report::default();
        let started = Instant::now();
        let request = match files::request(&question.text, &self.folder) {
            Ok(request) => request,
            Err(e) => {
                report.find = Some(Find::new("files", e.to_string()));
                return report;
            }
        };
        report.features = features(&question.text);
        let game = match pipeline::load(&request) {
            Ok(loaded) => loaded.game,
            Err(failure) => {
                let fault = failure.diagnostics.iter().find(|d| d.is_error());
                report.refused = fault.map(|d| {
                    let place = d.labels.first().map(|l| failure.sources.text(l.span).to_string());
                    let place = place.unwrap_or_default();
                    (d.code.to_string(), format!("{}: {place}", d.message))
                });
                if fault.is_none() {
                    report.find =
                        Some(Find::new("refused without a reason", format!("{failure:?}")));
                }
                return report;
            }
        };
        report.ops = ops(&game);
        report.features.extend(plan_features(&game));
        report.spent.insert("load".to_string(), play::milliseconds(started));
        let started = Instant::now();
        if question.reprint
            && let Err(find) = reprint(&question.text, &game)
        {
            report.find = Some(find);
            return report;
        }
        report.spent.insert("reprint".to_string(), play::milliseconds(started));
        if let Err(find) = play::compare(&game, question, &mut report) {
            report.find = Some(find);
            return report;
        }
        if question.native && report.budget.is_none() {
            (report.forms, report.left) = forms(&game);
            let form = report.left.iter().find(|reason| !TOO_LARGE.contains(&reason.as_str()));
            if let Some(reason) = form {
                report.find = Some(Find::new("machine code", reason.clone()));
                return report;
            }
        }
        let started = Instant::now();
        if question.reprint
            && game.program.special.notation.is_some()
            && files::split(&question.text).1.is_empty()
            && report.budget.is_none()
        {
            report.features.push("told: notations".to_string());
            if let Err(find) = notations::compare(&question.text, question.seed) {
                report.find = Some(find);
                return report;
            }
        }
        report.spent.insert("notations".to_string(), play::milliseconds(started));
        let started = Instant::now();
        if question.law
            && report.rule_error.is_none()
            && report.budget.is_none()
            && let Err(find) = law::compare(&game, question.seed)
        {
            report.find = Some(find);
        }
        report.spent.insert("law".to_string(), play::milliseconds(started));
        let started = Instant::now();
        if question.prolog && report.find.is_none() && prolog::within(&report.features) {
            let asked = match files::write(&question.text, &self.folder) {
                Ok(path) => prolog::compare(&mut self.prolog, &game, &path, question.seed),
                Err(e) => Err(Find::new("files", e.to_string())),
            };
            match asked {
                Ok(asked) => report.asked_prolog = asked,
                Err(find) => report.find = Some(find),
            }
        }
        report.spent.insert("prolog".to_string(), play::milliseconds(started));
        report
    }
}

/// The instructions of a plan, each once.
fn ops(game: &Game) -> Vec<String> {
    let all: BTreeSet<String> = game.plan.blocks.ops().map(ludex::plan::Op::name).collect();
    all.into_iter().collect()
}

/// Reasons for which a function is not machine code although each instruction has a form: it is too
/// large, or what it calls is.
const TOO_LARGE: [&str; 5] = [
    "a part that is left to the interpreter",
    "blocks too deep inside each other",
    "too many answers at once",
    "too many instructions",
    "too much of the stack",
];

/// The instructions that have become machine code, each once, and why functions have not.
fn forms(game: &Game) -> (Vec<String>, Vec<String>) {
    let Some(report) = game.code.report(&game.plan, &|| false) else { return Default::default() };
    let of = |id: &ludex::plan::OpId| game.plan.blocks.op(*id).name();
    let forms: BTreeSet<String> = report.forms.iter().map(of).collect();
    let left: BTreeSet<String> = report.left().map(|(_, lack)| lack.reason.to_string()).collect();
    (forms.into_iter().collect(), left.into_iter().collect())
}

/// Ways of evaluation that a plan uses.
fn plan_features(game: &Game) -> Vec<String> {
    use ludex::plan::Recursion;
    let plan = &game.plan;
    let mut all = BTreeSet::new();
    for procedure in &plan.procedures {
        all.insert(match procedure.recursion {
            Recursion::None => continue,
            Recursion::Plain => "plan: plain recursion",
            Recursion::Flood { .. } => "plan: flood",
            Recursion::Tabled { .. } => "plan: tabled",
        });
    }
    for clause in plan.moves.iter().chain(&plan.chance) {
        let flags = [
            (clause.tested, "plan: tested move"),
            (clause.risk != Risk::Never, "plan: risky move"),
            (matches!(clause.risk, Risk::Outside(_)), "plan: risky outside of some values"),
            (clause.branching, "plan: branching move"),
            (clause.repeats, "plan: repeating move"),
            (clause.weight.is_some(), "plan: weight"),
            (matches!(clause.rank, ludex::plan::Rank::Computed(_)), "plan: computed rank"),
            (!clause.found.is_empty(), "plan: found values"),
        ];
        all.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, name)| name));
    }
    all.insert(match plan.layout.words {
        1 => "plan: 1 word",
        2 => "plan: 2 words",
        4 => "plan: 4 words",
        6 => "plan: 6 words",
        _ => "plan: 16 words",
    });
    all.into_iter().map(ToString::to_string).collect()
}

/// Words of the language whose use is counted.
const WORDS: [&str; 69] = [
    "given/2",
    "old/1",
    "notation/2",
    "position_item/5",
    "example/1",
    "after/2",
    "once/1",
    "forall/2",
    "each/2",
    "count/3",
    "sum/3",
    "max/3",
    "min/3",
    "member/2",
    "length/2",
    "in/2",
    "between/3",
    "is/2",
    "=/2",
    "==/2",
    "\\=/2",
    "\\+/1",
    ";/2",
    "->/2",
    ":=/2",
    "+=/2",
    "-=/2",
    "set/1",
    "clear/1",
    "again/0",
    "turn/1",
    "mover/1",
    "ply/1",
    "opponent/2",
    "next_player/2",
    "stuck/0",
    "legal/1",
    "repeated/1",
    "repeated_board/1",
    "win/1",
    "lose/1",
    "draw/0",
    "over/0",
    "score/2",
    "value/2",
    "rank/2",
    "chance/1",
    "weight/2",
    "init/1",
    "findall/3",
    "append/3",
    "nth/3",
    "option/2",
    "aside/1",
    "include/1",
    "position/1",
    "letter/2",
    "position_field/3",
    "position_mark/3",
    "variant_of/1",
    "redefine/1",
    "+/2",
    "-/2",
    "*/2",
    "///2",
    "//2",
    "mod/2",
    "rem/2",
    "^/2",
];

/// What of the language a text uses.
pub fn features(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    for clause in clauses(text) {
        let mut terms: Vec<&Term> = clause.head.iter().chain(&clause.body).collect();
        while let Some(term) = terms.pop() {
            if let Some((name, args)) = term.functor() {
                found.insert(format!("{name}/{}", args.len()));
                terms.extend(args);
            }
            if let TermKind::List(items, tail) = &term.kind {
                terms.extend(items);
                terms.extend(tail.as_deref());
                if tail.is_some() {
                    found.insert("[..|..]".to_string());
                }
            }
        }
    }
    found.retain(|f| WORDS.contains(&f.as_str()) || f == "[..|..]");
    found.into_iter().collect()
}

/// The clauses of a text.
pub fn clauses(text: &str) -> Vec<Clause> {
    let mut sources = Sources::new();
    let file = sources.add("random", None, text);
    read_file(&sources, file).0.clauses
}

/// The rule file printed and read again gives the same clauses and the same plan.
fn reprint(text: &str, game: &Game) -> Result<(), Find> {
    let (main, others) = files::split(text);
    let first = clauses(&main);
    let printed: String = first.iter().map(|c| print_clause(c) + "\n").collect();
    let second = clauses(&printed);
    if first.len() != second.len() {
        return Err(Find::new("reprint: clauses", "the printed file has other clauses"));
    }
    for (a, b) in first.iter().zip(&second) {
        if a.head != b.head || a.body != b.body {
            return Err(Find::new("reprint: clause", print_clause(a)));
        }
    }
    resolved(game)?;
    if !others.is_empty() {
        return Ok(());
    }
    let request = ludex::program::LoadRequest::text("random", &printed);
    match pipeline::load(&request) {
        Ok(again) => {
            let text = |game: &Game| print_plan(&game.plan, &game.program);
            // places are part of a printed plan: lines that name one differ
            let plain = |text: String| -> Vec<String> {
                text.lines().map(|l| l.split("random:").next().unwrap_or(l).to_string()).collect()
            };
            match plain(text(game)) == plain(text(&again.game)) {
                true => Ok(()),
                false => Err(Find::new("reprint: plan", "the printed file has another plan")),
            }
        }
        Err(failure) => Err(Find::new("reprint: refused", format!("{:?}", failure.diagnostics))),
    }
}

/// Each clause of the checked program reads back as it was printed.
fn resolved(game: &Game) -> Result<(), Find> {
    let text = print_program(&game.program);
    let body = text.split("\n% component ").skip(1).flat_map(|part| part.lines().skip(1));
    for line in body.filter(|line| !line.starts_with('%') && !line.is_empty()) {
        // behind the clause stands where it comes from
        let clause = line.rsplit_once("  % ").map_or(line, |(clause, _)| clause);
        let again: Vec<String> = clauses(clause).iter().map(print_clause).collect();
        let wanted: Vec<String> = clauses(&again.join(" ")).iter().map(print_clause).collect();
        if again.len() != 1 || wanted != again {
            return Err(Find::new("reprint: resolved clause", format!("{clause}\n{again:?}")));
        }
    }
    Ok(())
}
