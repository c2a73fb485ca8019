//! `ludex import`: games in the form of other programs, saved as games of this one.

use std::path::PathBuf;

use clap::Args;

use crate::program::{LoadRequest, Origin, Value};
use crate::record::{
    Count, Node, Pgn, RESULTS, Saved, Trial, plain, read_pgn, read_sgf, save, save_new,
};
use crate::reference::{Lists, RecordTag, Turn, distinct, lists_text};

use super::export;
use super::record::{Format, Layout, multiplied};
use crate::referee::miss::{Miss, closest};
use crate::referee::naming::{self, Named};
use crate::referee::typed::{self, Reading};
use crate::referee::ways;
use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::repl::in_short;
use crate::ui::arguments::{OptionArguments, pair};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::seats::Seat;
use crate::ui::start;

/// Reads games in PGN, PDN, SGF or as lines of moves and saves each, so that `ludex replay` and `ludex play
/// --resume` can go on with it.
///
/// In PGN the tag `Game` names the game and `Options` its options, as `ludex export` writes them; `--game` is for
/// files without. Moves may be in any notation of the game. All games are checked before any is saved.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// The file with the games.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to save the game in; without it a free name in this folder, `GAME-1.ron`.
    #[arg(value_name = "SAVED")]
    saved: Option<PathBuf>,

    /// The game that was played: a shipped game's name, or the path of a rule file.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// The format; without it the end of the file's name tells, and PGN is the default.
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    options: OptionArguments,
}

/// The properties of SGF that change a position other than by a move. The rules say which of them can be read.
const SETS_UP: [&str; 4] = ["AB", "AW", "AE", "PL"];

/// The most points that set up a position.
const LONGEST: usize = 1 << 16;

/// The most characters of a word that a message quotes.
const LONGEST_WORD: usize = 40;

/// The most bytes of a file.
const MAX_FILE: u64 = 16 << 20;

/// A game of a file.
enum Record {
    /// Tags, moves and result; of SGF, the properties of the first node are the tags.
    Tagged(Pgn),
    /// The nodes of a game in SGF.
    Tree(Vec<Node>),
    /// The moves without anything between them.
    Line(String),
}

pub fn run(arguments: &ImportArguments, console: &Console) -> Result<(), Stop> {
    let name = arguments.file.display().to_string();
    let format = arguments.format.or(Format::of(&arguments.file)).unwrap_or(Format::Pgn);
    let text = text(arguments)?;
    let wrong = |fault| Stop::Failed(format!("`{name}` is not {}: {fault}", format.name()));
    let games: Vec<Record> = match format {
        Format::Pgn | Format::Pdn => {
            let mut games = read_pgn(&text).map_err(wrong)?;
            if format == Format::Pdn {
                games.iter_mut().for_each(Pgn::read_points);
            }
            games.into_iter().map(Record::Tagged).collect()
        }
        Format::Sgf => read_sgf(&text).map_err(wrong)?.into_iter().map(Record::Tree).collect(),
        Format::Moves => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(|line| Record::Line(line.to_string())).collect()
        }
    };
    if games.is_empty() {
        return Err(Stop::Failed(format!("`{name}` has no game in it")));
    }
    if arguments.saved.is_some() && games.len() > 1 {
        let text = format!("`{name}` has {} games: leave out the file to save in", games.len());
        return Err(Stop::Usage(text));
    }
    let several = games.len() > 1;
    let place = |i: usize| match several {
        true => format!("`{name}`, game {}: ", i + 1),
        false => format!("`{name}`: "),
    };
    let mut trials = Vec::new();
    for (i, record) in games.iter().enumerate() {
        trials.push(trial(record, format, arguments, &place(i), console)?);
    }
    for trial in &trials {
        let saved = match &arguments.saved {
            Some(path) => save(trial, path),
            None => save_new(trial, std::path::Path::new("")),
        };
        let Saved { path } = saved.map_err(|error| Stop::Failed(error.to_string()))?;
        let moves = trial.moves.len();
        let moves = if moves == 1 { "1 move".to_string() } else { format!("{moves} moves") };
        console.line(format!("saved in `{}`: {}, {moves}", path.display(), trial.game))?;
    }
    Ok(())
}

fn text(arguments: &ImportArguments) -> Result<String, Stop> {
    let name = arguments.file.display();
    let unreadable = |reason: String| Stop::Usage(format!("cannot read `{name}`: {reason}"));
    let meta = std::fs::metadata(&arguments.file).map_err(|e| unreadable(plain(&e)))?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        let what = if meta.is_file() { "it is larger than 16 MiB" } else { "it is not a file" };
        return Err(unreadable(what.to_string()));
    }
    let bytes = std::fs::read(&arguments.file).map_err(|e| unreadable(plain(&e)))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| unreadable("it is not UTF-8 text; save it as UTF-8".to_string()))?;
    // some editors begin a text with this mark
    Ok(text.strip_prefix('\u{feff}').map(String::from).unwrap_or(text))
}

/// A game as a saved game. `place` begins the messages about it.
fn trial(
    record: &Record,
    format: Format,
    arguments: &ImportArguments,
    place: &str,
    console: &Console,
) -> Result<Trial, Stop> {
    let tagged = match record {
        Record::Tagged(pgn) => Some(pgn),
        _ => None,
    };
    let Some(name) = arguments.game.as_deref().or(tagged.and_then(|pgn| pgn.tag("Game"))) else {
        let text = match tagged {
            Some(_) => format!("{place}there is no tag `Game`; name the game by `--game NAME`"),
            None => format!("{place}name the game by `--game NAME`"),
        };
        return Err(Stop::Usage(text));
    };
    let mut request = LoadRequest::new(Origin::of(name));
    for option in tagged.and_then(|p| p.tag("Options")).iter().flat_map(|all| all.split(',')) {
        let wrong = |text| Stop::Failed(format!("{place}the tag `Options`: {text}"));
        request.options.push(pair(option).map_err(wrong)?);
    }
    request.options.extend(arguments.options.options.iter().cloned());
    let mut game = open::game(&request)?;
    let layout = Layout::new(&Referee::new(&game, Evaluator::Compiled), Some(format))?;
    let (pgn, given) = match record {
        Record::Tagged(pgn) => (pgn.clone(), pgn.tag("FEN").map(String::from)),
        Record::Tree(nodes) => {
            let referee = Referee::new(&game, Evaluator::Compiled);
            let set_up = SetUp::new(&referee, &layout)?;
            flat(nodes, &referee, &layout, set_up)
                .map_err(|what| Stop::Failed(format!("{place}{what}")))?
        }
        Record::Line(_) => (Pgn { result: RESULTS[3].to_string(), ..Pgn::default() }, None),
    };
    let told =
        told_options(&pgn, &layout).map_err(|what| Stop::Failed(format!("{place}{what}")))?;
    let before = request.options.len();
    for (tag, name, value) in told {
        let program = &game.program;
        if let Some((_, known)) = request.options.iter().find(|(known, _)| *known == name) {
            if *known != value {
                let what =
                    format!("by the tag `{tag}` the option `{name}` is {value}, not {known}");
                return Err(Stop::Failed(format!("{place}{what}")));
            }
            continue;
        }
        let typed = value.parse().map(Value::Integer).ok();
        let typed = typed.or_else(|| program.values.find_atom(&value));
        let option = program.options.get(&name);
        if !option.is_some_and(|option| typed.is_some_and(|v| option.domain.contains(v))) {
            let found = pgn.tag(&tag).unwrap_or_default();
            let what = format!("the tag `{tag}` is `{found}`, which fits no value of `{name}`");
            return Err(Stop::Failed(format!("{place}{what}")));
        }
        request.options.push((name, value));
    }
    if request.options.len() > before {
        game = open::game(&request)?;
    }
    if game.program.players.len() != 2 {
        let (players, what) = (game.program.players.len(), format.name());
        let text = format!("{place}{what} is for two players, and the game `{name}` has {players}");
        return Err(Stop::Failed(text));
    }
    let mut trial = open::trial(&request, &game, 0);
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    trial.players = seats(&referee, &pgn, &layout);
    trial.given = given;
    let last = match record {
        Record::Line(line) => play_line(&mut referee, &mut trial, line, &layout, place)?,
        _ => play(&mut referee, &mut trial, &pgn, &layout, place)?,
    };
    let white = layout.colours(&referee)[0];
    finish(&mut referee, &mut trial, &last, &pgn, white, place, console)?;
    Ok(trial)
}

/// The options that tags tell, each with its tag. A tag whose text the rules give must have one of these texts.
fn told_options(pgn: &Pgn, layout: &Layout) -> Result<Vec<(String, String, String)>, String> {
    let mut options = Vec::new();
    for (name, content) in &layout.tags {
        let Some(found) = pgn.tag(name) else { continue };
        match content {
            RecordTag::Option(option, 1) => {
                options.push((name.clone(), option.clone(), found.to_string()));
            }
            RecordTag::Option(option, by) => match multiplied(found, *by) {
                Some(value) => options.push((name.clone(), option.clone(), value.to_string())),
                None => {
                    return Err(format!(
                        "the tag `{name}` is `{found}`, which fits no value of `{option}`"
                    ));
                }
            },
            RecordTag::Text(_) => {
                let texts = layout.tags.iter().filter(|(other, _)| other == name);
                let texts: Vec<&str> = texts
                    .filter_map(|(_, content)| match content {
                        RecordTag::Text(text) => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                if !texts.contains(&found) {
                    let known: Vec<String> = texts.iter().map(|t| format!("`{t}`")).collect();
                    return Err(format!(
                        "the tag `{name}` is `{found}`, and for this game it is {}",
                        known.join(" or ")
                    ));
                }
            }
            RecordTag::Player(_) | RecordTag::Moves(_) => {}
        }
    }
    Ok(options)
}

/// A position that properties set up.
struct SetUp {
    /// The properties that may do so, by the rules, with the values found.
    lists: Lists,
    /// The values that tell whose turn it is.
    turns: Vec<Turn>,
    found: bool,
}

impl SetUp {
    fn new(referee: &Referee<'_>, layout: &Layout) -> Result<SetUp, Stop> {
        let (leads, turns) = referee
            .rules
            .listed_leads(layout.format.word())
            .map_err(|error| referee.stopped(error))?;
        let lists = leads.into_iter().map(|lead| (lead, Vec::new())).collect();
        Ok(SetUp { lists, turns, found: false })
    }

    /// Takes the values of a property; false where it is none that the rules know.
    fn take(&mut self, name: &str, values: &[String]) -> bool {
        let Some((_, list)) = self.lists.iter_mut().find(|(lead, _)| lead == name) else {
            return false;
        };
        for value in values {
            // a list that is longer than any board names a point twice, for which it will be refused
            if list.len() < LONGEST {
                list.extend(rectangle(value));
            }
        }
        self.found = true;
        true
    }

    /// The position as text, where there is one. Who makes the first move is to move, unless a property says so.
    fn text(mut self, referee: &Referee<'_>, first: Option<usize>) -> Option<String> {
        let of = |turn: &&Turn| referee.game.program.player_index(turn.player) == first;
        let told = |(lead, values): &(String, Vec<String>)| {
            !values.is_empty() && self.turns.iter().any(|turn| turn.lead == *lead)
        };
        if first.is_some()
            && !self.lists.iter().any(told)
            && let Some(turn) = self.turns.iter().find(of)
            && let Some((_, list)) = self.lists.iter_mut().find(|(lead, _)| *lead == turn.lead)
        {
            list.push(turn.text.clone());
        }
        self.found.then(|| lists_text(&self.lists))
    }
}

/// The points of a rectangle, `aa:cc`, or the one point that a value tells.
fn rectangle(value: &str) -> Vec<String> {
    let corners: Vec<char> = value.chars().collect();
    match corners.as_slice() {
        &[left, top, ':', right, bottom]
            if [left, top, right, bottom].iter().all(char::is_ascii_alphabetic) =>
        {
            let rows = |x: char| (top..=bottom).map(move |y| format!("{x}{y}"));
            (left..=right).flat_map(rows).collect()
        }
        _ => vec![value.to_string()],
    }
}

/// The main line of a tree as tags and moves, and the position that it begins with where it sets one up.
fn flat(
    nodes: &[Node],
    referee: &Referee<'_>,
    layout: &Layout,
    mut set_up: SetUp,
) -> Result<(Pgn, Option<String>), String> {
    let properties = [0, 1].map(|index| layout.property(referee, index));
    let mut pgn = Pgn { result: RESULTS[3].to_string(), ..Pgn::default() };
    for (i, node) in nodes.iter().enumerate() {
        for (name, values) in node {
            let value = values.first().cloned().unwrap_or_default();
            if let Some(index) = properties.iter().position(|p| *p == Some(name.as_str())) {
                if values.len() > 1 {
                    let number = pgn.moves.len() + 1;
                    return Err(format!("move {number}: the property `{name}` has several values"));
                }
                pgn.moves.push((index, value));
            } else if pgn.moves.is_empty() && set_up.take(name, values) {
                // a part of the position
            } else if SETS_UP.contains(&name.as_str()) {
                let why = match pgn.moves.is_empty() {
                    true => "which the rules do not tell how to read",
                    false => "which is read before the first move only",
                };
                return Err(format!("the property `{name}` sets up a position, {why}"));
            } else if i == 0 {
                pgn.tags.push((name.clone(), value));
            }
        }
    }
    // `B+3.5`, `W+R`, `0`
    let result = pgn.tag("RE").unwrap_or_default();
    let [one, zero, draw, _] = RESULTS;
    let won = |index: usize| {
        let of = properties[index].and_then(|name| result.strip_prefix(name));
        of.is_some_and(|rest| rest.starts_with('+'))
    };
    if won(0) {
        pgn.result = one.to_string();
    } else if won(1) {
        pgn.result = zero.to_string();
    } else if ["0", "Draw", "Jigo"].contains(&result) {
        pgn.result = draw.to_string();
    }
    let given = set_up.text(referee, pgn.moves.first().map(|(player, _)| *player));
    Ok((pgn, given))
}

/// The seats of the players, by the tags with their names.
fn seats(referee: &Referee<'_>, pgn: &Pgn, layout: &Layout) -> Vec<String> {
    let [white, black] = layout.colours(referee);
    let mut seats = vec![seat(None); 2];
    for (index, name) in [(white, "White"), (black, "Black")] {
        seats[index] = seat(pgn.tag(name));
    }
    for (name, content) in &layout.tags {
        if let RecordTag::Player(player) = content
            && let Some(index) = referee.game.program.player_index(*player)
        {
            seats[index] = seat(pgn.tag(name));
        }
    }
    seats
}

/// The seat of a player: the name of a person, or the word for a seat.
fn seat(name: Option<&str>) -> String {
    let all = [Seat::Human, Seat::Computer, Seat::Random].map(Seat::word);
    let found = all.into_iter().find(|word| Some(*word) == name);
    found.unwrap_or(Seat::Human.word()).to_string()
}

/// Plays the moves, which are added to the record, and returns the last position.
fn play(
    referee: &mut Referee<'_>,
    trial: &mut Trial,
    pgn: &Pgn,
    layout: &Layout,
    place: &str,
) -> Result<Position, Stop> {
    let mut position = match &trial.given {
        Some(text) => {
            let told = match layout.format {
                Format::Sgf => "the first node",
                _ => "the tag FEN",
            };
            let facts = start::given(referee, told, text).map_err(of_file)?;
            referee.position(&facts)?
        }
        None => referee.opening(),
    };
    let mut count = match trial.given {
        Some(_) => Count::from_round(round(referee, &position)),
        None => Count::default(),
    };
    let mut numbered = |referee: &Referee<'_>, position: &Position, index: usize| {
        let turn = referee.turn(position);
        let player = referee.game.program.player_index(turn).unwrap_or_default();
        let passed = count.pass(player, &referee.name(turn), pgn.numbers_before(index));
        passed.map_err(|error| Stop::Failed(format!("{place}{error}")))
    };
    for (i, (player, mv)) in pgn.moves.iter().enumerate() {
        numbered(referee, &position, i)?;
        let fault = |what: String| Stop::Failed(format!("{place}move {}: {what}", i + 1));
        if referee.outcome(&position)?.is_some() {
            return Err(fault(format!("the game is over before `{}`", in_short(mv, LONGEST_WORD))));
        }
        let choices = referee.choices(&position)?;
        if choices.chance {
            let what = layout.format.name();
            return Err(fault(format!("a chance event is due, which {what} cannot tell")));
        }
        let turn = referee.turn(&position);
        if layout.format == Format::Sgf && referee.game.program.player_index(turn) != Some(*player)
        {
            let turn = referee.name(turn);
            return Err(fault(format!("`{mv}` is not {turn}'s, whose turn it is")));
        }
        let named = naming::names(referee, &position, &choices)?;
        let found = match found(referee, &position, &named, mv, layout)? {
            Ok(found) => found.term.clone(),
            Err(miss) => {
                let miss = match (&layout.style, miss) {
                    (Some(style), Miss::Unknown(_)) => {
                        let near = closest(referee, &position, &named, Some(style), mv)?;
                        Miss::Unknown(near)
                    }
                    (_, miss) => miss,
                };
                let told = miss.diagnostic(&in_short(mv, LONGEST_WORD));
                let hints = told.hints.join("; ");
                return Err(fault(format!("{}; {hints}", told.message)));
            }
        };
        let Some(next) = referee.play(&position, &found)? else {
            return Err(fault(format!("`{mv}` cannot be played")));
        };
        trial.push(&found);
        position = next;
    }
    numbered(referee, &position, pgn.moves.len())?;
    Ok(position)
}

/// How many times each player has had a turn in a position, counted from 1.
fn round(referee: &Referee<'_>, position: &Position) -> u64 {
    let players = referee.game.program.players.len().max(1) as u64;
    u64::try_from(referee.ply(position)).unwrap_or(0) / players + 1
}

/// The move that a word means: in the notation of the format, or else in any.
fn found<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    mv: &str,
    layout: &Layout,
) -> Result<Result<&'n Named, Miss>, Stop> {
    if let Some(style) = &layout.style
        && let Some(found) = ways::find_in(referee, position, named, style, mv)?
    {
        return Ok(found);
    }
    // a record is exact: a shortened name would hide a mistake in it
    let read = |mv| typed::read(referee, position, named, mv, Reading::Exact);
    Ok(match read(mv)? {
        // other programs mark check and mate
        Err(miss) => {
            let plain = mv.trim_end_matches(['+', '#']);
            read(plain)?.map_err(|_| miss)
        }
        found => found,
    })
}

/// Plays a line of moves without anything between them. Of the moves that it may go on with, the one with the
/// longest text is played, so one without a text (a pass that goes without saying) comes last.
fn play_line(
    referee: &mut Referee<'_>,
    trial: &mut Trial,
    line: &str,
    layout: &Layout,
    place: &str,
) -> Result<Position, Stop> {
    let mut position = referee.opening();
    let style = layout.style.as_deref().unwrap_or_default();
    let mut rest = line;
    while !rest.is_empty() {
        let number = trial.moves.len() + 1;
        let fault = |what: &str| {
            let shown: String = rest.chars().take(12).collect();
            Stop::Failed(format!("{place}move {number}, at `{shown}`: {what}"))
        };
        if referee.outcome(&position)?.is_some() {
            return Err(fault("the game is over before"));
        }
        let choices = referee.choices(&position)?;
        if choices.chance {
            return Err(fault("a chance event is due, which a line of moves cannot tell"));
        }
        let named = naming::names(referee, &position, &choices)?;
        let texts = naming::styled(referee, &position, &named, style)?;
        let fits = texts.iter().enumerate().flat_map(|(i, own)| own.iter().map(move |t| (i, t)));
        let fits: Vec<_> = fits.filter(|(_, text)| begins(rest, text)).collect();
        let longest = fits.iter().map(|(_, text)| text.len()).max();
        let mut best: Vec<usize> =
            fits.iter().filter(|(_, t)| Some(t.len()) == longest).map(|(i, _)| *i).collect();
        best.dedup();
        let [at] = best.as_slice() else {
            let known: Vec<&str> = distinct(&texts).into_iter().flatten().take(8).collect();
            return Err(match best.is_empty() {
                true => fault(&format!("no legal move begins so; there are {}", known.join(", "))),
                false => fault("several moves begin so"),
            });
        };
        let term = named[*at].term.clone();
        let Some(next) = referee.play(&position, &term)? else {
            return Err(fault("it cannot be played"));
        };
        trial.push(&term);
        position = next;
        rest = rest[longest.unwrap_or(0)..].trim_start();
    }
    Ok(position)
}

/// Whether a line begins with a text, in capitals or not.
fn begins(line: &str, text: &str) -> bool {
    line.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text))
}

/// A fault of the position in the file, rather than of the command line.
fn of_file(stop: Stop) -> Stop {
    match stop {
        Stop::Diagnosed { sources, diagnostics, .. } => {
            Stop::Diagnosed { sources, diagnostics, code: 1 }
        }
        other => other,
    }
}

/// Compares the result with the rules; one who lost in a game that goes on has resigned.
fn finish(
    referee: &mut Referee<'_>,
    trial: &mut Trial,
    last: &Position,
    pgn: &Pgn,
    white: usize,
    place: &str,
    console: &Console,
) -> Result<(), Stop> {
    let [one, zero, draw, open] = RESULTS;
    let result = pgn.result.as_str();
    if let Some(tag) = pgn.other_result() {
        console.note(format!(
            "warning: {place}the tag `Result` is `{tag}`, and behind the moves stands {result}"
        ));
    }
    let players: Vec<String> =
        referee.game.program.players.iter().map(|p| referee.name(*p)).collect();
    let outcome = referee.outcome(last)?;
    if outcome.is_some() {
        let ruled = export::result(referee, outcome.as_ref(), trial, white);
        if result != ruled && result != open {
            console
                .note(format!("warning: {place}the result is {result}, and by the rules {ruled}"));
        }
        return Ok(());
    }
    if result == one {
        trial.resigned = players.get(1 - white).cloned();
    } else if result == zero {
        trial.resigned = players.get(white).cloned();
    } else if result == draw {
        console.note(format!("warning: {place}the draw was agreed on; the saved game goes on"));
    }
    Ok(())
}
