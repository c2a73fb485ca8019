//! Clauses that nearly exclude each other, updates that meet, and choices behind updates that change what they are made of.

use super::Writer;
use super::world::{Context, Scope, Ty};

/// Conditions of a site `A`, many of which differ in one variable or goal only.
const CONDITIONS: [&str; 24] = [
    "at(A, X), adjacent(A, B), at(B, X)",
    "at(A, X), adjacent(A, B), at(B, Y), X \\= Y",
    "at(A, _), adjacent(A, B), at(B, _)",
    "at(A, _), adjacent(A, B), \\+ at(B, _)",
    "adjacent(A, B), at(B, _)",
    "adjacent(A, B), \\+ at(B, _)",
    "step(D, A, B), step(D, B, C), at(C, _)",
    "step(D, A, B), step(E, B, C), D \\= E, at(C, _)",
    "step(D, A, B), at(B, X), step(D, B, C), at(C, X)",
    "step(D, A, B), at(B, X), step(D, B, C), \\+ at(C, X)",
    "adjacent(A, B), \\+ (adjacent(B, C), at(C, _))",
    "adjacent(A, B), \\+ (adjacent(A, C), at(C, _))",
    "adjacent(A, B), \\+ (step(D, B, C), step(D, A, B), at(C, _))",
    "at(A, X), \\+ (adjacent(A, B), at(B, X))",
    "at(A, X), \\+ (adjacent(A, B), at(B, Y), Y \\= X)",
    "at(A, X), \\+ (step(D, A, B), \\+ at(B, X))",
    "at(A, X), \\+ (step(D, A, B), step(D, B, C), at(B, X), at(C, X))",
    "at(A, X), \\+ (step(D, A, B), step(E, B, C), at(B, X), at(C, X))",
    "at(A, X), \\+ (step(D, A, B), step(D, A, C), at(B, X), at(C, X))",
    "step(D, A, B), \\+ (step(D, B, C), at(C, _))",
    "step(D, A, B), \\+ (step(_, B, C), at(C, _))",
    "at(A, X), step(D, A, B), \\+ (step(E, B, C), at(C, X))",
    "at(A, X), step(D, A, B), \\+ (step(D, B, C), at(C, X))",
    "at(A, X), step(D, A, B), \\+ (step(D, B, C), at(C, _))",
];

impl Writer {
    /// Two clauses of a move, an action or a relation that exclude each other, or nearly do.
    pub fn near_exclusives(&mut self) {
        let first = self.dice.below(CONDITIONS.len());
        let second = match self.dice.percent(40) {
            true => first,
            false => (first + [1, 2, CONDITIONS.len() - 1][self.dice.below(3)]) % CONDITIONS.len(),
        };
        let (first, second) = (CONDITIONS[first], CONDITIONS[second]);
        let second = match self.dice.percent(80) {
            true => format!("\\+ ({second})"),
            false => second.to_string(),
        };
        let (one, two) = match self.dice.percent(50) {
            true => (first.to_string(), second),
            false => (second, first.to_string()),
        };
        let site = self.world.site.clone();
        let (a, b) = (self.touched("A"), self.touched("A"));
        match self.dice.below(4) {
            0 => {
                self.say(format!("move(nigh(A)) :- {site}(A), {one}, {a}."));
                self.say(format!("move(nigh(A)) :- {site}(A), {two}, {b}."));
            }
            1 => {
                self.say(format!("nigh(A) :- {one}, {a}."));
                self.say(format!("nigh(A) :- {two}, {b}."));
                let mut scope = Scope::new();
                scope.bind("A", Ty::Site);
                let behind = match self.dice.percent(30) {
                    true => format!(", {}", self.goal(&mut scope, Context::of_play(1))),
                    false => String::new(),
                };
                self.say(format!("move(nigh(A)) :- {site}(A), nigh(A){behind}."));
            }
            2 => {
                // the first update changes what the second clause asks for
                let value = self.touched("H");
                let test = if self.dice.percent(50) { "at(A, _), " } else { "" };
                self.say(format!(
                    "nigh(A) :- {one}, {a}, {test}adjacent(A, H), {value}, at(H, _)."
                ));
                self.say(format!("nigh(A) :- {two}, {b}."));
                self.say(format!("move(nigh(A)) :- {site}(A), nigh(A)."));
            }
            _ => {
                self.say(format!("nigh(A, 1) :- {site}(A), {one}."));
                self.say(format!("nigh(A, 2) :- {site}(A), {two}."));
                self.known_relation("nigh", &[Ty::Site, Ty::Number], true, 1);
                self.say(format!("move(nigh(A)) :- {site}(A), nigh(A, _), {a}."));
            }
        }
        self.known_move("nigh", &[Ty::Site]);
    }

    /// Updates for each answer, of which some meet, or change what the answers come from.
    pub fn meeting_updates(&mut self) {
        let site = self.world.site.clone();
        let key = &self.world.fluents[0].keys[0];
        let part = if key.sparse { format!(", {}(B)", key.text) } else { String::new() };
        self.say(":- state told -> 0..60 = 0.".to_string());
        self.say(format!(":- state visits({site}) -> 0..60 = 0."));
        self.say(format!(":- state ended -> {site}."));
        self.say(format!(":- state seen({site})."));
        self.known_relation("visits", &[Ty::Site, Ty::Number], true, 1);
        self.known_relation("ended", &[Ty::Site], true, 1);
        self.known_relation("seen", &[Ty::Site], true, 2);
        let answers = [
            "adjacent(A, B)".to_string(),
            "adjacent(A, B), at(B, _)".to_string(),
            "step(D, A, B)".to_string(),
            "adjacent(A, C), adjacent(C, B)".to_string(),
            "seen(B)".to_string(),
            "adjacent(A, B), \\+ seen(B)".to_string(),
            "at(B, X), at(A, X)".to_string(),
        ];
        let linked = [
            "adjacent(A, C), adjacent(C, B)",
            "step(D, B, C)",
            "adjacent(C, _), adjacent(B, C)",
            "adjacent(B, C), at(B, _)",
            "adjacent(B, C), \\+ seen(B)",
        ];
        let moved = [
            ["set(seen(B))", "clear(seen(C))"],
            ["clear(seen(C))", "set(seen(B))"],
            ["visits(B) := 1", "visits(C) := 0"],
            ["visits(B) := 2", "visits(B) += 1"],
            ["visits(B) := visits(C)", "visits(C) := 1"],
            ["visits(C) += 1", "visits(C) := 0"],
            ["ended := B", "set(seen(C))"],
        ];
        let two = self.dice.percent(40);
        let answers = match two {
            true => self.dice.pick(&linked).to_string(),
            false => self.dice.pick(&answers).clone(),
        };
        let updates = [
            "visits(B) += 1",
            "told += 1",
            "visits(A) += 1",
            "set(seen(B))",
            "clear(seen(A))",
            "clear(seen(B))",
            "set(seen(A))",
            "ended := B",
            "ended := A",
            "visits(B) := 1",
            "visits(A) := visits(B)",
            "visits(B) := told",
            "visits(B) := visits(A)",
            "at(B) := old(at(A))",
            "clear(at(B))",
        ];
        let n = 1 + self.dice.below(2);
        let mut chosen: Vec<&str> = self.dice.some(&updates, n);
        if two {
            chosen = self.dice.pick(&moved).to_vec();
        } else if self.dice.percent(35) {
            let pairs = [
                ["set(seen(B))", "clear(seen(A))"],
                ["visits(B) := 1", "visits(A) := 0"],
                ["visits(B) += 1", "visits(A) -= 0"],
                ["ended := B", "ended := A"],
                ["clear(seen(B))", "set(seen(A))"],
                ["told += 1", "told += 2"],
                ["visits(B) += 1", "visits(A) += 1"],
            ];
            chosen = self.dice.pick(&pairs).to_vec();
        }
        let of_board = chosen.iter().any(|update| update.contains("at("));
        let part = if of_board { part } else { String::new() };
        let action = chosen.join(", ");
        let action = if chosen.len() > 1 { format!("({action})") } else { action };
        let behind = ["", "", ", visits(A) < 3", ", ended(G), at(G, _)", ", seen(A)"];
        let behind = *self.dice.pick(&behind);
        let bounded = "told < 20, \\+ (visits(E, M), M > 20), ";
        self.say(format!(
            "move(tour(A)) :- {site}(A), {bounded}each(({answers}{part}), {action}){behind}."
        ));
        self.known_move("tour", &[Ty::Site]);
        if self.dice.percent(40) {
            let (n, update) = (self.dice.range(1, 3), self.touched("A"));
            self.say(format!("move(rest(A)) :- {site}(A), visits(A) >= {n}, {update}."));
            self.known_move("rest", &[Ty::Site]);
        }
    }

    /// Choices behind updates that change, or do not change, what they are made of.
    pub fn late_choices(&mut self) {
        let site = self.world.site.clone();
        let first = self.touched("A");
        self.say(format!("quiet(B) :- {site}(B), \\+ repeated_board(2)."));
        self.say("beset(B) :- adjacent(B, C), at(C, _).".to_string());
        self.say(format!(":- state spent({site})."));
        self.say(format!("use(B) :- {site}(B), \\+ spent(B), set(spent(B))."));
        let choices = [
            "quiet(B)",
            "beset(B)",
            "at(B, _)",
            "at(B, X), at(A, X)",
            "adjacent(A, B), at(B, _)",
            "adjacent(A, B), \\+ at(B, _)",
            "spent(B)",
            "use(B)",
            "use(A), spent(B)",
            "each(adjacent(A, C), set(spent(C))), spent(B)",
            "each((adjacent(A, C), at(C, _)), clear(at(C))), at(B, _)",
            "once(beset(B))",
            "turn(P), next_player(P, Q), turn := Q, turn(Q), adjacent(A, B)",
            "again, turn(P), adjacent(A, B), at(B, _)",
        ];
        let mut choice = self.dice.pick(&choices).to_string();
        if choice.contains("clear(at(C))") && self.world.fluents[0].keys[0].sparse {
            choice = "at(B, _)".to_string();
        }
        let last = match self.dice.below(3) {
            0 => format!(", {}", self.touched("B")),
            1 => ", \\+ spent(B), set(spent(B))".to_string(),
            _ => String::new(),
        };
        self.say(format!("move(late(A, B)) :- {site}(A), {first}, {choice}{last}."));
        self.known_move("late", &[Ty::Site, Ty::Site]);
    }
}
