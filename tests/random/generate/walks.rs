//! Recursions over pairs of sites, whose calls pass arguments on, swap, repeat and drop them in whatever way, and whose
//! steps keep a value or do not.

use super::Writer;
use super::world::{Context, Scope, Ty};

impl Writer {
    /// A recursion whose calls pass arguments on, swap, repeat and drop them.
    pub fn walks(&mut self) {
        let extra = [
            None,
            None,
            None,
            Some(("D", Ty::Direction)),
            Some(("D", Ty::Player)),
            Some(("D", Ty::Site)),
        ][self.dice.below(6)];
        let head = |d: &str, x: &str, y: &str| match extra {
            Some(_) => format!("walk({d}, {x}, {y})"),
            None => format!("walk({x}, {y})"),
        };
        let site = self.world.site.clone();
        let unary = extra.map_or("player", |(_, ty)| match ty {
            Ty::Direction => "way",
            Ty::Site => &site,
            _ => "player",
        });
        let (one, other) = (self.constant(Ty::Direction), self.constant(Ty::Direction));
        let mut steps: Vec<String> = match extra {
            Some((_, Ty::Direction)) => vec!["step(D, X, Y)".to_string()],
            _ => (self.world.relations.iter())
                .filter(|r| r.args == [Ty::Site, Ty::Site] && !r.needs.contains(&true))
                .map(|r| format!("{}(X, Y)", r.name))
                .collect(),
        };
        // what leads everywhere shows little
        if self.dice.percent(60) {
            steps = vec![format!("step({one}, X, Y)"), format!("step({other}, X, Y)")];
        }
        let mut kept = self.kept_pair();
        let bound = |body: &str, names: &[&str]| -> String {
            let mut tests = String::new();
            for name in names {
                let found = body
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|word| word == *name);
                if !found {
                    let of = if *name == "D" { unary } else { &site };
                    tests.push_str(&format!("{of}({name}), "));
                }
            }
            tests
        };
        for _ in 0..1 + self.dice.below(2) {
            let step = self.dice.pick(&steps).replace('X', "A").replace('Y', "B");
            let own = head("D", "A", "A");
            let (head, mut body) = match self.dice.below(6) {
                0 => (own, format!("{site}(A)")),
                1 => (own, "at(A, _)".to_string()),
                2 => (head("D", "B", "A"), step),
                _ => (head("D", "A", "B"), step),
            };
            if self.dice.percent(40) && head.contains('B') {
                body = format!("{body}, {}", kept.replace('X', "A").replace('Y', "B"));
            }
            let names: &[&str] = if extra.is_some() { &["D"] } else { &[] };
            let tests = bound(&body, names);
            self.say(format!("{head} :- {tests}{body}."));
        }
        for _ in 0..1 + usize::from(self.dice.percent(30)) {
            let mut goals = Vec::new();
            let mut pairs = [
                ("A", "B"),
                ("B", "C"),
                ("B", "A"),
                ("C", "B"),
                ("C", "A"),
                ("A", "C"),
                ("F", "C"),
            ];
            if matches!(extra, Some((_, Ty::Site))) && self.dice.percent(60) {
                (pairs[2], pairs[3]) = (("A", "D"), ("D", "C"));
                if self.dice.percent(50) {
                    (pairs[0], pairs[1]) = (("A", "D"), ("D", "C"));
                }
            }
            if self.dice.percent(30) {
                kept = self.kept_pair();
            }
            let twice = self.dice.percent(45);
            let first = pairs[[0, 1, 0, self.dice.below(7)][self.dice.below(4)]];
            let before = |pair| if pair == pairs[0] { pairs[1] } else { pairs[0] };
            let way = |w: &mut Writer| if w.dice.percent(80) { "D" } else { "E" };
            goals.push(head(way(self), first.0, first.1));
            if twice {
                let other = before(first);
                let other = match self.dice.below(10) {
                    0..=5 => other,
                    6 => ("F", "C"),
                    _ => pairs[self.dice.below(7)],
                };
                goals.push(head(way(self), other.0, other.1));
            }
            if !twice || self.dice.percent(25) {
                let pair = before(first);
                let pair = if self.dice.percent(80) { pair } else { pairs[self.dice.below(7)] };
                let step = self.dice.pick(&steps).replace('X', pair.0).replace('Y', pair.1);
                let step = if self.dice.percent(12) { step.replace('D', "E") } else { step };
                // a call beside the one in the conjunction, behind that: what a branch alone binds may not be used elsewhere
                let beside = head("D", pair.0, pair.1);
                let is_bound = extra.is_none() || goals.iter().any(|goal| goal.contains("(D"));
                match self.dice.percent(8) && is_bound {
                    true => goals.push(format!("( {step} ; {beside} )")),
                    false => goals.insert(self.dice.below(2), step),
                }
            }
            let mut body = goals.join(", ");
            if self.dice.percent(45) {
                let pair = pairs[[1, 1, 0, self.dice.below(7)][self.dice.below(4)]];
                let pair = kept.replace('X', pair.0).replace('Y', pair.1);
                // one half of it only, or another value at each end
                let pair = match self.dice.below(6) {
                    0 => pair.split(", at").next().unwrap_or_default().to_string(),
                    1 => pair.replacen('V', "W", 1),
                    _ => pair,
                };
                if pair.matches('(').count() == pair.matches(')').count() {
                    body = format!("{body}, {pair}");
                }
            }
            let names: &[&str] = if extra.is_some() { &["D", "A", "C"] } else { &["A", "C"] };
            let mut body = format!("{}{body}", bound(&body, names));
            match self.dice.below(6) {
                0 => body.push_str(", A \\= C"),
                1 => body.push_str(", \\+ at(C, _)"),
                2 => {
                    let mut scope = Scope::new();
                    scope.bind("A", Ty::Site);
                    scope.bind("C", Ty::Site);
                    body = format!("{body}, {}", self.goal(&mut scope, Context::of_play(1)));
                }
                _ => {}
            }
            let end = if self.dice.percent(6) { "A" } else { "C" };
            let mut clause = format!("{} :- {body}.", head("D", "A", end));
            // one value that all calls of the clause pass on
            if extra.is_some_and(|(_, ty)| ty != Ty::Site) && self.dice.percent(10) {
                let value = self.constant(extra.map_or(Ty::Player, |(_, ty)| ty));
                clause = clause.replace("(D", &format!("({value}"));
            }
            self.say(clause);
        }
        let mut types = vec![Ty::Site, Ty::Site];
        types.splice(0..0, extra.map(|(_, ty)| ty));
        self.known_relation("walk", &types, true, 4);
        let given = match extra {
            Some((_, ty)) if self.dice.percent(50) => self.constant(ty),
            _ => "_".to_string(),
        };
        self.asks(&|x, y| head(&given, x, y), "walk");
    }

    /// Goals that the site X and the site Y have the same value: of a map, a set or a relation.
    fn kept_pair(&mut self) -> String {
        let mut all: Vec<String> = vec!["at".to_string(), "at".to_string()];
        let fluents = self.world.fluents.iter().filter(|f| match f.keys.as_slice() {
            [site] => site.ty == Ty::Site && f.value.is_some(),
            [site, _] => site.ty == Ty::Site && f.value.is_none(),
            _ => false,
        });
        all.extend(fluents.map(|f| f.name.clone()));
        let relations = self
            .world
            .relations
            .iter()
            .filter(|r| r.args.len() == 2 && r.args[0] == Ty::Site && !r.needs.contains(&true));
        all.extend(relations.map(|r| r.name.clone()));
        let name = self.dice.pick(&all);
        match self.dice.below(4) {
            0 => format!("{name}(Y, V), {name}(X, V)"),
            1 => {
                let name = name.clone();
                format!("{}(X, Y)", self.alike(&name))
            }
            _ => format!("{name}(X, V), {name}(Y, V)"),
        }
    }

    /// A relation of sites with one value.
    fn alike(&mut self, name: &str) -> String {
        let made = format!("alike{}", self.world.relations.len());
        match self.dice.below(4) {
            3 => self.say(format!("{made}(A, A) :- {name}(A, V), {name}(A, V).")),
            0 => self.say(format!("{made}(A, B) :- {name}(B, V), {name}(A, V).")),
            1 => self.say(format!("{made}(A, B) :- {name}(A, V), {name}(B, W), V = W.")),
            _ => self.say(format!("{made}(A, B) :- {name}(A, V), {name}(B, V).")),
        }
        self.known_relation(&made, &[Ty::Site, Ty::Site], true, 3);
        made
    }
}
