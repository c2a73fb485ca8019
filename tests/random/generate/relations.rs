//! Static and derived relations, from joins of what there is to recursion of all kinds.

use super::Writer;
use super::world::{Context, FORMS, Relation, Scope, Ty};

impl Writer {
    pub fn relations(&mut self) {
        // what has no value at load is refused
        let risky = std::mem::take(&mut self.risky);
        for i in 0..self.dice.below(4) {
            self.static_relation(i);
        }
        self.risky = risky;
        for i in 0..self.dice.below(5) {
            self.derived_relation(i);
        }
    }

    fn add(&mut self, name: &str, args: &[Ty], play: bool, needs: &[bool], answers: usize) {
        let mut needs = needs.to_vec();
        needs.resize(args.len(), false);
        self.world.relations.push(Relation {
            name: name.to_string(),
            args: args.to_vec(),
            play,
            needs,
            answers,
        });
    }

    fn static_relation(&mut self, i: usize) {
        let name = format!("r{i}");
        match self.dice.below(10) {
            0 | 1 => self.facts(&name),
            9 => self.choosing_relation(&name, Context::of_static()),
            2 | 3 => self.open_relation(&name, Context::of_static()),
            // on a large board the pairs are too many
            4 if self.world.sites.len() <= 64 => {
                let base = self.step(false);
                self.closure(&name, base, false);
            }
            5 => {
                // owners of pieces: a compound in the head
                for (functor, args) in self.world.pieces.clone() {
                    match args.len() {
                        0 => self.say(format!("{name}({functor}, {}).", self.world.players[0])),
                        1 => self.say(format!("{name}({functor}(P), P) :- player(P).")),
                        _ => self.say(format!("{name}({functor}(P, K), P) :- player(P), kind(K).")),
                    }
                }
                self.add(&name, &[Ty::Piece, Ty::Player], false, &[], 1);
            }
            6 => {
                let site = self.world.site.clone();
                match self.dice.below(4) {
                    0 => {
                        self.say(format!(
                            "{name}(A, L) :- {site}(A), findall(B, adjacent(A, B), L)."
                        ));
                    }
                    1 => self.say(format!("{name}(A, [A, B]) :- step(_, A, B).")),
                    2 => self.say(format!(
                        "{name}(A, L) :- step(D, A, B), step(D, B, C), append([A, B], [C], L)."
                    )),
                    _ => {
                        for _ in 0..3 {
                            let fact = format!(
                                "{name}({}, {}).",
                                self.constant(Ty::Site),
                                self.constant(Ty::Sites)
                            );
                            self.say(fact);
                        }
                    }
                }
                self.add(&name, &[Ty::Site, Ty::Sites], false, &[], 3);
            }
            7 => {
                match self.dice.below(3) {
                    0 => self.say(format!("{name}(N, M) :- N in 0..4, M is N * 2 - 1.")),
                    1 => self.say(format!(
                        "{name}(N, M) :- N in -2..3, M in 0..3, (N + M) mod 2 =:= 0."
                    )),
                    _ => {
                        let list = self.constant(Ty::Sites);
                        self.say(format!("{name}(N, M) :- length({list}, N), M is N + 1."));
                    }
                }
                self.add(&name, &[Ty::Number, Ty::Number], false, &[], 2);
            }
            _ => {
                let all = self.world.sites.clone();
                let list = self.dice.some(&all, 4).join(", ");
                self.say(format!("{name}(N, C) :- nth(N, [{list}], C)."));
                self.add(&name, &[Ty::Number, Ty::Site], false, &[], 1);
            }
        }
    }

    fn types(&mut self, n: usize) -> Vec<Ty> {
        (0..n)
            .map(|_| match self.dice.weighted(&[40, 20, 15, 15, 10]) {
                0 => Ty::Site,
                1 => Ty::Player,
                2 => Ty::Kind,
                3 => Ty::Number,
                _ => Ty::Piece,
            })
            .collect()
    }

    fn facts(&mut self, name: &str) {
        let n = 1 + self.dice.below(3);
        let types = self.types(n);
        for _ in 0..2 + self.dice.below(6) {
            let args: Vec<String> = types.iter().map(|ty| self.constant(*ty)).collect();
            self.say(format!("{name}({}).", args.join(", ")));
        }
        self.add(name, &types, false, &[], 3);
    }

    /// A relation of two sites.
    fn step(&mut self, play: bool) -> String {
        let all: Vec<String> = (self.world.relations.iter())
            .filter(|r| r.args == [Ty::Site, Ty::Site] && (play || !r.play))
            .filter(|r| !r.needs.contains(&true))
            .map(|r| r.name.clone())
            .collect();
        self.dice.pick(&all).clone()
    }

    /// Reachability: linear to the left or right, nonlinear, or mutual.
    fn closure(&mut self, name: &str, base: String, play: bool) {
        let mut scope = Scope::new();
        scope.bind("A", Ty::Site);
        scope.bind("B", Ty::Site);
        let (first, mut next) = (format!("{base}(A, B)"), format!("{base}(B, C)"));
        let mut start = first.clone();
        if play {
            let test = self.goal(&mut scope, Context::of_play(1));
            start = format!("{first}, {test}");
            let mut scope = Scope::new();
            scope.bind("B", Ty::Site);
            scope.bind("C", Ty::Site);
            if self.dice.percent(50) {
                scope.bind("A", Ty::Site);
            }
            next = format!("{next}, {}", self.goal(&mut scope, Context::of_play(1)));
        }
        if self.dice.percent(30) {
            let test = match play {
                true => "at(A, _)".to_string(),
                false => format!("{}(A)", self.world.site),
            };
            self.say(format!("{name}(A, A) :- {test}."));
        } else {
            self.say(format!("{name}(A, B) :- {start}."));
        }
        let at = self.constant(Ty::Site);
        match self.dice.below(9) {
            0 => self.say(format!("{name}({at}, B) :- {start}.")),
            1 => self.say(format!("{name}(A, {at}) :- {start}.")),
            2 => self.say(format!("{name}(B, A) :- {start}.")),
            _ => {}
        }
        match self.dice.below(8) {
            // the end stands beside the call
            5 => self.say(format!("{name}(A, C) :- {base}(A, B), ( C = B ; {name}(B, C) ).")),
            6 => self.say(format!(
                "{name}(A, C) :- {base}(A, B), ( {base}(B, C) ; {name}(B, C), A \\= C )."
            )),
            7 => self.say(format!(
                "{name}(A, C) :- {base}(A, B), ( A \\= {at} -> {name}(B, C) ; C = B )."
            )),
            0 | 1 => self.say(format!("{name}(A, C) :- {name}(A, B), {next}.")),
            2 => self.say(format!("{name}(A, C) :- {base}(A, B), {name}(B, C).")),
            3 => {
                let (first, then) = match self.dice.percent(50) {
                    true => ("A, B", "B, C"),
                    false => ("B, C", "A, B"),
                };
                self.say(format!("{name}(A, C) :- {name}({first}), {name}({then})."));
            }
            _ => {
                self.say(format!("{name}(A, C) :- {name}_b(A, B), {next}."));
                self.say(format!("{name}_b(A, B) :- {name}(A, B)."));
                if self.dice.percent(50) {
                    self.say(format!("{name}_b(A, A) :- {}(A).", self.world.site));
                }
            }
        }
        self.add(name, &[Ty::Site, Ty::Site], play, &[], 6);
    }

    /// A relation whose clauses bind all arguments.
    fn open_relation(&mut self, name: &str, context: Context) {
        let n = 1 + self.dice.below(3);
        let mut types: Option<Vec<Ty>> = None;
        for _ in 0..1 + self.dice.below(3) {
            let mut scope = Scope::new();
            let goals = 1 + self.dice.below(3);
            let mut body = self.goals(&mut scope, context, goals);
            let wanted = match &types {
                Some(types) => types.clone(),
                None => {
                    let mut found: Vec<Ty> = scope.bound.iter().map(|(_, ty)| *ty).collect();
                    found = self.dice.some(&found, n);
                    if found.is_empty() && self.dice.percent(70) {
                        found.push(Ty::Site);
                    }
                    types = Some(found.clone());
                    found
                }
            };
            let mut head = Vec::new();
            for ty in wanted {
                head.push(match self.variable(&scope, ty) {
                    Some(variable) if self.dice.percent(85) => variable,
                    _ if self.dice.percent(35) => self.constant(ty),
                    _ if ty == Ty::Piece && !scope.of(Ty::Player).is_empty() => {
                        self.known(&scope, ty)
                    }
                    _ => {
                        let x = scope.fresh(ty);
                        let goal = match self.world.unary(ty) {
                            Some(unary) => format!("{unary}({x})"),
                            None if ty == Ty::Number => format!("{x} in 0..3"),
                            None => format!("{x} = {}", self.known(&scope.inner(), ty)),
                        };
                        // the variable itself is no value for itself
                        let own = format!("{x} = {x}");
                        let goal = if goal == own || goal.matches(&x).count() > 1 {
                            format!("{x} = {}", self.constant(ty))
                        } else {
                            goal
                        };
                        let at = self.dice.below(2) * body.len();
                        body.insert(at, goal);
                        x
                    }
                });
            }
            let head = match head.is_empty() {
                true => name.to_string(),
                false => format!("{name}({})", head.join(", ")),
            };
            self.say(format!("{head} :- {}.", body.join(", ")));
        }
        self.add(name, &types.unwrap_or_default(), context.play, &[], 6);
    }

    /// A relation that keeps the first answer, over arguments that its callers may leave open.
    fn choosing_relation(&mut self, name: &str, context: Context) {
        let mut scope = Scope::new();
        let condition = self.condition(&mut scope, context);
        let test = match self.dice.percent(40) {
            true => format!(", {}", self.goal(&mut scope, context.deeper())),
            false => String::new(),
        };
        let found: Vec<(String, Ty)> = scope.bound.clone();
        let found = self.dice.some(&found, 2);
        let types: Vec<Ty> = found.iter().map(|(_, ty)| *ty).collect();
        let names: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
        let head = match names.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", names.join(", ")),
        };
        match self.dice.percent(60) {
            true => self.say(format!("{head} :- once(({condition})){test}.")),
            false => self.say(format!("{head} :- ( {condition} -> true ){test}.")),
        }
        self.add(name, &types, context.play, &[], 2);
    }

    fn derived_relation(&mut self, i: usize) {
        let name = format!("d{i}");
        let depth = 1 + self.dice.below(2);
        match self.dice.below(15) {
            13 | 14 => self.choosing_relation(&name, Context::of_play(depth)),
            0..=3 => self.open_relation(&name, Context::of_play(depth)),
            4 => {
                let base = self.step(true);
                self.closure(&name, base, true);
            }
            5 | 6 => self.asked_relation(&name, depth),
            7 => self.made_relation(&name),
            8 => self.list_relation(&name),
            9 => self.counted(&name),
            10 => {
                // what stands at a site, by what kind of thing it is
                match self.dice.below(4) {
                    0 => self.say(format!("{name}(C, C) :- at(C, _).")),
                    1 => self.say(format!("{name}(C, D) :- at(C, X), at(D, X).")),
                    2 => self.say(format!("{name}(C, D) :- step(_, C, D), \\+ at(D, _).")),
                    _ => {
                        self.say(format!("{name}(C, D) :- at(C, X), adjacent(C, D), \\+ at(D, X)."))
                    }
                }
                self.add(&name, &[Ty::Site, Ty::Site], true, &[], 3);
            }
            11 => {
                let expression = match self.dice.below(3) {
                    0 => "N * 2",
                    1 => "N mod 3 - 1",
                    _ => "max(N, 1) + N",
                };
                self.say(format!("{name}(N, M) :- M is {expression}."));
                self.add(&name, &[Ty::Number, Ty::Number], true, &[true, false], 1);
            }
            _ => {
                let site = self.world.site.clone();
                self.say(format!("{name}(C) :- {site}(C), \\+ at(C, _)."));
                self.add(&name, &[Ty::Site], true, &[], 6);
            }
        }
    }

    /// A relation that is asked with some of its arguments given.
    fn asked_relation(&mut self, name: &str, depth: usize) {
        let n = 1 + self.dice.below(2);
        let types = self.types(n);
        for _ in 0..1 + self.dice.below(3) {
            let mut scope = Scope::new();
            let mut head = Vec::new();
            let mut first = Vec::new();
            for ty in &types {
                match self.dice.below(10) {
                    0 => head.push(self.constant(*ty)),
                    1 => head.push("_".to_string()),
                    2 if *ty == Ty::Piece => {
                        let (functor, args) = self.dice.pick(&self.world.pieces).clone();
                        head.push(self.compound(&functor, &args, &mut |_, ty| scope.fresh(ty)));
                    }
                    3 if !head.is_empty() && types[head.len() - 1] == *ty => {
                        head.push(head[head.len() - 1].clone());
                    }
                    _ => {
                        let x = scope.fresh(*ty);
                        // negations and comparisons need it; a goal that compares makes sure
                        if *ty == Ty::Number && self.dice.percent(40) {
                            first.push(format!("{x} > 0"));
                        }
                        head.push(x);
                    }
                }
            }
            let goals = 1 + self.dice.below(2);
            first.extend(self.goals(&mut scope, Context::of_play(depth), goals));
            self.say(format!("{name}({}) :- {}.", head.join(", "), first.join(", ")));
        }
        let needs = vec![true; types.len()];
        self.add(name, &types, true, &needs, 1);
    }

    /// Compounds that are built in play.
    fn made_relation(&mut self, name: &str) {
        let form = self.dice.below(FORMS.len());
        let (functor, args) = FORMS[form];
        let mut scope = Scope::new();
        let mut body = vec![self.read(&mut scope)];
        let inside = self.compound(functor, args, &mut |w, ty| match w.variable(&scope, ty) {
            Some(variable) => variable,
            None => w.known(&scope, ty),
        });
        if self.dice.percent(50) {
            body.push(self.goal(&mut scope, Context::of_play(1)));
        }
        let sites = scope.of(Ty::Site);
        let body = body.join(", ");
        match sites.first() {
            Some(site) if self.dice.percent(60) => {
                self.say(format!("{name}({site}, {inside}) :- {body}."));
                self.add(name, &[Ty::Site, Ty::Made(form)], true, &[], 3);
            }
            _ => {
                self.say(format!("{name}({inside}) :- {body}."));
                if self.dice.percent(30) {
                    let other = self.constant(Ty::Made(form));
                    self.say(format!("{name}({other}) :- ply(N), N > 1."));
                }
                self.add(name, &[Ty::Made(form)], true, &[], 3);
            }
        }
    }

    /// Recursion over a list.
    fn list_relation(&mut self, name: &str) {
        let mut scope = Scope::new();
        scope.bind("C", Ty::Site);
        // a static relation would hold lists without end
        let test = self.goal(&mut scope, Context::of_play(1));
        let test = match self.dice.percent(50) {
            true => format!("{test}, at(C, _)"),
            false => format!("\\+ at(C, _), {test}"),
        };
        match self.dice.below(4) {
            0 => {
                self.say(format!("{name}([])."));
                self.say(format!("{name}([C|L]) :- {test}, {name}(L)."));
                self.add(name, &[Ty::Sites], true, &[true], 1);
            }
            1 => {
                self.say(format!("{name}([C|_], C) :- {test}."));
                self.say(format!("{name}([_|L], C) :- {name}(L, C)."));
                self.add(name, &[Ty::Sites, Ty::Site], true, &[true, false], 3);
            }
            2 => {
                self.say(format!("{name}([C|_], C) :- at(C, _)."));
                self.say(format!("{name}([B|L], C) :- \\+ at(B, _), {name}(L, C)."));
                self.add(name, &[Ty::Sites, Ty::Site], true, &[true, false], 1);
            }
            _ => {
                self.say(format!("{name}([], 0)."));
                self.say(format!("{name}([C|L], N) :- {test}, {name}(L, M), N is M + 1."));
                self.say(format!("{name}([C|L], N) :- \\+ at(C, _), {name}(L, N)."));
                self.add(name, &[Ty::Sites, Ty::Number], true, &[true, false], 2);
            }
        }
    }

    /// Recursion that changes several arguments.
    fn counted(&mut self, name: &str) {
        let most = self.dice.range(1, 3);
        let mut scope = Scope::new();
        scope.bind("B", Ty::Site);
        scope.bind("C", Ty::Site);
        let test = self.goal(&mut scope, Context::of_play(1));
        match self.dice.below(5) {
            3 => {
                // steps that are told apart by constants
                self.say(format!("{name}(B, 1) :- at(B, _)."));
                for (n, step) in (2..).zip(0..most) {
                    let before = n - 1 - i64::from(step > 0 && self.dice.percent(15));
                    self.say(format!(
                        "{name}(C, {n}) :- {name}(B, {before}), adjacent(B, C), {test}."
                    ));
                }
                let asked = self.dice.range(1, most + 1);
                self.say(format!("{name}_n(C) :- {name}(C, {asked})."));
                self.add(&format!("{name}_n"), &[Ty::Site], true, &[], 3);
                self.add(name, &[Ty::Site, Ty::Number], true, &[], 3);
            }
            4 => {
                // the length of a way, which is not asked for
                let way = self.constant(Ty::Direction);
                self.say(format!("{name}(A, B, 1) :- at(A, _), step({way}, A, B)."));
                self.say(format!(
                    "{name}(A, C, N) :- {name}(A, B, M), step({way}, B, C), {test}, N is M + 1."
                ));
                self.say(format!("{name}_e(A, C) :- {name}(A, C, _)."));
                self.add(&format!("{name}_e"), &[Ty::Site, Ty::Site], true, &[], 4);
                if self.dice.percent(40) {
                    let most = self.dice.range(1, 3);
                    self.say(format!(
                        "lose(P) :- mover(P), sum(1, {name}(A, C, _), S), S > {most}."
                    ));
                }
                self.add(name, &[Ty::Site, Ty::Site, Ty::Number], true, &[], 4);
            }
            0 => {
                self.say(format!("{name}(A, A, 0) :- at(A, _)."));
                self.say(format!(
                    "{name}(A, C, N) :- {name}(A, B, M), M < {most}, adjacent(B, C), {test}, N is M + 1."
                ));
                self.add(name, &[Ty::Site, Ty::Site, Ty::Number], true, &[], 6);
            }
            1 => {
                self.say(format!("{name}(A, D) :- at(A, _), way(D)."));
                self.say(format!("{name}(C, D) :- {name}(B, D), step(D, B, C), {test}."));
                self.say(format!(
                    "{name}(C, E) :- {name}(B, D), step(E, B, C), D \\= E, \\+ at(C, _)."
                ));
                self.add(name, &[Ty::Site, Ty::Direction], true, &[], 3);
            }
            _ => {
                self.say(format!("{name}(B, 0) :- at(B, _)."));
                self.say(format!(
                    "{name}(C, N) :- N in 1..{most}, M is N - 1, {name}(B, M), adjacent(B, C), {test}."
                ));
                self.add(name, &[Ty::Site, Ty::Number], true, &[], 3);
            }
        }
    }
}
