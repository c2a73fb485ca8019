//! The numbers of a report as sections with tables and charts, each with what its terms mean.

use serde_json::{Value, json};

use crate::render::{Bar, Curve, bars, histogram, lines};
use crate::study::statistics::{Estimate, elo_told};

/// The most bars of one chart.
const MOST_BARS: usize = 24;

/// A part of the page.
pub struct Section {
    pub title: &'static str,
    /// What its terms mean.
    pub text: &'static str,
    /// The heading and the rows of a table; empty where there is none.
    pub table: Vec<Vec<String>>,
    /// Captions and SVG.
    pub charts: Vec<(String, String)>,
}

impl Section {
    fn new(title: &'static str, text: &'static str) -> Section {
        Section { title, text, table: Vec::new(), charts: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.table.len() < 2 && self.charts.is_empty()
    }

    pub fn data(&self) -> Value {
        let charts: Vec<Value> = self
            .charts
            .iter()
            .map(|(caption, svg)| json!({ "caption": caption, "svg": svg }))
            .collect();
        json!({
            "title": self.title,
            "text": self.text,
            "head": self.table.first(),
            "rows": self.table.get(1..).unwrap_or_default(),
            "charts": charts,
        })
    }
}

/// A quantity and its interval, with this many decimals.
pub fn with_interval(data: &Value, decimals: usize) -> String {
    match Estimate::read(data) {
        Some(of) => {
            let half = (of.high - of.low) / 2.0;
            format!("{:.decimals$} ± {half:.decimals$}", of.value)
        }
        None => "–".to_string(),
    }
}

/// A share in per cent with its bounds.
pub fn per_cent(data: &Value) -> String {
    match Estimate::read(data) {
        Some(of) => {
            let [value, low, high] = [of.value, of.low, of.high].map(|share| share * 100.0);
            format!("{value:.1} % ({low:.1}–{high:.1})")
        }
        None => "–".to_string(),
    }
}

/// A number without needless decimals.
fn plain(value: &Value) -> String {
    value.as_f64().map_or("–".to_string(), |n| format!("{n:.0}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

/// A heading with a column for each series.
fn heading(series: &[Value]) -> Vec<String> {
    std::iter::once(String::new())
        .chain(series.iter().map(|of| format!("{} ({} games)", word(&of["name"]), of["games"])))
        .collect()
}

/// A share as a bar.
fn bar(label: String, data: &Value, further: &str) -> Option<Bar> {
    let of = Estimate::read(data)?;
    Some(Bar {
        label,
        value: of.value,
        interval: Some((of.low, of.high)),
        told: format!("{}{further}", per_cent(data)),
    })
}

/// All sections of a game's numbers that have something to tell.
pub fn all(data: &Value) -> Vec<Section> {
    let series = list(&data["series"]);
    let sections = [
        overview(series, data),
        strategies(data),
        length(series),
        branching(series),
        outcomes(series),
        ends(series),
        course(series),
        depth(data),
        first_moves(series),
        clauses(series),
        figures(series),
    ];
    sections.into_iter().filter(|section| !section.is_empty()).collect()
}

fn overview(series: &[Value], data: &Value) -> Section {
    let mut section = Section::new(
        "At a glance",
        "Each number is a mean with half of its 95 % interval, or a share with the bounds of the interval in \
         brackets. A ply is one move of one player; chance events are not counted. Random games show what the \
         rules allow, games of the computer what the players aim at.",
    );
    let several = list(&data["players"]).len() > 1;
    section.table.push(heading(series));
    let mut row = |name: &str, of: &dyn Fn(&Value) -> String| {
        let cells: Vec<String> = series.iter().map(of).collect();
        if cells.iter().any(|cell| cell != "–") {
            section.table.push(std::iter::once(name.to_string()).chain(cells).collect());
        }
    };
    row("length in plies", &|of| with_interval(&of["length"]["mean"], 1));
    row("legal moves", &|of| with_interval(&of["branching"]["mean"], 1));
    row("forced moves", &|of| per_cent(&of["forced"]));
    if several {
        row("points of the first player", &|of| per_cent(&of["first_player"]));
        row("drawn", &|of| {
            let drawn = list(&of["outcomes"]).iter().find(|entry| entry["kind"] == "drawn");
            drawn.map_or("–".to_string(), |entry| per_cent(&entry["share"]))
        });
        row("changes of the lead", &|of| with_interval(&of["lead_changes"], 2));
        row("drama", &|of| with_interval(&of["drama"], 2));
        row("decisive moment", &|of| with_interval(&of["decisive_moment"], 2));
    } else {
        row("score", &|of| {
            let score = list(&of["figures"]).iter().find(|figure| figure["name"] == "score");
            score.map_or("–".to_string(), |figure| with_interval(&figure["mean"], 1))
        });
    }
    section
}

fn strategies(data: &Value) -> Section {
    let mut section = Section::new(
        "Strategies on the same starts",
        "All strategies play the same starts: the chance events before the first move are the same. Of two \
         strategies, the share of starts on which the first one has the higher score (equal ones count half), \
         and how much higher its score is on the mean.",
    );
    let series = list(&data["series"]);
    let comparisons = list(&data["comparisons"]);
    if comparisons.is_empty() {
        return section;
    }
    let names: Vec<String> = list(&series[0]["figures"]).iter().map(|f| word(&f["name"])).collect();
    let mut head = vec!["strategy".to_string(), "plays".to_string()];
    head.extend(names.iter().cloned());
    section.table.push(head);
    for of in series {
        let mut row = vec![word(&of["name"]), word(&of["what"])];
        row.extend(list(&of["figures"]).iter().map(|figure| with_interval(&figure["mean"], 1)));
        section.table.push(row);
    }
    let pairs = comparisons.iter().filter_map(|pair| {
        let label = format!("{} above {}", word(&pair["a"]), word(&pair["b"]));
        let gain = with_interval(&pair["gain"], 1);
        bar(label, &pair["share"], &format!(", {gain}"))
    });
    let pairs: Vec<Bar> = pairs.collect();
    let caption = "Share of starts with the higher score, and the difference".to_string();
    section.charts.push((caption.clone(), bars(&pairs, &caption)));
    section
}

fn length(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Length",
        "How many plies a game lasts (Browne: duration). The quartiles are the lengths below which a quarter, \
         half and three quarters of the games stay.",
    );
    section.table.push(["", "mean", "shortest", "quartiles", "longest"].map(String::from).to_vec());
    for of in series {
        let length = &of["length"];
        let quartiles: Vec<String> = list(&length["quartiles"]).iter().map(plain).collect();
        section.table.push(vec![
            word(&of["name"]),
            with_interval(&length["mean"], 1),
            plain(&length["least"]),
            quartiles.join(", "),
            plain(&length["most"]),
        ]);
        let caption = format!("Games by length: {}", word(&of["what"]));
        section.charts.push((caption.clone(), histogram(&columns(length), &caption, "plies")));
    }
    section
}

fn columns(data: &Value) -> Vec<(f64, f64, u64)> {
    let column = |entry: &Value| Some((entry[0].as_f64()?, entry[1].as_f64()?, entry[2].as_u64()?));
    list(&data["histogram"]).iter().filter_map(column).collect()
}

fn branching(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Branching factor",
        "How many legal moves a player has on the mean, by ply, as long as a tenth of the games go on. A move is \
         forced where it is the only legal one.",
    );
    let curve = |of: &Value| Curve {
        name: word(&of["what"]),
        points: points(&of["branching"]["by_ply"]),
        band: Vec::new(),
    };
    let curves: Vec<Curve> = series.iter().map(curve).filter(|c| !c.points.is_empty()).collect();
    if !curves.is_empty() {
        let caption = "Legal moves by ply".to_string();
        section.charts.push((caption.clone(), lines(&curves, &caption, "ply", (0.0, 1.0))));
    }
    section
}

fn points(data: &Value) -> Vec<(f64, f64)> {
    let point = |entry: &Value| Some((entry[0].as_f64()?, entry[1].as_f64()?));
    list(data).iter().filter_map(point).collect()
}

fn outcomes(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Outcomes",
        "Who wins, with the 95 % interval of each share (Wilson). A game is balanced where no side wins more than \
         the others (Browne: balance), and decisive where few games are drawn (Ludii: drawishness). A game that \
         is stopped at the most plies counts as no win (Ludii: timeouts).",
    );
    for of in series {
        let entries = list(&of["outcomes"]).iter();
        let all: Vec<Bar> =
            entries.filter_map(|entry| bar(word(&entry["name"]), &entry["share"], "")).collect();
        if all.len() > 1 {
            let caption = format!("Outcomes: {}", word(&of["what"]));
            section.charts.push((caption.clone(), bars(&all, &caption)));
        }
    }
    section
}

fn ends(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Which rule ends the game",
        "The clauses that end a game, in the order of the rule file, and how often each did. A clause that never \
         does may be needless, or its position rare.",
    );
    for of in series {
        let entries = list(&of["ends"]).iter();
        let all: Vec<Bar> = entries
            .filter_map(|entry| {
                let name = match entry["name"].as_str() {
                    Some(name) => format!("{}: {name}", word(&entry["kind"])),
                    None => format!("{}, {}", word(&entry["kind"]), file_line(&entry["place"])),
                };
                bar(name, &entry["share"], "")
            })
            .collect();
        let caption = format!("Ends: {}", word(&of["what"]));
        section.charts.push((caption.clone(), bars(&all, &caption)));
    }
    section
}

/// The last part of a path, with the line.
fn file_line(place: &Value) -> String {
    let place = place.as_str().unwrap_or_default();
    place.rsplit('/').next().unwrap_or(place).to_string()
}

fn course(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Course of the game",
        "At each ply the player to move judges which share of games the first player will win. The lead changes \
         where the other player is judged better than before (small leads, below 2 %, count as none). Drama is \
         how far the eventual winner was behind while behind: the mean root of the lead, 0 for a winner who \
         always led (Browne). The decisive moment is the share of the game after which the winner leads by more \
         than the loser ever did. The curve shows the eventual winner's share over the course of the game; \
         50 % at the end would mean that nobody saw the end come.",
    );
    for of in series {
        let curve: Vec<(f64, Estimate)> = list(&of["course"])
            .iter()
            .filter_map(|entry| Some((entry[0].as_f64()?, Estimate::read(&entry[1])?)))
            .collect();
        if curve.is_empty() {
            continue;
        }
        let per_cent = |share: f64| share * 100.0;
        let caption = format!("Expected share of the eventual winner: {}", word(&of["what"]));
        let curve = Curve {
            name: String::new(),
            points: curve.iter().map(|(x, of)| (*x, per_cent(of.value))).collect(),
            band: curve.iter().map(|(_, of)| (per_cent(of.low), per_cent(of.high))).collect(),
        };
        let chart = lines(&[curve], &caption, "% of the game", (40.0, 100.0));
        section.charts.push((caption, chart));
    }
    section
}

fn depth(data: &Value) -> Section {
    let mut section = Section::new(
        "Strategic depth",
        "The computer plays against itself with twice the positions a move, each opening with both colours. What \
         a doubling of thought gains in Elo tells how much there is to find: little in a game of chance or one \
         that is soon seen through, much where planning pays. A gain that falls from doubling to doubling means \
         that the end of the depth is near.",
    );
    let doublings = list(&data["depth"]["doublings"]);
    if doublings.is_empty() {
        return section;
    }
    let elo = |data: &Value| match Estimate::read(data) {
        Some(of) => {
            format!("{} ({} to {})", elo_told(of.value), elo_told(of.low), elo_told(of.high))
        }
        None => "no limit".to_string(),
    };
    section.table.push(["positions", "games", "points", "Elo gained"].map(String::from).to_vec());
    let mut all = Vec::new();
    for row in doublings {
        let positions = list(&row["positions"]).iter().map(plain).collect::<Vec<_>>().join(" → ");
        section.table.push(vec![
            positions.clone(),
            plain(&row["games"]),
            per_cent(&row["share"]),
            elo(&row["elo"]),
        ]);
        all.extend(bar(positions, &row["share"], ""));
    }
    section.table.push(vec![
        "mean of a doubling".to_string(),
        String::new(),
        String::new(),
        elo(&data["depth"]["elo"]),
    ]);
    let caption = "Points of the side that searches twice as many positions".to_string();
    section.charts.push((caption.clone(), bars(&all, &caption)));
    section
}

fn first_moves(series: &[Value]) -> Section {
    let mut section = Section::new(
        "First moves",
        "What the first player gains with each first move, a drawn game counting half. The first moves are drawn \
         at random, also in the games of the computer. Where there are many, the best and the worst are shown.",
    );
    for of in series {
        let entries = list(&of["first_moves"]);
        let all: Vec<Bar> = entries
            .iter()
            .filter_map(|entry| {
                let games = format!(", {} games", plain(&entry["games"]));
                bar(word(&entry["move"]), &entry["share"], &games)
            })
            .collect();
        if all.is_empty() {
            continue;
        }
        let shown: Vec<Bar> = match all.len() {
            n if n <= MOST_BARS => all,
            n => all[..MOST_BARS / 2].iter().chain(&all[n - MOST_BARS / 2..]).cloned().collect(),
        };
        let left_out = entries.len() - shown.len();
        let more = if left_out > 0 { format!(" ({left_out} in between)") } else { String::new() };
        let caption = format!("Points by first move: {}{more}", word(&of["what"]));
        section.charts.push((caption.clone(), bars(&shown, &caption)));
    }
    section
}

fn clauses(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Move rules",
        "The clauses of the moves, how many of the moves each makes, and in how many positions it allows one.",
    );
    section.table.push(["clause", "games", "makes", "allows a move in"].map(String::from).to_vec());
    let first = series.first().map_or(&[][..], |of| list(&of["clauses"]));
    for i in 0..first.len() {
        for of in series {
            let clause = &of["clauses"][i];
            section.table.push(vec![
                format!("{} ({})", word(&clause["head"]), file_line(&clause["place"])),
                word(&of["name"]),
                per_cent(&clause["share"]),
                per_cent(&clause["allowed"]),
            ]);
        }
    }
    section
}

fn figures(series: &[Value]) -> Section {
    let mut section = Section::new(
        "Scores and measures",
        "The scores at the end of the games, and the measures that the rule file defines.",
    );
    section.table.push(["", "games", "mean", "quartiles", "from", "to"].map(String::from).to_vec());
    let names: Vec<String> = match series.first() {
        Some(of) => list(&of["figures"]).iter().map(|figure| word(&figure["name"])).collect(),
        None => Vec::new(),
    };
    for name in names {
        for of in series {
            let Some(figure) = list(&of["figures"]).iter().find(|f| f["name"] == name.as_str())
            else {
                continue;
            };
            let quartiles: Vec<String> = list(&figure["quartiles"]).iter().map(plain).collect();
            section.table.push(vec![
                name.clone(),
                word(&of["name"]),
                with_interval(&figure["mean"], 2),
                quartiles.join(", "),
                plain(&figure["least"]),
                plain(&figure["most"]),
            ]);
            let caption = format!("{name}: {}", word(&of["what"]));
            section.charts.push((caption.clone(), histogram(&columns(figure), &caption, &name)));
        }
    }
    section
}
