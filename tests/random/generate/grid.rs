//! Boards of numbered columns and rows: maps of two keys, and steps that are calculated.

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
            self.say("gz(0). gz(1).".to_string());
        }
        let set = self.dice.percent(20);
        let value = if set { "" } else { " -> player" };
        self.say(format!(":- state on(gx, gy{keys}){value}."));
        let (held, free) = match set {
            true => (format!("on(X, Y{z})"), format!("\\+ on(U, V{z})")),
            false => (format!("on(X, Y{z}, P)"), format!("\\+ on(U, V{z}, _)")),
        };
        let put = |x: &str, y: &str| match set {
            true => format!("set(on({x}, {y}{z}))"),
            false => format!("on({x}, {y}{z}) := P"),
        };
        let tier = if third { "gz(Z), " } else { "" };
        let types = vec![Ty::Number; if third { 3 } else { 2 }];
        let place = free.replace('U', "X").replace('V', "Y");
        self.say(format!(
            "move(drop(X, Y{z})) :- turn(P), {tier}gx(X), gy(Y), {place}, {}.",
            put("X", "Y")
        ));
        self.known_move("drop", &types);
        for _ in 0..1 + self.dice.below(2) {
            self.grid_step(&held, &free, &put("U", "V"));
        }
        self.grid_end(&held, z);
    }

    fn grid_step(&mut self, held: &str, free: &str, put: &str) {
        let across = *self.dice.pick(&[
            "member(S, [-1, 1]), U is X + S",
            "U is X + 1",
            "U = X",
            "member(S, [0, 1, 2]), U is X - S",
            "gx(U), abs(U - X) =< 1",
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
        self.say(format!(
            "move({head}) :- turn(P), {held}, {across}, {along}, {bounds}{free}, clear({from}), {put}."
        ));
        let arity = if head.starts_with("slide") { 4 } else { 2 };
        self.known_move(head.split('(').next().unwrap_or(head), &vec![Ty::Number; arity]);
    }

    fn grid_end(&mut self, held: &str, z: &str) {
        let mover = if held.ends_with(", P)") { "" } else { ", mover(P)" };
        let next = held.replace("(X, Y", "(X, W");
        let end = match self.dice.below(4) {
            0 => format!("win(P) :- {held}{mover}, W is Y + 1, {next}, ply(N), N > 4."),
            1 => format!("draw :- count(X, {}, N), N > 5.", held.replace(", P)", ", _)")),
            2 => format!("win(P) :- {held}{mover}, \\+ (gx(A), A < X, on(A, Y{z}{})).", {
                if mover.is_empty() { ", P" } else { "" }
            }),
            _ => return,
        };
        self.say(end);
    }
}
