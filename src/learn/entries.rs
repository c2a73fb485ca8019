//! What an exercise says is to be compared: the facts of its section `%% compare`.

use crate::diagnostic::Diagnostic;
use crate::program::LoadRequest;
use crate::source::{FileId, Sources};
use crate::syntax::{Clause, Term, TermKind, print_term, read_file};

use super::exercise::malformed;

/// A part of a position that an exercise may leave out of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the state holds.
    State,
    /// How the game ends.
    Outcome,
    /// What is legal.
    Moves,
    /// Who is to move.
    Turn,
}

/// What is compared.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The greatest number of moves to a position.
    pub depth: usize,
    /// The greatest number of positions.
    pub positions: usize,
    /// The parts of a position that are not compared.
    pub ignored: Vec<Part>,
    /// Goals whose answers are compared in every position.
    pub answers: Vec<Term>,
    /// Positions to begin with besides the opening, each as a list of texts and updates.
    pub given: Vec<Term>,
    /// Values of options with which everything is compared once more.
    pub options: Vec<Vec<(String, String)>>,
}

impl Default for Compare {
    fn default() -> Compare {
        Compare {
            depth: 4,
            positions: 2_000,
            ignored: Vec::new(),
            answers: Vec::new(),
            given: Vec::new(),
            options: Vec::new(),
        }
    }
}

const KNOWN: &str = "the facts are `depth(N).`, `positions(N).`, `answers(Goal).`, \
    `position(\"TEXT\").`, `options(NAME = VALUE).` and `ignore(PART).`";

impl Compare {
    /// The requests of all comparisons: without options, and with each set of them.
    pub(super) fn runs(&self, request: &LoadRequest) -> Vec<LoadRequest> {
        let with = |options: &Vec<(String, String)>| {
            let mut request = request.clone();
            request.options.extend(options.iter().cloned());
            request
        };
        std::iter::once(request.clone()).chain(self.options.iter().map(with)).collect()
    }
}

/// Reads the section from a text in which all others are blanked out.
pub(super) fn read(name: &str, text: &str, faults: &mut Vec<Diagnostic>) -> Compare {
    let mut sources = Sources::new();
    let file: FileId = sources.add(name, None, text);
    let (syntax, unread) = read_file(&sources, file);
    faults.extend(unread);
    let mut compare = Compare::default();
    for clause in &syntax.clauses {
        let fault = match fact(clause) {
            Some(fact) => entry(fact, &mut compare).err(),
            None => Some(malformed("only facts say what is compared").hint(KNOWN)),
        };
        faults.extend(fault.map(|f| f.at(clause.span, "found here")));
    }
    compare
}

fn fact(clause: &Clause) -> Option<&Term> {
    clause.head.as_ref().filter(|_| clause.body.is_none())
}

fn entry(fact: &Term, compare: &mut Compare) -> Result<(), Diagnostic> {
    let Some((word, [argument])) = fact.functor() else {
        return Err(malformed(format!("`{}` says nothing", print_term(fact))).hint(KNOWN));
    };
    match word {
        "depth" => compare.depth = number(argument, 100)?,
        "positions" => compare.positions = number(argument, 1_000_000)?,
        "answers" => compare.answers.push(argument.clone()),
        "position" => compare.given.push(position(argument)?),
        "options" => compare.options.push(options(argument)?),
        "ignore" => compare.ignored.push(part(argument)?),
        _ => return Err(malformed(format!("`{word}` is nothing that can be compared")).hint(KNOWN)),
    }
    Ok(())
}

fn number(term: &Term, most: usize) -> Result<usize, Diagnostic> {
    match term.kind {
        TermKind::Integer(n) if (0..=most as i64).contains(&n) => Ok(n as usize),
        _ => {
            let fault = malformed(format!("`{}` is no number that is possible", print_term(term)));
            Err(fault.hint(format!("write a number from 0 to {most}")))
        }
    }
}

fn position(term: &Term) -> Result<Term, Diagnostic> {
    match term.kind {
        TermKind::List(_, None) | TermKind::Text(_) => Ok(term.clone()),
        _ => Err(malformed(format!("`{}` is no position", print_term(term)))
            .hint("write it as text or as updates: `position([\"x../.o./...\", turn := o]).`")),
    }
}

fn options(term: &Term) -> Result<Vec<(String, String)>, Diagnostic> {
    let pairs = term.flatten(",").into_iter().map(|option| match option.args_of("=", 2) {
        Some([name, value]) => Ok((print_term(name), print_term(value))),
        _ => Err(malformed(format!("`{}` sets no option", print_term(option)))
            .hint("write `options((NAME = VALUE, NAME = VALUE)).`")),
    });
    pairs.collect()
}

fn part(term: &Term) -> Result<Part, Diagnostic> {
    match &term.kind {
        TermKind::Atom(name) if name == "state" => Ok(Part::State),
        TermKind::Atom(name) if name == "outcome" => Ok(Part::Outcome),
        TermKind::Atom(name) if name == "moves" => Ok(Part::Moves),
        TermKind::Atom(name) if name == "turn" => Ok(Part::Turn),
        _ => Err(malformed(format!("`{}` is no part of a position", print_term(term)))
            .hint("the parts are `state`, `outcome`, `moves` and `turn`")),
    }
}
