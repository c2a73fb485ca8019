//! Sites in one row with others that are in given sets, and rows, sets and tests of which some prevent that all rows are
//! looked at together.

use super::Writer;
use super::world::Ty;

/// Arguments and goals of a table of rows.
const TABLES: [(&str, &str); 14] = [
    ("C, A, B", "step(D, C, A), step(D, A, B)"),
    ("C, A, B", "step(D, C, A), step(E, A, B), D \\= E"),
    ("C, A, B", "adjacent(C, A), adjacent(A, B)"),
    ("C, A, B", "step(D, A, B), step(D, B, C)"),
    ("C, A, B", "step(D, A, B), C = A"),
    ("C, A, B, E", "step(D, C, A), step(D, A, B), step(D, B, E)"),
    ("C, A, B, E", "step(_, C, A), adjacent(A, B), adjacent(B, E)"),
    ("C, A", "step(_, C, A)"),
    ("C, A, B, P", "step(_, C, A), adjacent(A, B), likes(B, P)"),
    ("C, A, B, P", "step(_, A, C), step(_, A, B), likes(C, P)"),
    ("C, A, B, P", "adjacent(C, A), adjacent(A, B), likes(C, P), likes(B, _)"),
    ("D, C, A, B", "step(D, C, A), step(D, A, B)"),
    ("A, D, B, C", "step(D, A, B), step(D, B, C)"),
    ("F, A, B, C", "adjacent(F, A), adjacent(A, B), adjacent(B, C)"),
];

/// Rows of numbers.
const NUMBERED: [(&str, &str); 4] = [
    ("C, A, B", "spot_number(A), member(D, [-1, 1, 2]), C is A + D, B is A - D"),
    ("C, A, B", "spot_number(A), spot_number(C), C =\\= A, B is C - A"),
    ("C, A, B, E", "spot_number(A), member(D, [-1, 1]), C is A + D, B is C + D, E is A - D"),
    (
        "D, C, A, B",
        "spot_number(A), member(D, [-1, 1, 2]), member(E, [0, 1]), C is A + D, B is C + E",
    ),
];

/// What the rows are made of.
struct Ground {
    site: String,
    /// The map that says what stands at a site, and its values.
    at: String,
    values: Vec<String>,
    /// The test of the keys of `mined`.
    guard: String,
    args: &'static str,
    numbered: bool,
}

impl Writer {
    pub fn joints(&mut self) {
        let ground = match self.dice.percent(30) {
            true => self.numbered(),
            false => self.of_board(),
        };
        let site = &ground.site;
        self.say(format!(":- state heat({site}) -> 0..2."));
        let sites = self.sites_of(&ground);
        for at in self.dice.some(&sites, 2) {
            let degree = self.dice.range(0, 2);
            self.say(format!("init(heat({at}, {degree}))."));
        }
        if sites.len() <= 8 {
            self.say(format!(":- state aim({site}) -> {site}."));
            for at in self.dice.some(&sites, 5) {
                let other = self.dice.pick(&sites).clone();
                self.say(format!("init(aim({at}, {other}))."));
            }
        }
        for number in 0..2 + self.dice.below(2) {
            let head = format!("caught{number}");
            let given = self.caught(&head, &ground);
            self.asks_caught(&head, &given, &ground);
        }
    }

    /// Rows of the board's sites.
    fn of_board(&mut self) -> Ground {
        let (site, sites) = (self.world.site.clone(), self.world.sites.clone());
        let keys = match self.dice.percent(30) && !self.world.parts.is_empty() {
            true => self.dice.pick(&self.world.parts).0.clone(),
            false => site.clone(),
        };
        self.say(format!(":- state mined({keys})."));
        let value = self.world.fluents[0].value.clone().map(|value| value.values);
        let values = value.unwrap_or_else(|| vec!["_".to_string()]);
        let (args, goals) = *self.dice.pick(&TABLES);
        if args.contains('P') {
            for at in self.dice.some(&sites, 6) {
                let value = self.dice.pick(&values).clone();
                self.say(format!("likes({at}, {value})."));
            }
        }
        self.say(format!("joint({args}) :- {goals}."));
        if args == "C, A, B" {
            for _ in 0..self.dice.below(3) {
                let row: Vec<&String> = (0..3).map(|_| self.dice.pick(&sites)).collect();
                self.say(format!("joint({}, {}, {}).", row[0], row[1], row[2]));
            }
        }
        if self.openings.is_empty() && self.dice.percent(70) {
            let keys = self.world.fluents[0].keys[0].values.clone();
            for at in self.dice.some(&keys, 6) {
                let value = self.dice.pick(&values).clone();
                self.openings.push((at, value));
            }
        }
        let guard = format!("{keys}(C)");
        Ground { site, at: "at".to_string(), values, guard, args, numbered: false }
    }

    /// Rows of numbers, of which some are no keys.
    fn numbered(&mut self) -> Ground {
        let (first, last) = (self.dice.range(-2, 1), self.dice.range(3, 6));
        self.say(format!("spot_number(N) :- N in {first}..{last}."));
        let lo = first + self.dice.range(0, 2);
        let hi = last - self.dice.range(0, 1);
        self.say(format!(":- state mined({lo}..{hi})."));
        let at = ["spot_number".to_string(), format!("{}..{last}", first + 1)];
        let at = self.dice.pick(&at).clone();
        self.say(format!(":- state lit({at}) -> player."));
        for at in 2..=3 {
            let player = self.dice.pick(&self.world.players).clone();
            self.say(format!("init(lit({at}, {player}))."));
        }
        let (args, goals) = *self.dice.pick(&NUMBERED);
        self.say(format!("joint({args}) :- {goals}."));
        let whole = at.starts_with('s');
        let from = if whole { first } else { first + 1 };
        self.say(format!(
            "move(light(C)) :- turn(P), C in {from}..{last}, \\+ lit(C, P), lit(C) := P."
        ));
        self.known_move("light", &[Ty::Number]);
        Ground {
            site: "spot_number".to_string(),
            at: "lit".to_string(),
            values: self.world.players.clone(),
            guard: format!("C in {lo}..{hi}"),
            args,
            numbered: true,
        }
    }

    fn sites_of(&self, ground: &Ground) -> Vec<String> {
        match ground.numbered {
            true => ["1", "2", "3"].map(str::to_string).to_vec(),
            false => self.world.sites.clone(),
        }
    }

    /// Sites that are in a row with others; the arguments that a caller must give.
    fn caught(&mut self, head: &str, ground: &Ground) -> Vec<&'static str> {
        let Ground { at, args, .. } = ground;
        let value = self.dice.pick(&ground.values).clone();
        let first = match self.dice.below(6) {
            0..=2 => format!("{at}(A, {value})"),
            3 => format!("{at}(A, _)"),
            4 => "heat(A, 1)".to_string(),
            _ => "mined(A)".to_string(),
        };
        let mut goals = vec![first, format!("joint({args})")];
        for of in ['B', 'E', 'F', 'C'] {
            let often = if of == 'C' && args.contains('E') { 30 } else { 90 };
            if args.contains(of) && self.dice.percent(often) {
                let test = self.joint_test(of, ground);
                goals.push(test);
            }
        }
        if args.contains('P') && self.dice.percent(60) {
            let of = *self.dice.pick(&['B', 'C']);
            goals.push(format!("{at}({of}, P)"));
        } else if args.contains('D') && self.dice.percent(60) {
            let way = self.way_of(ground);
            goals[1] = goals[1].replace('D', &way);
        } else if self.dice.percent(15) && self.sites_of(ground).len() <= 8 {
            let aims = ["aim(B, A)", "aim(C, A)", "\\+ aim(B, A)", "aim(A, C)"];
            let aim = *self.dice.pick(&aims);
            goals.push(if args.contains('B') { aim.into() } else { aim.replace('B', "C") });
        } else if self.dice.percent(50) {
            self.vary(&mut goals, ground);
        }
        // what comes of a row
        let target = match self.dice.below(12) {
            0 if goals[1].contains('B') => "B",
            1 => "A",
            2 => "G",
            _ => "C",
        };
        let body = goals.join(", ");
        let mut args: Vec<&str> = ["V", "Q"].into_iter().filter(|v| body.contains(v)).collect();
        args.push(target);
        let alias = if target == "G" { ", G = C" } else { "" };
        self.say(format!("{head}({}) :- {body}{alias}.", args.join(", ")));
        args.pop();
        args
    }

    fn joint_test(&mut self, of: char, ground: &Ground) -> String {
        let (at, value) = (&ground.at, self.dice.pick(&ground.values).clone());
        match self.dice.below(10) {
            0 | 1 => format!("{at}({of}, {value})"),
            2 => format!("{at}({of}, _)"),
            3 => format!("\\+ {at}({of}, _)"),
            4 => format!("\\+ {at}({of}, {value})"),
            5 => format!("mined({of})"),
            6 | 7 => format!("\\+ mined({of})"),
            8 => format!("heat({of}, 1)"),
            _ => format!("\\+ heat({of}, {})", self.dice.range(0, 2)),
        }
    }

    fn way_of(&mut self, ground: &Ground) -> String {
        match ground.numbered {
            true => "1".to_string(),
            false => self.constant(Ty::Direction),
        }
    }

    /// Another row, start or test, which does or does not ask for each site apart.
    fn vary(&mut self, goals: &mut Vec<String>, ground: &Ground) {
        let at = &ground.at;
        let row = goals.get(1).cloned().unwrap_or_default();
        let known = [
            "mined(Q)".to_string(),
            "\\+ heat(Q, _)".to_string(),
            format!("{at}(Q, V)"),
            "\\+ mined(A)".to_string(),
            "heat(A, 2)".to_string(),
            format!("\\+ {at}(A, _)"),
        ];
        match self.dice.below(12) {
            0 | 1 => goals[1] = row.replace('B', "A"),
            2 | 3 => goals[1] = row.replace('E', "B"),
            4 => goals[1] = row.replace('E', "_"),
            5 => goals[0] = format!("{at}(A, V)"),
            6 => goals[0] = "heat(A, H)".to_string(),
            7 => goals.push(format!("{at}(C, V)")),
            8 | 9 => goals.push(self.dice.pick(&known).clone()),
            10 => goals.push(format!("\\+ {at}(C, V)")),
            _ => goals.swap(0, 1),
        }
    }

    /// Moves and ends that ask for the sites caught.
    fn asks_caught(&mut self, head: &str, given: &[&str], ground: &Ground) {
        let Ground { site, at, guard, .. } = ground;
        let (mut known, mut args) = (String::new(), Vec::new());
        let sites = self.sites_of(ground);
        for of in given {
            args.push(match (*of, self.dice.percent(50)) {
                ("V", true) => {
                    known.push_str(&format!("{at}(G, V), "));
                    "V".to_string()
                }
                ("V", false) => self.dice.pick(&ground.values).clone(),
                (_, true) => {
                    known.push_str(&format!("{site}(Q), "));
                    "Q".to_string()
                }
                _ => self.dice.pick(&sites).clone(),
            });
        }
        args.push("C".to_string());
        let call = format!("{head}({})", args.join(", "));
        let test = match self.dice.below(8) {
            0 => call.clone(),
            1 => format!("{call}, \\+ {at}(C, _)"),
            _ => format!("{site}(C), \\+ {call}"),
        };
        let update = match self.dice.below(5) {
            1 => "mined(C), clear(mined(C))".to_string(),
            2 => format!("{site}(C), heat(C) := {}", self.dice.range(0, 2)),
            3 | 4 if !ground.numbered => self.touched("C"),
            _ => format!("{guard}, \\+ mined(C), set(mined(C))"),
        };
        let name = format!("seize{}", self.world.moves.len());
        match self.dice.below(4) {
            0 => {
                let (of_board, put) = (self.world.site.clone(), self.touched("S"));
                self.say(format!(
                    "move({name}(S)) :- {of_board}(S), {put}, each(({known}{test}, {guard}), set(mined(C)))."
                ));
                self.known_move(&name, &[Ty::Site]);
            }
            _ => {
                self.say(format!("move({name}(C)) :- {known}{test}, {update}."));
                let ty = if ground.numbered { Ty::Number } else { Ty::Site };
                self.known_move(&name, &[ty]);
            }
        }
        if self.dice.percent(50) {
            let n = self.dice.range(0, 3);
            self.say(format!(
                "lose(P) :- mover(P), ply(N), N > 3, count(C, ({known}{call}), M), M =:= {n}."
            ));
        }
    }
}
