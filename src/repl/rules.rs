//! The current rules: a file, the options, and the clauses that were added and removed for an
//! experiment.
//!
//! Experiments are edits of the text of the game's own file, so reports about them quote that text.
//! A clause of an included file is removed as it would be by hand: the relation is redefined with
//! the remaining clauses.

use similar::TextDiff;

use crate::diagnostic::Diagnostic;
use crate::engine::Game;
use crate::pipeline::{self, Loaded};
use crate::program::{LoadRequest, Origin, Program};
use crate::referee::Stop;
use crate::source::{Library, Sources, Span};
use crate::syntax::{Clause, ReadError, Term, TermKind, print_clause, read_file, read_goal};
use crate::ui::open;

use super::commands::After;
use super::prompt::{Prompt, failed, fault, in_short};
use super::query::diagnosed;
use super::sitting::Sitting;

/// A change of the rules for an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// A text that is appended.
    Add(String),
    /// The clauses equal to this text, up to the names of variables, are removed.
    Cut(String),
}

/// The rules to load.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The request, without the edited text.
    pub request: LoadRequest,
    pub edits: Vec<Edit>,
}

/// A game, with the rules from which it was loaded.
pub struct Opened {
    pub rules: Rules,
    pub game: Game,
}

impl Rules {
    pub fn new(request: LoadRequest) -> Rules {
        Rules { request, edits: Vec::new() }
    }

    /// # Errors
    /// Faults of the rules or the request.
    pub fn load(self) -> Result<Opened, Stop> {
        let game = open::game(&self.edited())?;
        Ok(Opened { rules: self, game })
    }

    /// Loads the rules without being interrupted by Ctrl-C.
    ///
    /// # Errors
    /// Faults of the rules or the request.
    pub fn compile(&self) -> Result<Loaded, Box<pipeline::Failure>> {
        pipeline::load(&self.edited()).map_err(Box::new)
    }

    fn edited(&self) -> LoadRequest {
        let mut request = self.request.clone();
        if !self.edits.is_empty() {
            request.text = self.base().map(|text| self.apply(&text));
        }
        request
    }

    /// The text of the game's own file; `None` where it cannot be read.
    pub fn base(&self) -> Option<String> {
        match &self.request.origin {
            Origin::Shipped(name) => Library::game(name).map(|file| file.text.to_string()),
            Origin::Path(path) => std::fs::read_to_string(path).ok(),
            Origin::Text { text, .. } => Some(text.clone()),
        }
    }

    /// Applies the experiments to the text.
    pub fn apply(&self, base: &str) -> String {
        let mut text = base.to_string();
        for edit in &self.edits {
            match edit {
                Edit::Add(clause) => {
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(clause.trim_end());
                    text.push('\n');
                }
                Edit::Cut(clause) => text = without(&text, clause),
            }
        }
        text
    }
}

/// A text without the clauses equal to this one.
fn without(text: &str, clause: &str) -> String {
    let mut rest = text.to_string();
    for (span, _) in clauses(text).into_iter().rev().filter(|(_, form)| form == clause) {
        let (start, mut end) = (span.start as usize, span.end as usize);
        // the rest of its line is removed too, where it is empty
        let line = rest[end..].find('\n').map_or(rest.len(), |at| end + at + 1);
        if rest[end..line].trim().is_empty() && (start == 0 || rest[..start].ends_with('\n')) {
            end = line;
        }
        rest.replace_range(start..end, "");
    }
    rest
}

/// The readable clauses of a text, each with its form for comparison.
fn clauses(text: &str) -> Vec<(Span, String)> {
    let mut sources = Sources::new();
    let file = sources.add("rules", None, text);
    let (syntax, _) = read_file(&sources, file);
    syntax.clauses.iter().filter(|c| c.head.is_some()).map(|c| (c.span, form(c))).collect()
}

/// A clause as text, with its variables renamed in the order of their first use.
fn form(clause: &Clause) -> String {
    let mut names: Vec<String> = Vec::new();
    let head = clause.head.as_ref().map(|t| renamed(t, &mut names));
    let body = clause.body.as_ref().map(|t| renamed(t, &mut names));
    print_clause(&Clause { head, body, span: clause.span })
}

fn renamed(term: &Term, names: &mut Vec<String>) -> Term {
    let kind = match &term.kind {
        TermKind::Variable(name) => {
            let known = names.iter().position(|n| n == name);
            let at = known.unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            TermKind::Variable(format!("V{at}"))
        }
        TermKind::Compound(name, args) => {
            TermKind::Compound(name.clone(), args.iter().map(|a| renamed(a, names)).collect())
        }
        TermKind::List(items, tail) => TermKind::List(
            items.iter().map(|i| renamed(i, names)).collect(),
            tail.as_ref().map(|t| Box::new(renamed(t, names))),
        ),
        other => other.clone(),
    };
    Term::new(kind, term.span)
}

impl Sitting<'_> {
    /// `:assert CLAUSE.`
    ///
    /// # Errors
    /// Faults of the clause, or of the rules with it.
    pub fn assert(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<After, Stop> {
        let clause = typed_clause(rest)?;
        let mut rules = self.opened.rules.clone();
        let form = form(&clause);
        // adding a removed clause again cancels the removal
        match rules.edits.iter().rposition(|edit| *edit == Edit::Cut(form.clone())) {
            Some(at) => drop(rules.edits.remove(at)),
            None => rules.edits.push(Edit::Add(with_stop(rest))),
        }
        self.experiment(rules, prompt)
    }

    /// `:retract CLAUSE.` or `:retract NAME/ARITY`
    ///
    /// # Errors
    /// There is no such clause, or the rules without it have faults.
    pub fn retract(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<After, Stop> {
        let indicator = indicator(rest.trim_end_matches('.'));
        let wanted = match &indicator {
            Some(_) => String::new(),
            None => form(&typed_clause(rest)?),
        };
        let meant = |clause: &Clause, form: &str| match &indicator {
            Some((name, arity)) => has_head(clause, name, *arity),
            None => form == wanted,
        };
        let mut rules = self.opened.rules.clone();
        let mut found = 0;
        let sources = &self.opened.game.program.sources;
        for (number, (file, _)) in sources.iter().enumerate() {
            let (syntax, _) = read_file(sources, file);
            for clause in syntax.clauses.iter().filter(|c| c.head.is_some()) {
                let form = form(clause);
                if !meant(clause, &form) {
                    continue;
                }
                found += 1;
                let cut = Edit::Cut(form.clone());
                if rules.edits.contains(&cut) {
                    continue;
                }
                let added = |edit: &Edit| match edit {
                    Edit::Add(text) => clauses(text).iter().any(|(_, f)| *f == form),
                    Edit::Cut(_) => false,
                };
                match rules.edits.iter().position(added) {
                    // an added clause that is removed again
                    Some(at) if indicator.is_none() => drop(rules.edits.remove(at)),
                    _ if number == 0 => rules.edits.push(cut),
                    _ => {
                        let redefined = self.redefined(clause, &meant);
                        if !rules.edits.contains(&redefined) {
                            rules.edits.push(redefined);
                        }
                    }
                }
            }
        }
        if found == 0 {
            let hint = "`:list NAME` shows the clauses of a relation";
            return Err(failed("there is no such clause", hint));
        }
        self.experiment(rules, prompt)
    }

    /// An edit that redefines the relation of an included file's clause without the given clauses.
    fn redefined(&self, clause: &Clause, meant: &dyn Fn(&Clause, &str) -> bool) -> Edit {
        let sources = &self.opened.game.program.sources;
        let (name, arity) =
            clause.head.as_ref().and_then(Term::functor).map_or(("", 0), |(n, a)| (n, a.len()));
        let mut text = format!(":- redefine {name}/{arity}.\n");
        for (file, _) in sources.iter() {
            let (syntax, _) = read_file(sources, file);
            for clause in syntax.clauses.iter().filter(|c| has_head(c, name, arity)) {
                if !meant(clause, &form(clause)) {
                    text.push_str(sources.text(clause.span));
                    text.push('\n');
                }
            }
        }
        Edit::Add(text)
    }

    fn experiment(&mut self, rules: Rules, prompt: &Prompt<'_>) -> Result<After, Stop> {
        let opened = rules.load()?;
        if prompt.is_terminal() {
            prompt.say("the rules are changed; `:diff` shows how")?;
        }
        Ok(self.switch(opened))
    }

    /// `:diff`: compares the current rules with their file.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn difference(&self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let rules = &self.opened.rules;
        let base = rules.base().ok_or_else(unreadable)?;
        let text = rules.apply(&base);
        if base == text {
            return prompt.say("the rules are those of the file");
        }
        let name = file_name(&self.opened.game.program);
        let changes = TextDiff::from_lines(&base, &text);
        let unified = changes.unified_diff().header(&name, "here").to_string();
        for line in unified.lines() {
            prompt.console.line(match line.as_bytes().first() {
                Some(b'+') => prompt.console.green(line),
                Some(b'-') => prompt.console.red(line),
                _ => line.to_string(),
            })?;
        }
        Ok(())
    }

    /// `:save-rules FILE`
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    pub fn save_rules(&self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            return Err(Stop::Failed("say where: `:save-rules FILE`".to_string()));
        }
        let base = self.opened.rules.base().ok_or_else(unreadable)?;
        write_new(rest, &self.opened.rules.apply(&base))?;
        prompt.say(format!("the rules are saved as {rest}"))
    }

    /// `:list NAME` or `:list NAME/ARITY`
    ///
    /// # Errors
    /// There is no such relation.
    pub fn list(&self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let program = &self.opened.game.program;
        let (name, arity) = match indicator(rest) {
            Some((name, arity)) => (name, Some(arity)),
            None => (rest.to_string(), None),
        };
        let mut known = false;
        let fluents = program.fluents.iter().filter(|f| f.name == name);
        for fluent in
            fluents.filter(|f| arity.is_none_or(|a| program.relation(f.relation).arity == a))
        {
            known = true;
            prompt.say(format!("% {}: a part of the state", program.sources.place(fluent.span)))?;
        }
        for clause in &program.clauses {
            let relation = program.relation(clause.relation);
            if relation.name != name || arity.is_some_and(|a| a != relation.arity) {
                continue;
            }
            known = true;
            prompt.say(format!("% {}", program.sources.place(clause.span)))?;
            prompt.console.line(program.sources.text(clause.span))?;
        }
        if known {
            return Ok(());
        }
        let names = program.relations.iter().map(|r| r.name.as_str());
        if program.relations.iter().any(|r| r.name == name && arity.is_none_or(|a| a == r.arity)) {
            return prompt.say(format!("`{name}` is built in, or has no clauses"));
        }
        let shown = in_short(rest, 40);
        let d = Diagnostic::error("unknown-relation", format!("there is no relation `{shown}`"));
        Err(fault(match crate::diagnostic::nearest(&name, names) {
            Some(near) => d.hint(format!("did you mean `{near}`?")),
            None => d.hint("`ludex show program GAME` lists them all"),
        }))
    }
}

fn unreadable() -> Stop {
    Stop::Failed("the file of the rules cannot be read any more".to_string())
}

/// The name of the game's own file in reports.
pub fn file_name(program: &Program) -> String {
    program.sources.iter().next().map_or_else(String::new, |(_, file)| file.name.clone())
}

/// Writes a new file.
///
/// # Errors
/// The file exists, or cannot be written.
pub fn write_new(path: &str, text: &str) -> Result<(), Stop> {
    use std::io::Write;
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(Stop::Failed(format!("`{path}` exists; give another name")))
        }
        Err(error) => Err(Stop::Failed(format!("cannot write `{path}`: {error}"))),
    }
}

fn with_stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with('.') { text.to_string() } else { format!("{text}.") }
}

/// Parses an entry as one clause.
fn typed_clause(text: &str) -> Result<Clause, Stop> {
    let text = with_stop(text);
    let mut sources = Sources::new();
    let file = sources.add("clause", None, &text);
    match read_goal(&sources, file) {
        Ok(_) => {}
        Err(ReadError::Incomplete(fault)) => return Err(diagnosed(sources, vec![fault])),
        Err(ReadError::Wrong(faults)) => return Err(diagnosed(sources, faults)),
    }
    let (syntax, _) = read_file(&sources, file);
    match syntax.clauses.into_iter().next().filter(|clause| clause.head.is_some()) {
        Some(clause) => Ok(clause),
        None => {
            let text = format!("`{}` is no clause", in_short(text.trim(), 60));
            Err(failed(text, "write `head :- goals.` or a fact, `head.`"))
        }
    }
}

/// `name/arity`
pub fn indicator(text: &str) -> Option<(String, usize)> {
    let (name, arity) = text.trim().rsplit_once('/')?;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(word)).then_some(())?;
    Some((name.to_string(), arity.parse().ok()?))
}

fn has_head(clause: &Clause, name: &str, arity: usize) -> bool {
    let functor = clause.head.as_ref().and_then(Term::functor);
    functor.is_some_and(|(n, args)| n == name && args.len() == arity)
}
