//! Reads text as terms: the only user of pest.
//!
//! Reading goes in four steps, so that one faulty clause costs only itself and no text can make
//! a parser recurse or backtrack without bound:
//!
//! 1. the grammar's `scan` cuts the text into a flat row of tokens; it accepts every text;
//! 2. `clauses.rs` cuts the row at the full stops and checks, clause by clause, that there are no
//!    stray characters and that the brackets match and are not nested too deeply;
//! 3. the grammar's `phrase` gives the structure of such a clause, as [`Item`]s;
//! 4. `climb.rs` resolves the operators (operator precedence with explicit stacks, after
//!    R. W. Floyd, "Syntactic analysis and operator precedence", J. ACM 10, 1963).
//!
//! The messages are in `faults.rs`.

mod clauses;
mod climb;
mod faults;
mod quoted;
mod slips;

use pest::Parser;
use pest::iterators::Pair;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};

use super::{Clause, OperatorTable, Syntax, Term, TermKind};
use clauses::Chunk;
use climb::Climber;
use faults::Fault;

/// The deepest nesting of brackets.
const MAX_NESTING: usize = 256;
/// The deepest nesting of terms, operators included; it bounds the number of goals of a body.
const MAX_DEPTH: u32 = 1000;
/// The longest file, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// The number of faults after which the rest of a file is not read.
const MAX_FAULTS: usize = 50;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/ludex.pest"]
struct Grammar;

/// Why a goal or a list of terms could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// More text could complete it: a bracket or a quote is open, something must follow an
    /// operator, or a clause lacks its full stop.
    Incomplete(Diagnostic),
    /// No further text makes it right.
    Wrong(Diagnostics),
}

/// A token of the flat row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    End,
    Open,
    Close,
    Word,
    BadText,
    BadAtom,
    BadComment,
    Junk,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

/// A piece of a clause before its operators are resolved. Places are bytes of the file.
#[derive(Debug)]
struct Item {
    kind: ItemKind,
    start: usize,
    end: usize,
}

#[derive(Debug)]
enum ItemKind {
    Variable(String),
    /// With whether it was written in quotes.
    Atom(String, bool),
    /// At most 2^63, which is a literal only after `-`.
    Integer(u64),
    Float,
    Text(String),
    Call(String, Vec<Argument>),
    /// `Name(…)` with a variable for a name.
    WildCall,
    List(Vec<Argument>),
    Group(Vec<Item>),
    Braces(Vec<Item>),
    Comma,
    Bar,
}

#[derive(Debug)]
struct Argument {
    items: Vec<Item>,
    start: usize,
    end: usize,
    /// Whether `|` stands before it.
    after_bar: bool,
}

/// Reads a rule file. All faults are returned, and all clauses that have none.
pub fn read_file(sources: &Sources, file: FileId) -> (Syntax, Diagnostics) {
    read_with(OperatorTable::ludex(), sources, file)
}

/// Reads a file with a given operator table.
pub(super) fn read_with(
    table: &OperatorTable,
    sources: &Sources,
    file: FileId,
) -> (Syntax, Diagnostics) {
    let mut syntax = Syntax { file, clauses: Vec::new(), unread: Vec::new() };
    let mut found = Vec::new();
    let text = text_of(sources, file);
    match scan(text, file) {
        Err(fault) => found.push(*fault.diagnostic),
        Ok(tokens) => {
            let mut reader =
                FileReader { text, file, table, syntax: &mut syntax, found: &mut found };
            reader.read(&tokens);
        }
    }
    (syntax, found)
}

/// Reads one goal, e.g. typed at a prompt; the final full stop may be left out. A clause
/// (`head :- body`) is read as well, but only with its full stop.
pub fn read_goal(sources: &Sources, file: FileId) -> Result<Term, ReadError> {
    let text = text_of(sources, file);
    let tokens = scan(text, file)?;
    let chunks = clauses::cut(text, &tokens);
    let [chunk] = chunks.as_slice() else {
        let fault = match chunks.get(1) {
            None => Fault::new("syntax", "there is no goal here")
                .hint("write a goal, for example `legal(M)`"),
            Some(second) => Fault::new("syntax", "there is more than one goal here")
                .at(Span::new(file, second.start, second.end), "a second one begins here")
                .hint("join goals with `,`"),
        };
        return Err(fault.into());
    };
    let items = chunk.items(text, file, &tokens)?;
    let climber = Climber::new(text, file, OperatorTable::ludex(), chunk);
    let term = climber.phrase(&items)?;
    if chunk.stop.is_none() && (term.args_of(":-", 2).is_some() || term.args_of(":-", 1).is_some())
    {
        return Err(ReadError::Incomplete(*faults::no_final_stop(text, file, chunk).diagnostic));
    }
    Ok(term)
}

/// Reads terms that are separated by white space, commas or full stops, or the items of one list.
pub fn read_terms(sources: &Sources, file: FileId) -> Result<Vec<Term>, ReadError> {
    let text = text_of(sources, file);
    let tokens = scan(text, file)?;
    let mut terms = Vec::new();
    for chunk in clauses::cut(text, &tokens) {
        let items = chunk.items(text, file, &tokens)?;
        let climber = Climber::new(text, file, OperatorTable::ludex(), &chunk);
        climber.row(&items, &mut terms)?;
    }
    match terms.as_slice() {
        [Term { kind: TermKind::List(items, None), .. }] => Ok(items.clone()),
        _ => Ok(terms),
    }
}

/// The places of a file's tokens, in order: names, variables, numbers, texts, operators, brackets, commas and
/// full stops. A file that cannot be cut into tokens has none.
pub fn tokens(sources: &Sources, file: FileId) -> Vec<Span> {
    let tokens = scan(text_of(sources, file), file).unwrap_or_default();
    tokens.into_iter().map(|t| Span::new(file, t.start, t.end)).collect()
}

/// Whether an atom of this name may be written without quotes.
pub(super) fn is_bare(name: &str) -> bool {
    Grammar::parse(Rule::bare, name).is_ok()
}

fn text_of(sources: &Sources, file: FileId) -> &str {
    sources.get(file).map_or("", |f| &f.text)
}

struct FileReader<'a> {
    text: &'a str,
    file: FileId,
    table: &'a OperatorTable,
    syntax: &'a mut Syntax,
    found: &'a mut Diagnostics,
}

impl FileReader<'_> {
    fn read(&mut self, tokens: &[Token]) {
        // A fault often spoils what follows on its line: faults there are not new ones.
        let mut spoilt_until = 0;
        for mut chunk in clauses::cut(self.text, tokens) {
            let (spoilt, before) = (chunk.start < spoilt_until, self.found.len());
            let (start, end) = (chunk.start, chunk.stop.unwrap_or(chunk.end));
            while let Some(rest) =
                self.chunk(&chunk, tokens).and_then(|resume| chunk.from(resume, tokens))
            {
                chunk = rest;
                if self.found.len() >= MAX_FAULTS {
                    break;
                }
            }
            if self.found.len() > before {
                self.syntax.unread.push(Span::new(self.file, start, end));
            }
            if spoilt {
                self.found.truncate(before);
            } else if self.found.len() > before {
                spoilt_until = self.text[end..].find('\n').map_or(usize::MAX, |n| end + n);
            }
            if self.found.len() >= MAX_FAULTS {
                self.found.push(*faults::too_many(self.file, end).diagnostic);
                self.syntax.unread.push(Span::new(self.file, end, self.text.len()));
                return;
            }
        }
    }

    /// Reads one clause, or a few where full stops are missing. Returns the place where reading
    /// continues in this chunk after a fault.
    fn chunk(&mut self, chunk: &Chunk, tokens: &[Token]) -> Option<usize> {
        let items = match chunk.items(self.text, self.file, tokens) {
            Ok(items) => items,
            Err(Fault { glued: true, resume: Some(place), .. }) => {
                return self.glued(chunk, place, tokens);
            }
            Err(fault) => {
                self.found.push(*fault.diagnostic);
                return fault.resume;
            }
        };
        let climber = Climber::new(self.text, self.file, self.table, chunk);
        let mut rest = items.as_slice();
        while let Some(first) = rest.first() {
            match climber.phrase(rest) {
                Ok(term) => {
                    let end = chunk.stop.unwrap_or(chunk.end);
                    self.clause(term, Span::new(self.file, first.start, end));
                    if chunk.stop.is_none() {
                        let fault = faults::no_final_stop(self.text, self.file, chunk);
                        self.found.push(*fault.diagnostic);
                    }
                    break;
                }
                Err(fault) => {
                    self.found.push(*fault.diagnostic);
                    let resume = fault.resume.filter(|at| *at > first.start)?;
                    if let Some(term) = fault.parsed {
                        let span = term.span;
                        self.clause(*term, span);
                    }
                    if self.found.len() >= MAX_FAULTS {
                        break;
                    }
                    rest = &rest[rest.partition_point(|i| i.start < resume)..];
                }
            }
        }
        None
    }

    /// Reads the part of a chunk before `place`, a clause without its full stop.
    fn glued(&mut self, chunk: &Chunk, place: usize, tokens: &[Token]) -> Option<usize> {
        let part = chunk.until(place, tokens)?;
        let read = part
            .items(self.text, self.file, tokens)
            .and_then(|items| Climber::new(self.text, self.file, self.table, &part).phrase(&items));
        match read {
            Ok(term) => {
                let span = term.span;
                self.found.push(*faults::stop_before(self.text, span, place).diagnostic);
                self.clause(term, span);
            }
            Err(fault) => self.found.push(*fault.diagnostic),
        }
        Some(place)
    }

    /// Adds `head :- body`, `:- body` or a fact.
    fn clause(&mut self, term: Term, span: Span) {
        let Term { kind, span: place } = term;
        let (head, body) = match kind {
            TermKind::Compound(name, mut args) if name == ":-" && args.len() <= 2 => {
                let body = args.pop();
                (args.pop(), body)
            }
            kind => (Some(Term { kind, span: place }), None),
        };
        if let Some(fault) = head.as_ref().and_then(faults::bad_head) {
            self.found.push(*fault.diagnostic);
            return;
        }
        self.syntax.clauses.push(Clause { head, body, span });
    }
}

/// Cuts a text into tokens.
fn scan(text: &str, file: FileId) -> Result<Vec<Token>, Fault> {
    if text.len() > MAX_BYTES {
        return Err(Fault::new("syntax-limit", "the file is too long to be a rule file")
            .at(Span::new(file, 0, 0), format!("it has more than {MAX_BYTES} bytes")));
    }
    // Every text is accepted, unless the stack is nearly used up before pest even begins.
    let Ok(mut pairs) = Grammar::parse(Rule::scan, text) else {
        return Err(faults::too_deep(Span::new(file, 0, 0)));
    };
    let tokens = pairs.next().map(Pair::into_inner).into_iter().flatten();
    Ok(tokens
        .filter_map(|pair| {
            let kind = match pair.as_rule() {
                Rule::end => TokenKind::End,
                Rule::open => TokenKind::Open,
                Rule::close => TokenKind::Close,
                Rule::word | Rule::mark => TokenKind::Word,
                Rule::bad_text => TokenKind::BadText,
                Rule::bad_atom => TokenKind::BadAtom,
                Rule::bad_comment => TokenKind::BadComment,
                Rule::junk => TokenKind::Junk,
                _ => return None,
            };
            let span = pair.as_span();
            Some(Token { kind, start: span.start(), end: span.end() })
        })
        .collect())
}

/// The structure of a text whose brackets match; `base` is its offset in the file.
fn phrase(text: &str, file: FileId, base: usize) -> Result<Vec<Item>, Fault> {
    let builder = Builder { file, base };
    let sequence = Grammar::parse(Rule::phrase, text)
        .ok()
        .and_then(|mut pairs| pairs.next())
        .and_then(|phrase| phrase.into_inner().next());
    match sequence {
        Some(sequence) => builder.sequence(sequence),
        // The brackets match and there is no stray character, so only the stack can be short.
        None => Err(faults::too_deep(Span::new(file, base, base + text.len()))),
    }
}

/// Turns pest's pairs into items.
struct Builder {
    file: FileId,
    base: usize,
}

impl Builder {
    fn sequence(&self, pair: Pair<'_, Rule>) -> Result<Vec<Item>, Fault> {
        pair.into_inner().filter(|p| p.as_rule() != Rule::comment).map(|p| self.item(p)).collect()
    }

    fn item(&self, pair: Pair<'_, Rule>) -> Result<Item, Fault> {
        let (start, end) = self.place(&pair);
        let raw = pair.as_str();
        let kind = match pair.as_rule() {
            Rule::comma => ItemKind::Comma,
            Rule::wild if raw.ends_with(')') => ItemKind::WildCall,
            Rule::wild => ItemKind::Variable(raw.to_string()),
            Rule::number if raw.contains('.') && !raw.starts_with("0'") => ItemKind::Float,
            Rule::number => ItemKind::Integer(quoted::integer(raw, self.file, start)?),
            Rule::group => ItemKind::Group(self.inner_sequence(pair)?),
            Rule::list => ItemKind::List(self.items_of_list(pair)?),
            Rule::text => ItemKind::Text(quoted::unquote(raw, self.file, start)?),
            Rule::bar => ItemKind::Bar,
            Rule::braces => match self.inner_sequence(pair)? {
                inner if inner.is_empty() => ItemKind::Atom("{}".to_string(), true),
                inner => ItemKind::Braces(inner),
            },
            // An atom, perhaps with arguments.
            _ => {
                let mut inner = pair.into_inner();
                let atom = inner.next();
                let in_quotes = raw.starts_with('\'');
                let name = match atom.as_ref().map_or("", Pair::as_str) {
                    name if in_quotes => quoted::unquote(name, self.file, start)?,
                    name => name.to_string(),
                };
                match inner.next() {
                    Some(arguments) => ItemKind::Call(name, self.arguments(Some(arguments))?),
                    None => ItemKind::Atom(name, in_quotes),
                }
            }
        };
        Ok(Item { kind, start, end })
    }

    fn inner_sequence(&self, pair: Pair<'_, Rule>) -> Result<Vec<Item>, Fault> {
        pair.into_inner().next().map_or(Ok(Vec::new()), |sequence| self.sequence(sequence))
    }

    /// `[]` comes as one argument with nothing in it.
    fn items_of_list(&self, pair: Pair<'_, Rule>) -> Result<Vec<Argument>, Fault> {
        let found = self.arguments(pair.into_inner().next())?;
        match found.as_slice() {
            [only] if only.items.is_empty() => Ok(Vec::new()),
            _ => Ok(found),
        }
    }

    fn arguments(&self, pair: Option<Pair<'_, Rule>>) -> Result<Vec<Argument>, Fault> {
        let mut found = Vec::new();
        let mut after_bar = false;
        for part in pair.into_iter().flat_map(Pair::into_inner) {
            match part.as_rule() {
                Rule::comma => after_bar = false,
                Rule::bar => after_bar = true,
                _ => {
                    let (start, end) = self.place(&part);
                    found.push(Argument { items: self.sequence(part)?, start, end, after_bar });
                }
            }
        }
        Ok(found)
    }

    fn place(&self, pair: &Pair<'_, Rule>) -> (usize, usize) {
        let span = pair.as_span();
        (self.base + span.start(), self.base + span.end())
    }
}
