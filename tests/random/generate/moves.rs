//! Updates, actions, moves, chance events and ranks.

use super::Writer;
use super::world::{Action, Context, Domain, Fluent, Scope, Ty};

const NAMES: [&str; 8] = ["go", "put", "slide", "take", "flip", "swap", "lift", "jump"];

impl Writer {
    /// A key or a value that is most often of the domain.
    fn of_domain(&mut self, scope: &Scope, domain: &Domain, guards: &mut Vec<String>) -> String {
        let constant = self.dice.pick(&domain.values).clone();
        if domain.ty == Ty::Number {
            let Some(variable) = self.variable(scope, Ty::Number) else { return constant };
            let (lo, hi) = domain.range;
            return match self.dice.below(10) {
                0..=3 => constant,
                4 if self.risky => variable,
                _ => {
                    guards.push(format!("{variable} >= {lo}"));
                    guards.push(format!("{variable} =< {hi}"));
                    variable
                }
            };
        }
        let known = self.known(scope, domain.ty);
        if !domain.sparse {
            return known;
        }
        match self.dice.below(10) {
            0..=3 => constant,
            4..=8 if domain.ty == Ty::Site && known.starts_with(char::is_uppercase) => {
                guards.push(format!("{}({known})", domain.text));
                known
            }
            _ if self.risky => known,
            _ => constant,
        }
    }

    fn place(&mut self, scope: &Scope, fluent: &Fluent, guards: &mut Vec<String>) -> String {
        let keys: Vec<String> =
            fluent.keys.iter().map(|key| self.of_domain(scope, key, guards)).collect();
        match keys.is_empty() {
            true => fluent.name.clone(),
            false => format!("{}({})", fluent.name, keys.join(", ")),
        }
    }

    /// One update, with the tests before it.
    fn update(&mut self, scope: &Scope) -> Vec<String> {
        let fluents = self.world.fluents.clone();
        // the board is what moves are mostly about
        let fluent = if self.dice.percent(45) { &fluents[0] } else { self.dice.pick(&fluents) };
        let mut goals = Vec::new();
        let place = self.place(scope, fluent, &mut goals);
        let update = match &fluent.value {
            None if self.dice.percent(65) => format!("set({place})"),
            None => format!("clear({place})"),
            Some(_) if self.dice.percent(20) => format!("clear({place})"),
            Some(value) if value.ty == Ty::Number && self.dice.percent(70) => {
                self.count(fluent, value, &place, &mut goals)
            }
            Some(value) => {
                let x = self.of_domain(scope, value, &mut goals);
                format!("{place} := {x}")
            }
        };
        goals.push(update);
        goals
    }

    /// A number that goes up or down.
    fn count(
        &mut self,
        fluent: &Fluent,
        value: &Domain,
        place: &str,
        goals: &mut Vec<String>,
    ) -> String {
        let (lo, hi) = value.range;
        let by = self.dice.range(1, 2.min(hi - lo).max(1));
        let up = self.dice.percent(55);
        let (op, test) = match up {
            true => ("+=", format!("{place} =< {}", hi - by)),
            false => ("-=", format!("{place} >= {}", lo + by)),
        };
        let start = if up { lo } else { hi };
        match self.dice.below(10) {
            0..=3 => format!("( {test} -> {place} {op} {by} ; {place} := {start} )"),
            4 | 5 => format!("( {test} -> {place} {op} {by} ; true )"),
            6 if lo == 0 => format!("{place} := ({place} + {by}) mod {}", hi + 1),
            7 if fluent.initial.is_some() && self.risky => format!("{place} {op} {by}"),
            8 => format!("{place} := max({lo}, min({hi}, {place} {} {by}))", &op[..1]),
            _ => {
                goals.push(test);
                format!("{place} {op} {by}")
            }
        }
    }

    /// `each`, with an action that does the same in whatever order the answers come.
    fn each(&mut self, scope: &mut Scope, context: Context) -> Vec<String> {
        let fluents = self.world.fluents.clone();
        if self.dice.percent(15) {
            let ways = self.world.directions.clone();
            let way = self.dice.pick(&ways).clone();
            return vec![format!("each((step({way}, A, B), at(A, X)), at(B) := X)")];
        }
        let mut inner = scope.inner();
        let before = inner.bound.len();
        let mut goal = self.read(&mut inner);
        if self.dice.percent(40) {
            goal = format!("({goal}, {})", self.goal(&mut inner, context.deeper()));
        }
        let locals: Vec<(String, Ty)> = inner.bound[before..].to_vec();
        scope.leave(&inner);
        let fluent = self.dice.pick(&fluents).clone();
        let mut guards = Vec::new();
        let mut outer = scope.clone();
        let keyed: Vec<&(String, Ty)> = (locals.iter())
            .filter(|(_, ty)| fluent.keys.iter().any(|k| k.ty == *ty && !k.sparse))
            .filter(|(_, ty)| *ty != Ty::Number)
            .collect();
        let place = match keyed.first() {
            Some((name, ty)) => {
                let keys: Vec<String> = (fluent.keys.iter())
                    .map(|key| match key.ty == *ty && !key.sparse {
                        true => name.clone(),
                        false => self.dice.pick(&key.values).clone(),
                    })
                    .collect();
                format!("{}({})", fluent.name, keys.join(", "))
            }
            None => self.place(&outer, &fluent, &mut guards),
        };
        let action = match &fluent.value {
            None => format!("set({place})"),
            Some(value) if value.ty == Ty::Number && self.dice.percent(60) => {
                let (_, hi) = value.range;
                format!("( {place} < {hi} -> {place} += 1 ; true )")
            }
            Some(_) if self.dice.percent(30) => format!("clear({place})"),
            Some(value) => {
                outer.bound.retain(|(_, ty)| *ty != Ty::Number);
                let x = self.of_domain(&outer, value, &mut guards);
                format!("{place} := {x}")
            }
        };
        guards.push(format!("each({goal}, {action})"));
        guards
    }

    /// What a move does: updates, calls of actions, and choices between them.
    fn effect(&mut self, scope: &mut Scope, context: Context) -> Vec<String> {
        match self.dice.weighted(&[50, 14, 9, 8, 6, 4, 9]) {
            1 if !self.world.actions.is_empty() => {
                let action = self.dice.pick(&self.world.actions).clone();
                let mut args = Vec::new();
                for (ty, given) in &action.args {
                    args.push(match given {
                        true => self.known(scope, *ty),
                        false => scope.name(*ty),
                    });
                }
                for ((ty, given), arg) in action.args.iter().zip(&args) {
                    if !given {
                        scope.bind(arg, *ty);
                    }
                }
                match args.is_empty() {
                    true => vec![action.name],
                    false => vec![format!("{}({})", action.name, args.join(", "))],
                }
            }
            2 => {
                let mut inner = scope.inner();
                let condition = self.goal(&mut inner, context.deeper());
                scope.leave(&inner);
                let then = self.update(scope).join(", ");
                let otherwise = match self.dice.percent(50) {
                    true => self.update(scope).join(", "),
                    false => "true".to_string(),
                };
                vec![format!("( {condition} -> {then} ; {otherwise} )")]
            }
            3 => self.each(scope, context),
            4 => {
                // a choice, which the move must tell
                let tag = scope.name(Ty::Kind);
                let kinds = self.world.kinds.clone();
                let first = self.update(scope).join(", ");
                let second = self.update(scope).join(", ");
                let text = match self.dice.percent(50) {
                    true => format!(
                        "( {tag} = {}, {first} ; {tag} = {}, {second} )",
                        kinds[0], kinds[1]
                    ),
                    false => format!(
                        "( {first}, {tag} = {} ; {second}, {tag} = {} )",
                        kinds[0], kinds[1]
                    ),
                };
                scope.bind(&tag, Ty::Kind);
                vec![text]
            }
            5 => match self.dice.below(3) {
                0 => vec!["again".to_string()],
                1 => vec![format!("turn := {}", self.known(scope, Ty::Player))],
                _ => {
                    let mut inner = scope.inner();
                    let condition = self.goal(&mut inner, context.deeper());
                    scope.leave(&inner);
                    vec![format!("( {condition} -> again ; true )")]
                }
            },
            6 => {
                let inside = self.update(scope).join(", ");
                match self.dice.below(3) {
                    0 => vec![format!("once(({inside}))")],
                    1 => {
                        let mut inner = scope.inner();
                        let test = self.goal(&mut inner, context.deeper());
                        scope.leave(&inner);
                        vec![format!("once(({inside}, {test}))")]
                    }
                    _ => {
                        let test = self.goal(scope, context.deeper());
                        vec![inside, test]
                    }
                }
            }
            _ => self.update(scope),
        }
    }

    pub fn actions(&mut self) {
        for i in 0..self.dice.below(4) {
            let name = format!("a{i}");
            match self.dice.below(8) {
                0 | 1 => self.plain_action(&name),
                2 => self.split_action(&name),
                3 => {
                    let mut scope = Scope::new();
                    scope.bind("C", Ty::Site);
                    let test = self.goal(&mut scope, Context::of_play(1));
                    let update = self.update(&scope).join(", ");
                    let site = self.world.site.clone();
                    match self.dice.percent(50) {
                        true => {
                            self.say(format!("{name}(to(C)) :- {site}(C), {test}, {update}."));
                            self.action(&name, &[(Ty::Made(0), false)]);
                        }
                        false => {
                            self.say(format!(
                                "{name}(by(P), C) :- {site}(C), player(P), {test}, {update}."
                            ));
                            self.action(&name, &[(Ty::Made(1), true), (Ty::Site, false)]);
                        }
                    }
                }
                4 | 5 => self.path_action(&name),
                6 => {
                    let mut scope = Scope::new();
                    let effect = self.each(&mut scope, Context::of_play(1)).join(", ");
                    self.say(format!("{name} :- {effect}."));
                    self.action(&name, &[]);
                }
                _ => {
                    // a list of sites, one after the other
                    let mut scope = Scope::new();
                    scope.bind("C", Ty::Site);
                    let update = self.update(&scope).join(", ");
                    self.say(format!("{name}([])."));
                    self.say(format!("{name}([C|L]) :- {update}, {name}(L)."));
                    self.action(&name, &[(Ty::Sites, true)]);
                }
            }
        }
    }

    fn action(&mut self, name: &str, args: &[(Ty, bool)]) {
        self.world.actions.push(Action { name: name.to_string(), args: args.to_vec() });
    }

    fn plain_action(&mut self, name: &str) {
        let types = [Ty::Site, Ty::Player, Ty::Kind, Ty::Number, Ty::Piece];
        let n = self.dice.below(3);
        let mut scope = Scope::new();
        let args: Vec<Ty> =
            (0..n).map(|_| types[self.dice.weighted(&[50, 15, 15, 10, 10])]).collect();
        let head: Vec<String> = args.iter().map(|ty| scope.fresh(*ty)).collect();
        let context = Context::of_play(1);
        let mut body = Vec::new();
        if self.dice.percent(40) {
            body.push(self.goal(&mut scope, context));
        }
        for _ in 0..1 + self.dice.below(2) {
            body.extend(self.effect(&mut scope, context));
        }
        if self.dice.percent(25) {
            body.push(self.goal(&mut scope, context));
        }
        let head = match head.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", head.join(", ")),
        };
        self.say(format!("{head} :- {}.", body.join(", ")));
        let args: Vec<(Ty, bool)> = args.into_iter().map(|ty| (ty, true)).collect();
        self.action(name, &args);
    }

    /// Clauses of which one fits, told apart by an argument.
    fn split_action(&mut self, name: &str) {
        let ty = [Ty::Player, Ty::Kind, Ty::Piece, Ty::Site][self.dice.below(4)];
        let whole = self.dice.percent(50);
        for i in 0..2 {
            let mut scope = Scope::new();
            let mut body = Vec::new();
            let value = match ty {
                Ty::Piece => {
                    let (functor, args) =
                        self.world.pieces[i.min(self.world.pieces.len() - 1)].clone();
                    self.compound(&functor, &args, &mut |_, ty| scope.fresh(ty))
                }
                Ty::Player => self.world.players[i.min(self.world.players.len() - 1)].clone(),
                Ty::Kind => self.world.kinds[i].clone(),
                _ => self.world.sites[i.min(self.world.sites.len() - 1)].clone(),
            };
            let head = match self.dice.percent(50) {
                true => value,
                false => {
                    let x = scope.fresh(ty);
                    body.push(format!("{x} = {value}"));
                    x
                }
            };
            if whole {
                body.extend(self.effect(&mut scope, Context::of_play(1)));
            } else {
                body.extend(self.update(&scope));
            }
            self.say(format!("{name}({head}) :- {}.", body.join(", ")));
        }
        self.action(name, &[(ty, true)]);
    }

    /// Steps that collect their path.
    fn path_action(&mut self, name: &str) {
        let mut scope = Scope::new();
        scope.bind("P", Ty::Site);
        scope.bind("Q", Ty::Site);
        let test = match self.dice.percent(50) {
            true => "\\+ at(Q, _)".to_string(),
            false => self.goal(&mut scope, Context::of_play(0)),
        };
        let update = self.update(&scope).join(", ");
        let value = self.world.fluents[0].value.clone();
        let put = match value {
            Some(value) => format!("at(Q) := {}", self.dice.pick(&value.values)),
            None => update.clone(),
        };
        let put = if self.world.fluents[0].keys[0].sparse {
            format!("{}(Q), {put}", self.world.fluents[0].keys[0].text)
        } else {
            put
        };
        let small = self.world.sites.len() <= 6;
        match self.dice.below(3) {
            0 if small => {
                self.say(format!(
                    "{name}(P, Seen, [Q|R]) :- adjacent(P, Q), {test}, \\+ member(Q, Seen), \
                     ( R = [], {put} ; {name}(Q, [Q|Seen], R) )."
                ));
                self.action(name, &[(Ty::Site, true), (Ty::Sites, true), (Ty::Sites, false)]);
            }
            1 if small => {
                self.say(format!(
                    "{name}(P, [Q|R]) :- adjacent(P, Q), \\+ at(Q, _), {put}, {name}_on(Q, R)."
                ));
                self.say(format!("{name}_on(P, R) :- {name}(P, R)."));
                match self.dice.percent(50) {
                    true => self.say(format!("{name}_on(_, [])  .")),
                    false => {
                        self.say(format!("{name}_on(P, []) :- \\+ (adjacent(P, Q), \\+ at(Q, _))."))
                    }
                }
                self.action(name, &[(Ty::Site, true), (Ty::Sites, false)]);
            }
            _ => {
                self.say(format!("{name}(_, 0, [])."));
                self.say(format!(
                    "{name}(P, N, [Q|R]) :- N > 0, step(_, P, Q), {test}, {update}, M is N - 1, {name}(Q, M, R)."
                ));
                let n = self.dice.range(1, 2);
                self.say(format!("{name}_all(P, R) :- {name}(P, {n}, R)."));
                self.action(&format!("{name}_all"), &[(Ty::Site, true), (Ty::Sites, false)]);
            }
        }
    }

    /// `move` clauses: one that keeps the game going, and whatever comes.
    pub fn moves(&mut self) {
        self.base_move();
        for i in 0..1 + self.dice.below(3) {
            self.random_move("move", NAMES[(i + 1) % NAMES.len()]);
        }
        if self.dice.percent(75) {
            self.say("move(pass).".to_string());
            self.world.moves.push(("pass".to_string(), Vec::new()));
        }
    }

    /// Placing, stepping or counting.
    fn base_move(&mut self) {
        let at = self.world.fluents[0].clone();
        let site = match at.keys[0].sparse {
            true => at.keys[0].text.clone(),
            false => self.world.site.clone(),
        };
        let value = match at.value.as_ref().map(|v| v.ty) {
            Some(Ty::Player) => "Me".to_string(),
            Some(Ty::Piece) => {
                let (functor, args) = self.dice.pick(&self.world.pieces).clone();
                let kind = self.world.kinds[0].clone();
                self.compound(&functor, &args, &mut |_, ty| match ty {
                    Ty::Player => "Me".to_string(),
                    _ => kind.clone(),
                })
            }
            _ => at.value.as_ref().map(|v| v.values[0].clone()).unwrap_or_default(),
        };
        let mut scope = Scope::new();
        scope.bind("Me", Ty::Player);
        scope.bind("C", Ty::Site);
        let extra = match self.dice.percent(35) {
            true => {
                let mut effect = self.effect(&mut scope, Context::of_play(1));
                effect.insert(0, String::new());
                effect.join(", ")
            }
            false => String::new(),
        };
        let shown: Vec<String> =
            scope.bound[2..].iter().map(|(name, _)| format!(", {name}")).collect();
        let types: Vec<Ty> = scope.bound[1..].iter().map(|(_, ty)| *ty).collect();
        let shown = shown.join("");
        match self.dice.below(3) {
            0 | 1 => self.say(format!(
                "move(mark(C{shown})) :- {site}(C), \\+ at(C, _), turn(Me), at(C) := {value}{extra}."
            )),
            _ => {
                self.say(format!(
                    "move(mark(C{shown})) :- {site}(C), turn(Me), \\+ at(C, {value}), \
                     ( at(C, _) -> clear(at(C)) ; at(C) := {value} ){extra}."
                ));
            }
        }
        self.world.moves.push(("mark".to_string(), types));
    }

    /// A clause of `move` or `chance`.
    pub fn random_move(&mut self, relation: &str, name: &str) {
        let mut scope = Scope::new();
        let mut body = Vec::new();
        let context = Context::of_play(2);
        if self.dice.percent(60) {
            body.push("turn(Me)".to_string());
            scope.bind("Me", Ty::Player);
        }
        if relation == "chance" {
            let n = self.dice.range(2, 4);
            body.push(format!("ply(N0), N0 mod {n} =:= {}", self.dice.range(0, n - 1)));
        }
        for _ in 0..self.dice.below(4) {
            body.push(self.goal(&mut scope, context));
        }
        let mut effects = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            effects.extend(self.effect(&mut scope, context));
            if self.dice.percent(12) {
                effects.push(self.goal(&mut scope, context));
            }
        }
        if self.dice.percent(4) {
            effects.push("\\+ repeated_board(2)".to_string());
        }
        let used = effects.join(", ");
        body.extend(effects);
        let mut head = Vec::new();
        for (name, ty) in scope.bound.clone() {
            let matters = words(&used).any(|word| word == name);
            let shown = match (name.as_str(), matters) {
                ("Me", _) => self.dice.percent(15),
                (_, true) => !self.dice.percent(3),
                (_, false) => self.dice.percent(50),
            };
            if shown {
                head.push((name, ty));
            }
        }
        let types: Vec<Ty> = head.iter().map(|(_, ty)| *ty).collect();
        let mut args: Vec<String> = head.into_iter().map(|(name, _)| name).collect();
        let mut known = true;
        match self.dice.below(12) {
            0 if !args.is_empty() => {
                args[0] = format!("w({})", args[0]);
                known = false;
            }
            1 if args.len() > 1 => {
                args = vec![format!("[{}]", args.join(", "))];
                known = false;
            }
            2 => {
                args.push(self.constant(Ty::Kind));
                known = false;
            }
            _ => {}
        }
        let term = match args.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", args.join(", ")),
        };
        self.say(format!("{relation}({term}) :- {}.", body.join(", ")));
        if known {
            let written =
                if relation == "move" { &mut self.world.moves } else { &mut self.world.events };
            written.push((name.to_string(), types));
        }
    }

    pub fn chance(&mut self) {
        if !self.dice.percent(20) {
            return;
        }
        if self.dice.percent(50) {
            self.say(":- state die -> 1..4.".to_string());
            self.say("chance(roll(N)) :- \\+ die(_), N in 1..4, die := N.".to_string());
            self.say("move(use(N)) :- die(N), clear(die).".to_string());
            self.world.events.push(("roll".to_string(), vec![Ty::Number]));
            self.world.moves.push(("use".to_string(), vec![Ty::Number]));
        }
        if self.dice.percent(60) {
            self.random_move("chance", "falls");
        }
        let events = self.world.events.clone();
        if events.is_empty() || !self.dice.percent(60) {
            return;
        }
        // one weight for each event: which of several counts is not said
        for (name, args) in events {
            let mut scope = Scope::new();
            let form = self.compound(&name, &args, &mut |_, ty| scope.fresh(ty));
            let mut inner = scope.inner();
            let test = self.goal(&mut inner, Context::of_play(1));
            let expression = self.expression(&scope, Context::of_play(1), 1);
            match self.dice.below(4) {
                0 => {
                    let weight = self.dice.range(0, 3);
                    self.say(format!("weight({form}, {weight})."));
                }
                1 => self.say(format!("weight({form}, W) :- W is {expression}.")),
                2 => self.say(format!("weight({form}, W) :- W is abs({expression}).")),
                _ => self.say(format!("weight({form}, W) :- ( {test} -> W = 2 ; W is 1 + 2 ).")),
            }
        }
    }

    pub fn ranks(&mut self) {
        if !self.dice.percent(22) {
            return;
        }
        let moves = self.world.moves.clone();
        for _ in 0..1 + self.dice.below(3) {
            let (name, args) = self.dice.pick(&moves).clone();
            self.rank(&name, &args);
        }
    }

    /// A clause of `rank` for a form of move.
    fn rank(&mut self, name: &str, args: &[Ty]) {
        let mut scope = Scope::new();
        let list = args.iter().position(|ty| *ty == Ty::Sites);
        let constant = self.dice.range(-2, 2);
        match self.dice.below(5) {
            0 | 1 => {
                let form = self.compound(name, args, &mut |w, ty| match w.dice.percent(75) {
                    true => "_".to_string(),
                    false => w.constant(ty),
                });
                self.say(format!("rank({form}, {constant})."));
            }
            2 if list.is_some() => {
                let mut at = 0;
                let form = self.compound(name, args, &mut |_, _| {
                    at += 1;
                    if Some(at - 1) == list { "L".to_string() } else { "_".to_string() }
                });
                self.say(format!("rank({form}, N) :- length(L, N)."));
            }
            n => {
                let form = self.compound(name, args, &mut |_, ty| scope.fresh(ty));
                let mut body = Vec::new();
                if n > 2 {
                    body = self.goals(&mut scope, Context::of_play(1), 1);
                }
                let number =
                    self.variable(&scope, Ty::Number).unwrap_or_else(|| constant.to_string());
                match body.is_empty() {
                    true => self.say(format!("rank({form}, {number}).")),
                    false => self.say(format!("rank({form}, {number}) :- {}.", body.join(", "))),
                }
            }
        }
    }
}

/// Names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
