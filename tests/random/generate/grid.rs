//! Boards of numbered columns and rows: maps of two keys, or of compounds of two numbers, and steps that are calculated.

use super::Writer;
use super::world::Ty;

impl Writer {
    pub fn grid(&mut self) {
        let base = self.dice.range(-1, 1);
        for axis in ["gx", "gy"] {
            let len = 3 + self.dice.below(4) as i64;
            let facts: Vec<String> = (base..base + len).map(|n| format!("{axis}({n}).")).collect();
            self.say(facts.join(" "));
        }
        let third = self.dice.percent(20);
        let (z, keys) = if third { (", Z", ", gz") } else { ("", "") };
        if third {
            let facts = *self.dice.pick(&["gz(0). gz(1).", "gz(0). gz(1). gz(2)."]);
            self.say(facts.to_string());
        }
        let set = self.dice.percent(20);
        let value = if set { "" } else { " -> player" };
        let site: fn(&str, &str) -> String = match self.dice.percent(35) {
            true => |x, y| format!("c({x}, {y})"),
            false => |x, y| format!("{x}, {y}"),
        };
        match site("X", "Y").starts_with('c') {
            true => {
                self.say("square(c(X, Y)) :- gx(X), gy(Y).".to_string());
                self.say(format!(":- state on(square{keys}){value}."));
            }
            false => self.say(format!(":- state on(gx, gy{keys}){value}.")),
        }
        let (from, to) = (site("X", "Y"), site("U", "V"));
        let (held, free) = match set {
            true => (format!("on({from}{z})"), format!("\\+ on({to}{z})")),
            false => (format!("on({from}{z}, P)"), format!("\\+ on({to}{z}, _)")),
        };
        let put = |x: &str, y: &str| match set {
            true => format!("set(on({}{z}))", site(x, y)),
            false => format!("on({}{z}) := P", site(x, y)),
        };
        let tier = if third { "gz(Z), " } else { "" };
        let types = vec![Ty::Number; if third { 3 } else { 2 }];
        let place = free.replace('U', "X").replace('V', "Y");
        self.say(format!(
            "move(drop(X, Y{z})) :- turn(P), {tier}gx(X), gy(Y), {place}, {}.",
            put("X", "Y")
        ));
        self.known_move("drop", &types);
        let ways = self.dice.pick(&[
            "N in -1..1, M in -1..1, abs(N) + abs(M) =:= 1",
            "N in 0..1, M in -1..0, N - M > 0",
        ]);
        self.say(format!("way(N, M) :- {ways}."));
        self.say("beside(X, Y, N, M, U, V) :- gx(X), gy(Y), way(N, M), U is X + N, V is Y + M, gx(U), gy(V).".to_string());
        for _ in 0..1 + self.dice.below(2) {
            self.grid_step(&held, &free, &put("U", "V"));
        }
        self.grid_end(&held, z, site);
    }

    fn grid_step(&mut self, held: &str, free: &str, put: &str) {
        let across = *self.dice.pick(&[
            "member(S, [-1, 1]), U is X + S",
            "U is X + 1",
            "U = X",
            "member(S, [0, 1, 2]), U is X - S",
            "gx(U), abs(U - X) =< 1",
            "gx(U), U - X in -1..1",
        ]);
        let along = *self.dice.pick(&[
            "member(T, [-1, 0, 1]), V is T + Y",
            "V is Y - 1",
            "V = Y",
            "turn_step(P, T), V is Y + T",
            "member(T, [1, 2]), V is Y * T",
        ]);
        if along.contains("turn_step") {
            let players = self.world.players.clone();
            let ways = players.iter().zip([1, -1, 2, -2, 0, 3]);
            let facts: Vec<String> = ways.map(|(p, n)| format!("turn_step({p}, {n}).")).collect();
            self.say(facts.join(" "));
        }
        let bounds = *self.dice.pick(&["gx(U), gy(V), ", "gy(V), gx(U), "]);
        let head = *self.dice.pick(&["slide(X, Y, U, V)", "goes(U, V)"]);
        let from = held.replace(", P)", ")");
        // to another tier, calculated or listed
        let (mut tier, mut free, mut put) = ("", free.to_string(), put.to_string());
        if held.contains(", Z") && self.dice.percent(60) {
            tier = *self.dice.pick(&["H is Z + 1, gz(H), ", "H is 1 - Z, ", "gz(H), H =\\= Z, "]);
            (free, put) = (free.replace(", Z", ", H"), put.replace(", Z", ", H"));
        }
        let way = match self.dice.percent(30) {
            true => "beside(X, Y, _, _, U, V), ".to_string(),
            false => format!("{across}, {along}, {bounds}"),
        };
        if self.dice.percent(20) {
            let other = free.replacen("\\+ ", "", 1).replace(", _)", ", Q), Q \\= P");
            free = format!("( U = X -> {free} ; {other} )");
        }
        self.say(format!(
            "move({head}) :- turn(P), {held}, {way}{tier}{free}, clear({from}), {put}."
        ));
        let arity = if head.starts_with("slide") { 4 } else { 2 };
        self.known_move(head.split('(').next().unwrap_or(head), &vec![Ty::Number; arity]);
    }

    fn grid_end(&mut self, held: &str, z: &str, site: fn(&str, &str) -> String) {
        let mover = if held.ends_with(", P)") { "" } else { ", mover(P)" };
        let next = held.replace("(X, Y", "(X, W");
        let tier = if z.is_empty() { "" } else { "gz(Z), " };
        let end = match self.dice.below(9) {
            0 => format!("win(P) :- {held}{mover}, W is Y + 1, {next}, ply(N), N > 4."),
            1 => format!("draw :- count(X, {}, N), N > 5.", held.replace(", P)", ", _)")),
            2 => format!(
                "win(P) :- {held}{mover}, \\+ (gx(A), A < X, on({}{z}{})).",
                site("A", "Y"),
                { if mover.is_empty() { ", P" } else { "" } }
            ),
            // rows of a length that is counted down, and all cells of one
            3 => {
                let count = *self.dice.pick(&["N > 1", "member(N, [2, 3])", "N in 2..3"]);
                let steps = *self.dice.pick(&[("X + 1", "Y"), ("X + 1", "Y - 1"), ("X", "Y + 1")]);
                let (of, next) = (site("X", "Y"), site("U", "V"));
                self.say(format!("row(P, {of}{z}, 1) :- player(P), {held}."));
                self.say(format!(
                    "row(P, {of}{z}, N) :- {tier}player(P), member(N, [2, 3, 4]), {count}, M is N - 1, {held}, U is {}, V is {}, \
                     row(P, {next}{z}, M).",
                    steps.0, steps.1
                ));
                let open = if site("X", "Y").starts_with('c') { "_" } else { "_, _" };
                let open = if z.is_empty() { open.to_string() } else { format!("{open}, _") };
                format!("win(P) :- mover(P), row(P, {open}, {}).", self.dice.range(2, 4))
            }
            4 => format!(
                "win(P) :- {held}{mover}, forall(between(1, 2, N), (W is Y + N * 1, {next}))."
            ),
            5 => format!(
                "win(P) :- player(P), {tier}gx(X), gy(Y), count(q(U, V), (member(A, [-1, 0, 1]), U is X + A, V is Y + A, {}), N), N > 2.",
                held.replace('X', "U").replace('Y', "V")
            ),
            // a chain from one column, and what a row begins at and is passed on
            6 => {
                let (of, next) = (site("X", "Y"), site("U", "V"));
                let column = self.dice.range(0, 1);
                let begun = held.replace('X', &column.to_string());
                let begin = site(&column.to_string(), "Y");
                let on = held.replace('X', "U").replace('Y', "V");
                self.say(format!("chain(P, {begin}{z}) :- {tier}player(P), {begun}."));
                self.say(format!(
                    "chain(P, {next}{z}) :- chain(P, {of}{z}), beside(X, Y, _, _, U, V), {on}."
                ));
                format!("win(P) :- mover(P), chain(P, {}{z}).", site("2", "_"))
            }
            7 => {
                let (of, next, last) = (site("X", "Y"), site("U", "V"), site("S", "T"));
                let on = |x: &str, y: &str| held.replace('X', x).replace('Y', y);
                self.say(format!(
                    "run({of}, N, M, {next}{z}, P) :- beside(X, Y, N, M, U, V), {tier}player(P), {}.",
                    on("U", "V")
                ));
                self.say(format!(
                    "run({of}, N, M, {last}{z}, P) :- run({of}, N, M, {next}{z}, P), beside(U, V, N, M, S, T), {}.",
                    on("S", "T")
                ));
                format!(
                    "win(P) :- mover(P), {held}, run({of}, _, _, {next}{z}, P), beside(U, V, _, _, X, W), W =\\= Y."
                )
            }
            _ => return,
        };
        self.say(end);
    }
}
