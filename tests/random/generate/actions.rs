//! Actions that moves call: plain ones, such that choose by an argument, and such that collect
//! a path.

use super::Writer;
use super::world::{Action, Context, Scope, Ty};

impl Writer {
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
}
