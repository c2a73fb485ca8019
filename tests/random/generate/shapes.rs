//! Groups of other steps and seeds, steps that are forbidden by more than their ends, sets that are gathered within loops,
//! and ends that look for rows: what the compiler rewrites under conditions, in the ways in which these may fail.

use super::Writer;
use super::world::Ty;

impl Writer {
    pub fn shapes(&mut self) {
        if !self.dice.percent(60) || self.world.sites.len() > 12 {
            return;
        }
        let first = self.dice.weighted(&[26, 22, 10, 12, 8, 6, 6, 6, 12]);
        let second = self.dice.weighted(&[15, 20, 28, 12, 6, 5, 6, 6, 12]);
        for number in if first == second { vec![first] } else { vec![first, second] } {
            match number {
                0 => self.walks(),
                1 => self.clusters(),
                2 => self.near_exclusives(),
                3 => self.meeting_updates(),
                4 => self.forbidden_steps(),
                5 => self.paired_values(),
                6 => self.rows(),
                7 => self.late_choices(),
                _ => self.joints(),
            }
        }
    }

    /// Rule errors, bounds and first answers, beside the other shapes.
    pub fn errors_and_firsts(&mut self) {
        if self.world.sites.len() <= 12 {
            match self.dice.below(20) {
                0 | 1 => self.faults(),
                2 => self.firsts(),
                3 => self.bounds(),
                _ => {}
            }
        }
    }

    /// A site's update, with the test that it is a key.
    pub fn touched(&mut self, site: &str) -> String {
        let fluent = self.world.fluents[0].clone();
        let test = match fluent.keys[0].sparse {
            true => format!("{}({site}), ", fluent.keys[0].text),
            false => String::new(),
        };
        match &fluent.value {
            Some(value) if self.dice.percent(65) => {
                format!("{test}at({site}) := {}", self.dice.pick(&value.values))
            }
            _ => format!("{test}clear(at({site}))"),
        }
    }

    /// Moves and ends that ask for a relation of two sites, with either of them given, or none or both.
    pub fn asks(&mut self, call: &dyn Fn(&str, &str) -> String, tag: &str) {
        let site = self.world.site.clone();
        let (one, other) = (self.constant(Ty::Site), self.constant(Ty::Site));
        for _ in 0..1 + self.dice.below(2) {
            let (x, y) = if self.dice.percent(50) { ("A", "B") } else { ("B", "A") };
            let (goal, types): (String, &[Ty]) = match self.dice.below(12) {
                8 => (
                    format!("{site}(A), {site}(B), \\+ ({}, at({y}, _))", call(x, y)),
                    &[Ty::Site, Ty::Site],
                ),
                9 => (
                    format!("at(A, _), {site}(B), {}, adjacent({y}, C), \\+ at(C, _)", call(x, y)),
                    &[Ty::Site, Ty::Site],
                ),
                10 => (
                    format!("{site}(A), \\+ ({}, adjacent(B, C), at(C, _))", call(x, y)),
                    &[Ty::Site],
                ),
                11 => (
                    format!("{site}(A), {}, {}, A \\= B", call("A", "B"), call("B", "A")),
                    &[Ty::Site, Ty::Site],
                ),
                0 => (call("A", "B"), &[Ty::Site, Ty::Site]),
                1 => (format!("at(A, _), {}, A \\= B", call(x, y)), &[Ty::Site, Ty::Site]),
                2 => (format!("{site}(A), \\+ {}", call("A", &other)), &[Ty::Site]),
                3 => (format!("{site}(A), \\+ {}", call(&one, "A")), &[Ty::Site]),
                4 => (format!("{site}(A), \\+ ({}, \\+ at(B, _))", call(x, y)), &[Ty::Site]),
                5 => (
                    format!("{site}(A), {site}(B), \\+ {}, \\+ at(B, _)", call(x, y)),
                    &[Ty::Site, Ty::Site],
                ),
                6 => (format!("{site}(A), forall({}, adjacent(A, B))", call(x, y)), &[Ty::Site]),
                _ => (format!("at(A, V), {}, at(B, V)", call(x, y)), &[Ty::Site, Ty::Site]),
            };
            let update = match self.dice.percent(25) {
                true => {
                    let touched = self.touched("C");
                    let at = touched.find("clear(").or(touched.find("at(")).unwrap_or(0);
                    let (test, update) = touched.split_at(at);
                    format!("each(({test}{}), {update})", call("A", "C"))
                }
                false => self.touched("A"),
            };
            let head = if types.len() == 2 { "(A, B)" } else { "(A)" };
            let name = format!("{tag}{}", self.world.moves.len());
            self.say(format!("move({name}{head}) :- {goal}, {update}."));
            self.known_move(&name, types);
        }
        if self.dice.percent(25) {
            let n = self.dice.range(1, 6);
            self.say(format!(
                "draw :- ply(N), N > 2, count(p(A, B), {}, M), M =:= {n}.",
                call("A", "B")
            ));
        }
    }

    /// Groups by steps that are not symmetric, of values that the seeds need not have, and what is asked of all of
    /// their sites.
    fn clusters(&mut self) {
        let way = self.constant(Ty::Direction);
        let value = self.world.fluents[0].value.as_ref().map(|v| v.values.clone());
        let value = value.map_or("_".to_string(), |values| self.dice.pick(&values).clone());
        let maps: Vec<String> = (self.world.fluents.iter())
            .filter(|f| f.value.is_some() && f.keys.len() == 1 && f.keys[0].ty == Ty::Site)
            .map(|f| f.name.clone())
            .collect();
        let other = self.dice.pick(&maps).clone();
        let site = self.world.site.clone();
        let seeds = [
            "at(A, _)".to_string(),
            format!("at(A, {value})"),
            format!("{other}(A, _)"),
            format!("{site}(A)"),
        ];
        let mut seed = self.dice.pick(&seeds).clone();
        if self.dice.percent(35) {
            seed = format!("at(A, {value})");
        }
        self.say(format!("clump(A, A) :- {seed}."));
        if self.dice.percent(25) {
            let mut more = "at(A, _)".to_string();
            if let Some(of_board) = self.world.fluents[0].value.clone()
                && self.dice.percent(70)
            {
                more = format!("at(A, {})", self.dice.pick(&of_board.values));
            }
            self.say(format!("clump(A, A) :- {more}."));
        }
        if self.dice.percent(12) {
            let other = self.dice.pick(&seeds[..2]).clone();
            self.say(format!("clump(A, B) :- {other}, adjacent(A, B), at(B, {value})."));
        }
        let step =
            ["adjacent(B, C)".to_string(), format!("step({way}, B, C)"), "adjacent(C, B)".into()]
                [[0, 0, 1, 2][self.dice.below(4)]]
            .clone();
        let on = match self.dice.below(9) {
            7 => format!("at(C, {value})"),
            8 => format!("{other}(C, {value})"),
            0 | 1 => "at(A, X), at(C, X)".to_string(),
            2 => format!("at(C, {value})"),
            3 => format!("{other}(A, X), {other}(C, X)"),
            4 => format!("at(A, _), {other}(C, _)"),
            5 => "at(B, X), at(C, X)".to_string(),
            _ => format!("at(A, X), at(C, X), \\+ {other}(C, _)"),
        };
        self.say(format!("clump(A, C) :- clump(A, B), {step}, {on}."));
        self.known_relation("clump", &[Ty::Site, Ty::Site], true, 4);
        self.say("open(A) :- clump(A, B), adjacent(B, C), \\+ at(C, _).".to_string());
        self.known_relation("open", &[Ty::Site], true, 3);
        let asked = [
            "at(A, _), \\+ open(A)".to_string(),
            format!("at(A, {value}), \\+ open(A)"),
            "at(A, X), adjacent(A, S), at(S, Y), X \\= Y, \\+ open(A)".to_string(),
            "adjacent(S, A), \\+ open(A)".to_string(),
            "adjacent(A, D), clump(A, D), \\+ at(D, _)".to_string(),
            "at(A, _), adjacent(A, D), \\+ at(D, _), \\+ (clump(A, B), B \\= A)".to_string(),
            format!("at(A, _), clump(A, {})", self.constant(Ty::Site)),
            format!("{other}(A, _), clump(A, B), adjacent(B, S), B \\= S"),
        ];
        let test = self.dice.pick(&asked).clone();
        let taken = match self.dice.below(4) {
            0 => format!("each(({test}), clear(at(A)))"),
            1 => format!("( {test} -> clear(at(A)) ; true )"),
            _ => format!("each(({test}, clump(A, C)), clear(at(C)))"),
        };
        // what is cleared must be a key
        let taken = match self.world.fluents[0].keys[0].sparse {
            true => taken
                .replace("clear(at(A))", &format!("clear(at({}))", self.key_site()))
                .replace("clump(A, C)), clear(at(C))", "clump(A, C), at(C, _)), clear(at(C))"),
            false => taken,
        };
        let put = self.touched("S");
        self.say(format!("move(grow(S)) :- {site}(S), {put}, {taken}."));
        self.known_move("grow", &[Ty::Site]);
        let test = self.dice.pick(&asked).clone();
        match self.dice.below(4) {
            0 => self
                .say(format!("lose(P) :- mover(P), ply(N), N > 2, count(A, ({test}), M), M > 1.")),
            1 => self.say(format!(
                "draw :- ply(N), N > 2, count(p(A, C), ({test}, clump(A, C)), M), M =:= 3."
            )),
            2 => {
                let update = self.touched("S");
                self.say(format!("move(pick(S)) :- {site}(S), {test}, clump(A, S), {update}."));
                self.known_move("pick", &[Ty::Site]);
            }
            _ => {
                let call = |x: &str, y: &str| format!("clump({x}, {y})");
                self.asks(&call, "clump");
            }
        }
    }

    fn key_site(&mut self) -> String {
        let values = self.world.fluents[0].keys[0].values.clone();
        self.dice.pick(&values).clone()
    }

    /// Reachability by steps that the state forbids, by what else is known of them.
    fn forbidden_steps(&mut self) {
        let site = self.world.site.clone();
        self.say(format!(":- state wall({site}, {site})."));
        let step = ["step(D, B, C)", "adjacent(B, C)", "step(_, B, C)"];
        let step = *self.dice.pick(&step);
        let denied = [
            "\\+ wall(B, C)",
            "\\+ wall(C, B)",
            "\\+ (wall(B, C), at(C, _))",
            "\\+ (step(D, B, C), wall(B, C))",
            "\\+ (step(D, B, E), wall(E, C))",
            "\\+ (wall(B, E), adjacent(E, C))",
            "\\+ (wall(B, C) ; wall(C, B))",
            "\\+ wall(B, C), at(C, X), \\+ wall(X, C)",
            "\\+ wall(A, C)",
            "\\+ (step(D, A, C), wall(B, C))",
        ];
        let mut not = self.dice.pick(&denied).to_string();
        if not.contains("X") {
            not = "\\+ wall(B, C), \\+ at(C, _)".to_string();
        }
        self.say(format!("past(A, A) :- {site}(A)."));
        self.say(format!("past(A, C) :- past(A, B), {step}, {not}."));
        self.known_relation("past", &[Ty::Site, Ty::Site], true, 6);
        let to = self.constant(Ty::Site);
        self.say(format!(
            "move(wall(A, B)) :- adjacent(A, B), \\+ wall(A, B), set(wall(A, B)), past(A, {to})."
        ));
        self.known_move("wall", &[Ty::Site, Ty::Site]);
        self.asks(&|x, y| format!("past({x}, {y})"), "past");
    }

    /// Sites with what stands beside them, gathered within loops over values that do not matter for it.
    fn paired_values(&mut self) {
        let site = self.world.site.clone();
        let n = 2 + self.dice.below(3);
        let Some(value) = self.world.fluents[0].value.clone() else { return };
        for _ in 0..n {
            let (a, b) = (self.dice.pick(&value.values), self.dice.pick(&value.values));
            self.say(format!("beats({a}, {b})."));
        }
        let gathered = [
            "\\+ (adjacent(A, C), at(C, X))",
            "\\+ (adjacent(B, C), at(C, Y))",
            "\\+ (adjacent(A, C), at(C, _))",
            "adjacent(B, C), \\+ at(C, _)",
            "\\+ (adjacent(B, C), mark(C))",
            "\\+ (adjacent(A, C), adjacent(C, E), at(E, Y))",
        ];
        self.say(format!(":- state mark({site})."));
        let more = *self.dice.pick(&gathered);
        let order = match self.dice.percent(50) {
            true => "at(A, X), beats(Y, X), at(B, Y), adjacent(A, B)",
            false => "beats(Y, X), at(A, X), adjacent(A, B), at(B, Y)",
        };
        self.say(format!("beaten(A) :- {order}, {more}."));
        self.known_relation("beaten", &[Ty::Site], true, 3);
        let update = self.touched("A");
        let mark = match self.dice.below(4) {
            0 => format!(", each((beaten(B), {site}(B)), set(mark(B)))"),
            1 => format!(", each(({order}), set(mark(A)))"),
            2 => format!(", each(({order}, {more}), ( mark(A) -> clear(mark(A)) ; set(mark(A)) ))"),
            _ => String::new(),
        }
        .replace("(A", "(F")
        .replace("A,", "F,");
        self.say(format!("move(dare(A)) :- {site}(A), \\+ beaten(A), {update}{mark}."));
        self.known_move("dare", &[Ty::Site]);
        if self.dice.percent(40) {
            self.say("lose(P) :- mover(P), count(A, beaten(A), N), N > 1.".to_string());
        }
    }

    /// Ends that look for a row of sites which is whole, of one map or of two, behind other tests.
    fn rows(&mut self) {
        let n = 2 + self.dice.below(3);
        for row in 0..n {
            self.say(format!("row_name(w{row})."));
            let sites = self.world.sites.clone();
            let some = 1 + self.dice.below(3);
            for site in self.dice.some(&sites, some) {
                self.say(format!("in_row(w{row}, {site})."));
            }
        }
        if self.dice.percent(20) {
            self.say("row_name(none).".to_string());
        }
        let site = self.world.site.clone();
        self.say(format!(":- state flag({site}) -> player."));
        self.say(format!("move(flag(A)) :- {site}(A), turn(P), \\+ flag(A, _), flag(A) := P."));
        self.known_move("flag", &[Ty::Site]);
        if self.dice.percent(50) {
            let ways = ["P", "Q"];
            let to = *self.dice.pick(&ways);
            self.say(format!(
                "move(turn_flag(A)) :- flag(A, P), next_player(P, Q), turn(P), flag(A) := {to}."
            ));
            self.known_move("turn_flag", &[Ty::Site]);
        }
        for _ in 0..1 + self.dice.below(3) {
            let value = match self.world.fluents[0].value.clone() {
                Some(value) => self.dice.pick(&value.values).clone(),
                None => "_".to_string(),
            };
            let n = self.dice.range(1, 4);
            let (held, player) = match self.dice.below(4) {
                0 => (format!("at(C, {value})"), "mover(P), "),
                1 => ("flag(C, P)".to_string(), "player(P), "),
                _ => ("flag(C, P)".to_string(), ""),
            };
            let player =
                if player.is_empty() && self.dice.percent(50) { "mover(P), " } else { player };
            let tests = [
                String::new(),
                String::new(),
                format!("ply(N), N > {n}, "),
                "\\+ at(A, _), in_row(R, A), ".to_string(),
                format!("\\+ flag({}, _), ", self.constant(Ty::Site)),
            ];
            let test = self.dice.pick(&tests).clone();
            let row = match self.dice.percent(70) {
                true => "row_name(R), ",
                false => "in_row(R, _), ",
            };
            let (row, test) = match test.contains("in_row") {
                true => (String::new(), format!("{site}(A), {test}")),
                false => (row.to_string(), test),
            };
            let kind = ["win", "win", "lose"][self.dice.below(3)];
            let all = format!("forall(in_row(R, C), {held})");
            match self.dice.below(5) {
                0 => {
                    let held = held.replace("C, P", "C, _");
                    self.say(format!("draw :- {test}{row}forall(in_row(R, C), {held})."));
                }
                _ => self.say(format!("{kind}(P) :- player(P), {player}{test}{row}{all}.")),
            }
        }
    }
}
