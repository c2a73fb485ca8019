//! Cuts the row of tokens into clauses and checks what must hold before a clause is given to the
//! grammar's `phrase`: no stray characters, no open quotes, brackets that match and are not
//! nested too deeply.

use crate::source::{FileId, Span};

use super::faults::{self, Fault};
use super::{Item, MAX_NESTING, Token, TokenKind, phrase};

/// The tokens of one clause, without its full stop.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    first: usize,
    last: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the clause's full stop ends, if it has one.
    pub(super) stop: Option<usize>,
}

/// Cuts at the full stops. A full stop that an open quote has swallowed counts as well, so that
/// the fault stays in its clause.
pub(super) fn cut(text: &str, tokens: &[Token]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut first = 0;
    for (i, token) in tokens.iter().enumerate() {
        let swallowed = matches!(token.kind, TokenKind::BadText | TokenKind::BadAtom)
            && text[token.start..token.end].trim_end().ends_with('.');
        if token.kind == TokenKind::End {
            match chunk(tokens, first, i, Some(token.end)) {
                Some(chunk) => chunks.push(chunk),
                // A full stop on its own: let the fault be found when it is read.
                None => chunks.push(Chunk {
                    first: i,
                    last: i + 1,
                    start: token.start,
                    end: token.end,
                    stop: Some(token.end),
                }),
            }
            first = i + 1;
        } else if swallowed {
            chunks.extend(chunk(tokens, first, i + 1, Some(token.end)));
            first = i + 1;
        }
    }
    chunks.extend(chunk(tokens, first, tokens.len(), None));
    chunks
}

fn chunk(tokens: &[Token], first: usize, last: usize, stop: Option<usize>) -> Option<Chunk> {
    let row = tokens.get(first..last)?;
    let (start, end) = (row.first()?.start, row.last()?.end);
    Some(Chunk { first, last, start, end, stop })
}

impl Chunk {
    /// What is left of the chunk from a place on.
    pub(super) fn from(&self, place: usize, tokens: &[Token]) -> Option<Chunk> {
        let row = &tokens[self.first..self.last];
        let skipped = row.partition_point(|t| t.start < place);
        if skipped == 0 {
            return None;
        }
        chunk(tokens, self.first + skipped, self.last, self.stop)
    }

    /// The structure of the clause, if its characters and brackets are right.
    pub(super) fn items(
        &self,
        text: &str,
        file: FileId,
        tokens: &[Token],
    ) -> Result<Vec<Item>, Fault> {
        self.check(text, file, &tokens[self.first..self.last])?;
        phrase(&text[self.start..self.end], file, self.start)
    }

    fn check(&self, text: &str, file: FileId, row: &[Token]) -> Result<(), Fault> {
        let mut open: Vec<(usize, &Token)> = Vec::new();
        for (i, token) in row.iter().enumerate() {
            let span = Span::new(file, token.start, token.end);
            match token.kind {
                TokenKind::Word => {}
                TokenKind::End => return Err(faults::lone_stop(span)),
                TokenKind::Open => {
                    open.push((i, token));
                    if open.len() > MAX_NESTING {
                        return Err(faults::too_deep(span));
                    }
                }
                TokenKind::Close => match open.pop() {
                    None => {
                        return Err(match self.earlier_clause(text, &row[..i]) {
                            Some(split) => faults::glued(file, split),
                            None => faults::stray_bracket(text, span),
                        });
                    }
                    Some((from, opener)) => {
                        let matching = closer(text, opener);
                        if !text[token.start..].starts_with(matching) {
                            if let Some(split) = self.earlier_clause(text, &row[..from]) {
                                return Err(faults::glued(file, split));
                            }
                            let resume = self.new_clause(text, &row[from + 1..i]);
                            let opener = Span::new(file, opener.start, opener.end);
                            return Err(match resume {
                                Some(at) => faults::unclosed(text, opener, matching, at, true),
                                None => faults::wrong_bracket(text, opener, span, matching),
                            }
                            .resuming(resume));
                        }
                    }
                },
                TokenKind::BadText | TokenKind::BadAtom => {
                    return Err(faults::open_quote(text, span));
                }
                TokenKind::BadComment => return Err(faults::open_comment(span)),
                TokenKind::Junk => return Err(faults::stray_character(text, span)),
            }
        }
        let Some((from, opener)) = open.pop() else { return Ok(()) };
        if let Some(split) = self.earlier_clause(text, &row[..from]) {
            return Err(faults::glued(file, split));
        }
        let matching = closer(text, opener);
        let resume = self.new_clause(text, &row[from + 1..]);
        let place = resume.unwrap_or(self.end);
        let opener = Span::new(file, opener.start, opener.end);
        let fault = faults::unclosed(text, opener, matching, place, resume.is_some());
        Err(fault.incomplete_if(self.stop.is_none()).resuming(resume))
    }

    /// The part of the chunk before a place, as if a full stop stood there.
    pub(super) fn until(&self, place: usize, tokens: &[Token]) -> Option<Chunk> {
        let row = &tokens[self.first..self.last];
        let last = self.first + row.partition_point(|t| t.start < place);
        chunk(tokens, self.first, last, Some(place))
    }

    /// The first word that stands where a new clause would begin: first on its line and not
    /// farther to the right than this clause.
    fn new_clause(&self, text: &str, row: &[Token]) -> Option<usize> {
        let margin = column_if_first(text, self.start).unwrap_or(0);
        row.iter()
            .filter(|t| t.kind == TokenKind::Word)
            .filter(|t| text[t.start..].starts_with(|c: char| c.is_alphabetic() || c == ':'))
            .find(|t| column_if_first(text, t.start).is_some_and(|c| c <= margin))
            .map(|t| t.start)
    }

    /// Where a second clause begins before a faulty bracket, the first clause being without its
    /// full stop; a place inside brackets does not count.
    fn earlier_clause(&self, text: &str, row: &[Token]) -> Option<usize> {
        let place = self.new_clause(text, row.get(1..)?)?;
        let before = row.iter().take_while(|t| t.start < place);
        let depth = before.fold(0i64, |depth, t| match t.kind {
            TokenKind::Open => depth + 1,
            TokenKind::Close => depth - 1,
            _ => depth,
        });
        (depth == 0).then_some(place)
    }
}

fn closer(text: &str, opener: &Token) -> char {
    match text.as_bytes().get(opener.start) {
        Some(b'(') => ')',
        Some(b'[') => ']',
        _ => '}',
    }
}

/// The column (in bytes, from 0) of a place before which its line is blank.
pub(super) fn column_if_first(text: &str, place: usize) -> Option<usize> {
    let before = text.as_bytes()[..place].iter().rev();
    let mut column = 0;
    for byte in before {
        match byte {
            b'\n' => break,
            b' ' | b'\t' | b'\r' => column += 1,
            // The byte order mark is not text.
            0xBF | 0xBB | 0xEF => {}
            _ => return None,
        }
    }
    Some(column)
}
