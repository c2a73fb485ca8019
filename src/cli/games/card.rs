//! What is told of a shipped game.

use serde_json::{Value, json};

use crate::diagnostic::listed;
use crate::program::{
    self, FileRole, GameOption, LoadRequest, OptionDomain, Program, RelationId, Term, sizes,
};
use crate::referee::{Evaluator, Referee, Stop};
use crate::source::{FileId, Library, ShippedFile};
use crate::syntax::{TermKind, print_term, read_file};
use crate::ui::open;

/// What is told of a game.
pub struct Card {
    pub file: ShippedFile,
    pub title: String,
    /// The rules in words.
    pub about: Option<String>,
    /// The rules in words, or the comment that the file begins with.
    pub in_words: String,
    /// The first sentence of that.
    pub summary: String,
    pub families: Vec<String>,
    pub players: Vec<String>,
    /// Players who take part under other options only.
    pub absent: Vec<String>,
    /// The numbers of players that there can be, in order.
    pub seats: Vec<usize>,
    pub options: Vec<OptionCard>,
    pub sources: Vec<String>,
    /// The game of which this is a variant, and the parameters that it sets.
    pub base: Option<(String, String)>,
    pub tokens: Tokens,
}

/// What is told of an option.
pub struct OptionCard {
    pub name: String,
    pub default: String,
    /// The values one by one, or the least and the greatest of a range.
    pub values: Values,
    /// What it means.
    pub comment: Option<String>,
}

/// The values of an option.
pub enum Values {
    Each(Vec<String>),
    Range(i64, i64),
}

/// The sizes of a game's files in tokens.
pub struct Tokens {
    pub own: usize,
    /// Those of the games of which it is a variant; 0 for other games.
    pub base: usize,
    /// Those of the boards and other files that are included.
    pub included: usize,
}

impl Tokens {
    /// The size in words, with all files where there are several.
    pub fn words(&self) -> String {
        match self.all() {
            all if all == self.own => format!("{all} tokens"),
            all => format!("{} tokens, {all} with all files", self.own),
        }
    }

    /// The sum over all files.
    pub fn all(&self) -> usize {
        self.own + self.base + self.included
    }
}

/// The cards of all shipped games, ordered by family and name.
pub fn all() -> Vec<Card> {
    Library::games().into_iter().filter_map(Card::new).collect()
}

impl Card {
    fn new(file: ShippedFile) -> Option<Card> {
        let program = program::check(&LoadRequest::shipped(file.name)).program?;
        let mut families = texts(&program, program.special.family);
        if families.is_empty() {
            families.push(program.family.clone());
        }
        let show = |value| program.values.show(value);
        let open = program.options.values().filter(|option| !option.fixed);
        Some(Card {
            file,
            title: program.title.clone(),
            about: program.about.clone(),
            in_words: program.in_words().unwrap_or_default(),
            summary: program.summary().unwrap_or_default(),
            families,
            players: program.players.iter().map(|p| show(*p)).collect(),
            absent: program.absent.iter().map(|p| show(*p)).collect(),
            seats: seats(file.name, &program),
            options: open.map(|option| OptionCard::new(&program, option)).collect(),
            sources: texts(&program, program.special.source),
            base: base(&program),
            tokens: tokens(&program),
        })
    }

    /// Whether a word occurs in the name, the title, the rules in words or a family.
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let texts = [self.file.name, &self.title, &self.in_words];
        let families = self.families.iter().map(String::as_str);
        texts.into_iter().chain(families).any(|text| text.to_lowercase().contains(&word))
    }

    /// Whether this is its name or its title.
    pub fn is_called(&self, name: &str) -> bool {
        self.file.name.eq_ignore_ascii_case(name)
            || self.title.to_lowercase() == name.to_lowercase()
    }

    /// How many players there can be, in words.
    pub fn seats(&self) -> String {
        match self.seats.as_slice() {
            [1] => "1 player".to_string(),
            all => format!("{} players", numbers(all)),
        }
    }

    /// The opening position as text.
    ///
    /// # Errors
    /// The game cannot be loaded, or a rule error.
    pub fn opening(&self, width: usize) -> Result<String, Stop> {
        let game = open::game(&LoadRequest::shipped(self.file.name))?;
        let mut referee = Referee::new(&game, Evaluator::Compiled);
        let position = referee.opening();
        referee.drawn(&position, width)
    }

    /// The card as data.
    pub fn data(&self) -> Value {
        let base = self.base.as_ref().map(|(name, with)| json!({ "name": name, "with": with }));
        json!({
            "name": self.file.name,
            "title": self.title,
            "about": self.about,
            "summary": self.summary,
            "families": self.families,
            "players": self.players,
            "players_by_option": self.absent,
            "numbers_of_players": self.seats,
            "options": self.options.iter().map(OptionCard::data).collect::<Vec<_>>(),
            "sources": self.sources,
            "variant_of": base,
            "tokens": {
                "own": self.tokens.own,
                "base": self.tokens.base,
                "included": self.tokens.included,
            },
        })
    }
}

impl OptionCard {
    fn new(program: &Program, option: &GameOption) -> OptionCard {
        let show = |value| program.values.show(value);
        OptionCard {
            name: option.name.clone(),
            default: show(option.default),
            values: match &option.domain {
                OptionDomain::Values(all) => Values::Each(all.iter().map(|v| show(*v)).collect()),
                OptionDomain::Range(least, greatest) => Values::Range(*least, *greatest),
            },
            comment: program.option_comment(option),
        }
    }

    /// A value other than the default, for an example; the next number of a range.
    pub fn other(&self) -> Option<String> {
        match &self.values {
            Values::Each(all) => all.iter().find(|value| **value != self.default).cloned(),
            Values::Range(least, greatest) => {
                let default: i64 = self.default.parse().ok()?;
                let other = if default < *greatest { default + 1 } else { default - 1 };
                (least < greatest).then(|| other.to_string())
            }
        }
    }

    fn data(&self) -> Value {
        let values = match &self.values {
            Values::Each(all) => json!(all),
            Values::Range(least, greatest) => json!({ "from": least, "to": greatest }),
        };
        json!({
            "name": self.name,
            "default": self.default,
            "values": values,
            "comment": self.comment,
        })
    }
}

/// Numbers in words: `2`, `2 or 3`, `2, 3 or 4`.
fn numbers(all: &[usize]) -> String {
    let words: Vec<String> = all.iter().map(usize::to_string).collect();
    listed(&words, "or")
}

/// The numbers of players that the values of the options give.
fn seats(name: &str, program: &Program) -> Vec<usize> {
    let most = program.players.len() + program.absent.len();
    let mut found = vec![program.players.len()];
    let options = program.options.values().filter(|o| program.seats_vary && !o.fixed);
    for option in options {
        // an option that gives the number of players has such numbers only
        for number in 1..=most as i64 {
            if option.domain.contains(program::Value::Integer(number)) {
                let request = LoadRequest::shipped(name);
                let request = request.with_option(&option.name, &number.to_string());
                let other = program::check(&request).program;
                found.extend(other.map(|program| program.players.len()));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The arguments of facts like `source("…")`.
fn texts(program: &Program, relation: Option<RelationId>) -> Vec<String> {
    let Some(relation) = relation else { return Vec::new() };
    let clauses = program.relation(relation).clauses.iter().map(|id| program.clause(*id));
    clauses
        .filter_map(|clause| match clause.head.first() {
            Some(Term::Constant(value)) => {
                let shown = program.values.show(*value);
                Some(shown.trim_matches('"').to_string())
            }
            _ => None,
        })
        .collect()
}

/// What `:- variant_of "name" with (…)` says.
fn base(program: &Program) -> Option<(String, String)> {
    let (syntax, _) = read_file(&program.sources, FileId(0));
    let directives = syntax.clauses.iter().filter(|c| c.head.is_none());
    let argument = directives
        .filter_map(|c| c.body.as_ref()?.args_of("variant_of", 1))
        .find_map(|arguments| arguments.first())?;
    let (name, with) = match argument.args_of("with", 2) {
        Some([name, with]) => {
            let with: Vec<String> = with.flatten(",").into_iter().map(print_term).collect();
            (name, with.join(", "))
        }
        _ => (argument, String::new()),
    };
    match &name.kind {
        TermKind::Text(name) => Some((name.clone(), with)),
        _ => None,
    }
}

fn tokens(program: &Program) -> Tokens {
    let files = sizes(&program.sources);
    let sum = |role| files.iter().filter(|f| f.role == role).map(|f| f.tokens).sum();
    Tokens { own: sum(FileRole::Own), base: sum(FileRole::Base), included: sum(FileRole::Included) }
}
