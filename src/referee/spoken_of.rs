//! What the rules say of something that is asked: `can I fly?`, `must I feed the opponent?`.

use std::collections::HashMap;

use indexmap::IndexSet;
use petgraph::graph::NodeIndex;
use petgraph::visit::Dfs;
use rust_stemmers::{Algorithm, Stemmer};

use crate::diagnostic::listed;
use crate::explain::Explanation;
use crate::program::{ClauseId, Kind, Program, RelationId};
use crate::reference::Facts;
use crate::source::FileId;
use crate::syntax::sentences;

use super::Referee;
use super::asked::{in_small, told};
use super::kinds::kinds;
use super::leaps::LEAPS;
use super::remarks::{TAKES, is_called};
use super::unread::words;
use super::values::sites_in;

/// How questions begin.
#[rustfmt::skip]
const BEGINS: [&str; 27] = [
    "am", "are", "can", "can't", "could", "did", "do", "does", "has", "have", "how", "is", "may", "must", "should",
    "what", "when", "where", "which", "who", "whose", "why", "will", "would", "was", "were", "need",
];

/// Words that say nothing of what is asked, or that most rules have.
#[rustfmt::skip]
const COMMON: [&str; 128] = [
    "a", "about", "again", "all", "allowed", "also", "am", "an", "and", "any", "anything", "are", "as", "at", "be", "been",
    "by", "can", "cannot", "could", "did", "do", "does", "done", "else", "for", "forced", "from", "get", "go", "had",
    "happens", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just",
    "legal", "like", "made", "make", "many", "may", "me", "mean", "mine", "more", "much", "must", "my", "need", "no", "not",
    "now", "of", "on", "one", "only", "or", "our", "own", "s", "she", "should", "so", "some", "still", "t", "than", "that",
    "the", "their", "them", "then", "there", "they", "this", "to", "too", "up", "was", "we", "what", "when", "where",
    "which", "who", "whose", "why", "will", "with", "would", "yet", "you", "your", "early", "game", "move", "moved",
    "moves", "moving", "nearly", "once", "piece", "pieces", "play", "player", "players", "plays", "soon", "turn", "turns",
    "us", "use", "used", "while", "always",
];

/// Words of one meaning, of which people and rules use different ones. The words for captures and leaps are others.
const ALIKE: [&[&str]; 13] = [
    &["diagonal", "diagonally", "diagonals", "aslant", "oblique", "obliquely"],
    &["sideways", "sideward", "aside"],
    &["back", "backward", "backwards", "behind"],
    &["ahead", "forward", "forwards", "straight"],
    &["opponent", "enemy", "enemies", "adversary"],
    &["men", "man"],
    &["double", "two", "twice", "both"],
    &["three", "triple"],
    &["promote", "promoted", "promotion", "promotes", "crown", "crowned", "become", "becomes"],
    &["stuck", "blocked", "stalemate", "stalemated"],
    &["end", "ends", "over", "finish", "finished"],
    &["lose", "loses", "lost", "loser"],
    &["win", "wins", "winner", "won"],
];

/// A sentence is told only where the words that it shares with the question are rarer than those of one sentence in 2.5.
const LEAST: f64 = 2.5;

/// What a sentence of the rules is about, first what answers most questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Moves,
    Ends,
    Game,
    Option,
}

/// A sentence of the rules and what tells its place.
struct Sentence {
    text: String,
    place: String,
    of: Of,
    stems: IndexSet<String>,
}

impl Sentence {
    /// Whether another one says much the same.
    fn is_like(&self, other: &Sentence) -> bool {
        let common = self.stems.intersection(&other.stems).count();
        5 * common >= 3 * self.stems.len().min(other.stems.len())
    }
}

/// Whether a text is a question.
fn is_question(text: &str) -> bool {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    text.ends_with('?') || BEGINS.contains(&first.as_str())
}

/// The answer to a question without sites, by the sentences of the rules that share most with it; `None` where it shares nothing
/// with them that tells them apart.
pub fn spoken_of(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Explanation> {
    // how many there are now is in no rule
    let counts = ["how many ", "how much "].iter().any(|words| in_small(text).starts_with(words))
        && words(text).iter().any(|word| ["i", "my", "have"].contains(&word.as_str()));
    if counts || !is_question(text) || !sites_in(referee, text).is_empty() {
        return None;
    }
    let stemmer = Stemmer::create(Algorithm::English);
    let asked = stems(referee, &stemmer, text);
    let mut sentences = sentences_of(referee, facts, &stemmer);
    let mut holding: HashMap<String, usize> = HashMap::new();
    for stem in sentences.iter().flat_map(|sentence| &sentence.stems) {
        *holding.entry(stem.clone()).or_default() += 1;
    }
    let all = sentences.len() as f64;
    // where there are several kinds of pieces, what is asked of one is in no rule of the others
    let kinds: IndexSet<String> =
        kinds(referee).into_iter().flat_map(|(_, kind)| stems(referee, &stemmer, &kind)).collect();
    let named: Vec<&String> = asked.iter().filter(|stem| kinds.contains(*stem)).collect();
    if kinds.len() > 1 && !named.is_empty() {
        sentences.retain(|sentence| named.iter().any(|kind| sentence.stems.contains(*kind)));
    }
    // the rarer a word is in the rules, the more it says
    let weight = |stem: &String| holding.get(stem).map_or(0.0, |n| (all / *n as f64).ln());
    let score = |sentence: &Sentence| -> f64 {
        asked.iter().filter(|stem| sentence.stems.contains(*stem)).map(weight).sum()
    };
    let best = sentences.iter().map(score).fold(0.0, f64::max);
    // how a game is won or lost is asked of all rules that say it, as one player wins where the other one loses
    let ends = |stem: &String| ["win", "lose"].contains(&stem.as_str());
    let of_end = asked.len() == 1 && asked.iter().all(ends);
    match of_end {
        true => sentences.retain(|sentence| sentence.stems.iter().any(ends)),
        false if best <= LEAST.ln() => return None,
        false => sentences.retain(|sentence| score(sentence) >= best),
    }
    // of two that say as much, the one with the fewest words
    sentences.sort_by_key(|sentence| {
        let other = of_end && (sentence.of == Of::Moves || sentence.stems.is_disjoint(&asked));
        (other, sentence.of, sentence.stems.len())
    });
    let first = sentences.first()?;
    let other = sentences.iter().skip(1).find(|other| !first.is_like(other));
    let said: Vec<String> = [Some(first), other]
        .into_iter()
        .flatten()
        .map(|one| format!("\"{}\" ({})", one.text, one.place))
        .collect();
    Some(told(text, format!("The rules say: {}.", listed(&said, "and")), true))
}

/// Whether the rules speak of all that a text says.
pub(super) fn speak_of(referee: &Referee<'_>, facts: &Facts, text: &str) -> bool {
    let stemmer = Stemmer::create(Algorithm::English);
    let said = stems(referee, &stemmer, text);
    let sentences = sentences_of(referee, facts, &stemmer);
    !said.is_empty()
        && said.iter().all(|stem| sentences.iter().any(|sentence| sentence.stems.contains(stem)))
}

/// The sentences of the rules: the comments of the clauses of play, those about the options, and those about the game.
fn sentences_of(referee: &Referee<'_>, facts: &Facts, stemmer: &Stemmer) -> Vec<Sentence> {
    let program = &referee.game.program;
    let of_play = relations_of_play(program);
    // a file of facts alone, as of a board, is about no rule
    let of_rules: IndexSet<FileId> = (program.clauses.iter())
        .filter(|clause| of_play.contains_key(&clause.relation))
        .filter(|clause| program.relation(clause.relation).kind != Kind::Static)
        .map(|clause| clause.span.file)
        .chain([FileId(0)])
        .collect();
    let mut found: Vec<(String, String, Of)> = Vec::new();
    for (by, clause) in program.clauses.iter().enumerate() {
        let Some(of) = of_play.get(&clause.relation) else { continue };
        if !of_rules.contains(&clause.span.file) {
            continue;
        }
        for (text, place) in referee.rules.rules_in_words(facts, ClauseId(by as u32)) {
            if !found.iter().any(|known| known.0 == text) {
                found.push((text, place, *of));
            }
        }
    }
    if let (Some(about), Some(file)) = (program.in_words(), program.sources.get(FileId(0))) {
        found.extend(sentences(&about).into_iter().map(|text| (text, file.name.clone(), Of::Game)));
    }
    for option in program.options.values() {
        let Some(comment) = program.option_comment(option) else { continue };
        let place = format!("option {} = {}", option.name, program.values.show(option.value));
        found.extend(sentences(&comment).into_iter().map(|text| (text, place.clone(), Of::Option)));
    }
    let with_stems = |(text, place, of): (String, String, Of)| {
        let stems = stems(referee, stemmer, &text);
        Sentence { text, place, of, stems }
    };
    found.into_iter().map(with_stems).collect()
}

/// The relations of the moves, chance events, ends and scores, and those that they use: not those of notations and pictures.
fn relations_of_play(program: &Program) -> HashMap<RelationId, Of> {
    let special = &program.special;
    let play = [special.moves, special.chance, special.rank].into_iter().flatten();
    let ends = program.ends.iter().map(|(_, clause)| program.clause(*clause).relation);
    let ends = special.score.into_iter().chain(ends).map(|root| (root, Of::Ends));
    let graph = &program.graph.graph;
    let mut reached = Dfs::empty(graph);
    let mut found = HashMap::new();
    for (root, of) in play.map(|root| (root, Of::Moves)).chain(ends) {
        reached.move_to(NodeIndex::new(root.0 as usize));
        while let Some(node) = reached.next(graph) {
            found.insert(graph[node], of);
        }
    }
    found
}

/// The stems of the words of a text that say something, one for all words of the same meaning.
fn stems(referee: &Referee<'_>, stemmer: &Stemmer, text: &str) -> IndexSet<String> {
    let program = &referee.game.program;
    let player = |word: &str| {
        program.players.iter().any(|player| is_called(&program.values.show(*player), word))
    };
    let all = words(text);
    let turns =
        |at: usize| all.get(at + 1).is_some_and(|next| ["turn", "turns"].contains(&next.as_str()));
    let telling = all
        .iter()
        .enumerate()
        .filter(|(at, word)| !COMMON.contains(&word.as_str()) && !player(word) && !turns(*at));
    let stem = |word: &str| match ALIKE.iter().find(|alike| alike.contains(&word)) {
        Some(alike) => alike[0].to_string(),
        None if TAKES.contains(&word) => TAKES[0].to_string(),
        None if LEAPS.contains(&word) => LEAPS[0].to_string(),
        None => stemmer.stem(word).into_owned(),
    };
    telling.map(|(_, word)| stem(word)).collect()
}
