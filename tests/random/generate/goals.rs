//! Goals that test: reads of the state, calls, comparisons, and everything that is made of
//! other goals.

use super::Writer;
use super::terms::bracketed;
use super::world::{Context, FORMS, Scope, Ty};

impl Writer {
    /// So many goals, each with the variables of those before it.
    pub fn goals(&mut self, scope: &mut Scope, context: Context, n: usize) -> Vec<String> {
        (0..n).map(|_| self.goal(scope, context)).collect()
    }

    /// Goals as one.
    pub fn conjunction(&mut self, scope: &mut Scope, context: Context, n: usize) -> String {
        let goals = self.goals(scope, context, n);
        if goals.len() == 1 { goals[0].clone() } else { format!("({})", goals.join(", ")) }
    }

    pub fn goal(&mut self, scope: &mut Scope, context: Context) -> String {
        let play = context.play as usize;
        let nested = usize::from(context.depth > 0);
        let weights = [
            24 * play,
            12,
            12 * nested,
            8,
            6,
            4,
            7,
            6,
            6 * nested,
            6 * nested,
            3 * nested,
            4 * nested,
            8 * nested,
            7 * play,
            6 * context.end as usize,
            2,
            5,
            usize::from(!self.world.options.is_empty()),
            5 * play * nested * usize::from(!self.world.fluents.is_empty()),
        ];
        match self.dice.weighted(&weights) {
            0 => self.read(scope),
            1 => self.call(scope, context),
            2 => self.negation(scope, context),
            3 => self.comparison(scope, context),
            4 => self.calculation(scope, context),
            5 => self.integers(scope, context),
            6 => self.unification(scope),
            7 => self.membership(scope),
            8 => self.disjunction(scope, context),
            9 => self.conditional(scope, context),
            10 => self.once(scope, context),
            11 => self.forall(scope, context),
            12 => self.aggregate(scope, context),
            13 => self.turn(scope),
            14 => self.end_goal(scope, context),
            15 => self.length(scope),
            16 => self.any(scope),
            18 => self.supposed(scope, context),
            _ => {
                let (name, values) = self.dice.pick(&self.world.options).clone();
                match values[0].parse::<i64>().is_ok() && self.dice.percent(60) {
                    true => format!("option({name}, {})", scope.fresh(Ty::Number)),
                    false => format!("option({name}, {})", self.dice.pick(&values)),
                }
            }
        }
    }

    /// A read of the state.
    pub fn read(&mut self, scope: &mut Scope) -> String {
        if self.world.fluents.is_empty() {
            return "true".to_string();
        }
        let fluent = self.dice.pick(&self.world.fluents).clone();
        let mut args = Vec::new();
        for key in &fluent.keys {
            let size = match key.ty {
                Ty::Number => (key.range.1 - key.range.0 + 1) as usize,
                ty => self.world.size(ty),
            };
            args.push(match key.ty {
                Ty::Number if self.dice.percent(40) => self.dice.pick(&key.values).clone(),
                ty if key.sparse && self.dice.percent(30) => {
                    debug_assert!(self.world.size(ty) > 0);
                    self.dice.pick(&key.values).clone()
                }
                ty => self.argument(scope, ty, size),
            });
        }
        if let Some(value) = &fluent.value {
            args.push(match self.dice.percent(25) {
                true => self.dice.pick(&value.values).clone(),
                false => self.argument(scope, value.ty, 1),
            });
        }
        match args.is_empty() {
            true => fluent.name,
            false => format!("{}({})", fluent.name, args.join(", ")),
        }
    }

    /// A call of a relation.
    pub fn call(&mut self, scope: &mut Scope, context: Context) -> String {
        let all: Vec<_> =
            self.world.relations.iter().filter(|r| context.play || !r.play).cloned().collect();
        if all.is_empty() {
            return self.any(scope);
        }
        // those written last are asked more often
        let at = self.dice.below(all.len()).max(self.dice.below(all.len()));
        let relation = all[at].clone();
        let mut given: Vec<Option<String>> = Vec::new();
        for (ty, needed) in relation.args.iter().zip(&relation.needs) {
            given.push(needed.then(|| self.known(scope, *ty)));
        }
        let mut args = Vec::new();
        let mut first = true;
        for (ty, given) in relation.args.iter().zip(given) {
            args.push(match given {
                Some(given) => given,
                // a list that is in no row of the table would be of another domain
                None if *ty == Ty::Sites && !relation.play => {
                    let known = self.variable(scope, *ty);
                    match known {
                        Some(known) if self.dice.percent(30) => known,
                        _ if self.room(scope, 2) => match self.dice.below(5) {
                            0 => "[A|_]".replace('A', &self.argument(scope, Ty::Site, 1)),
                            1 => "_".to_string(),
                            _ => scope.fresh(*ty),
                        },
                        _ => "_".to_string(),
                    }
                }
                None => {
                    let size = self.world.size(*ty);
                    let answers = if first { size } else { size.min(relation.answers) };
                    self.argument(scope, *ty, answers)
                }
            });
            first = false;
        }
        match args.is_empty() {
            true => relation.name,
            false => format!("{}({})", relation.name, args.join(", ")),
        }
    }

    fn negation(&mut self, scope: &mut Scope, context: Context) -> String {
        let mut inner = scope.inner();
        let n = if self.dice.percent(70) { 1 } else { 2 };
        let goal = match (context.play, self.dice.percent(50)) {
            (true, true) => self.read(&mut inner),
            _ => self.conjunction(&mut inner, context.deeper(), n),
        };
        scope.leave(&inner);
        format!("\\+ {goal}")
    }

    fn comparison(&mut self, scope: &mut Scope, context: Context) -> String {
        let op = *self.dice.pick(&["<", "=<", ">", ">=", "=:=", "=\\="]);
        let a = self.expression(scope, context, 1);
        let b = self.expression(scope, context, 2);
        format!("{a} {op} {b}")
    }

    fn calculation(&mut self, scope: &mut Scope, context: Context) -> String {
        let expression = self.expression(scope, context, 2);
        let x = match self.dice.percent(80) {
            true => scope.fresh(Ty::Number),
            false => self.known(scope, Ty::Number),
        };
        format!("{x} is {expression}")
    }

    fn integers(&mut self, scope: &mut Scope, context: Context) -> String {
        let lo = self.dice.range(-2, 2);
        let hi = match self.dice.percent(20) {
            true => bracketed(&self.expression(scope, context, 0)),
            false => (lo + self.dice.range(0, 4)).to_string(),
        };
        let x = match self.dice.below(100) {
            0..60 if self.room(scope, 4) => scope.fresh(Ty::Number),
            60..75 => bracketed(&self.expression(scope, context, 1)),
            _ => self.known(scope, Ty::Number),
        };
        match self.dice.percent(70) {
            // `..-` would be one operator, `..(` a term with arguments
            true if hi.starts_with(['-', '(']) => format!("{x} in {lo}.. {hi}"),
            true => format!("{x} in {lo}..{hi}"),
            false => format!("between({lo}, {hi}, {x})"),
        }
    }

    /// A type that variables of the scope have, or any.
    pub fn some_type(&mut self, scope: &Scope) -> Ty {
        if self.dice.percent(75) && !scope.bound.is_empty() {
            return self.dice.pick(&scope.bound).1;
        }
        let made = Ty::Made(self.dice.below(FORMS.len()));
        *self.dice.pick(&[Ty::Site, Ty::Player, Ty::Number, Ty::Kind, Ty::Piece, made])
    }

    fn unification(&mut self, scope: &mut Scope) -> String {
        let ty = self.some_type(scope);
        let known = self.known(scope, ty);
        match self.dice.below(10) {
            0..=3 => {
                // an argument that the caller gives has its value only where it stands first
                let x = scope.fresh(ty);
                match self.dice.percent(92) {
                    true => format!("{known} = {x}"),
                    false => format!("{x} = {known}"),
                }
            }
            4 | 5 => format!("{known} = {}", self.argument(scope, ty, 1)),
            6 => format!("{known} == {}", self.known(scope, ty)),
            _ => {
                let mut inner = scope.inner();
                let other = match self.dice.percent(20) {
                    true => self.argument(&mut inner, ty, 1),
                    false => self.known(scope, ty),
                };
                scope.leave(&inner);
                format!("{known} \\= {other}")
            }
        }
    }

    fn membership(&mut self, scope: &mut Scope) -> String {
        let lists = scope.of(Ty::Sites);
        if !lists.is_empty() && self.dice.percent(70) {
            let list = self.dice.pick(&lists).clone();
            if self.dice.percent(30) {
                return format!("\\+ member({}, {list})", self.known(scope, Ty::Site));
            }
            let x = self.argument(scope, Ty::Site, 3);
            return format!("member({x}, {list})");
        }
        let ty = self.some_type(scope);
        let ty = if ty == Ty::Sites { Ty::Site } else { ty };
        let n = 1 + self.dice.below(3);
        let items: Vec<String> = (0..n).map(|_| self.constant(ty)).collect();
        let x = self.argument(scope, ty, n);
        format!("member({x}, [{}])", items.join(", "))
    }

    fn turn(&mut self, scope: &mut Scope) -> String {
        match self.dice.below(7) {
            0..=2 => format!("turn({})", self.argument(scope, Ty::Player, 1)),
            3 => {
                let me = self.known(scope, Ty::Player);
                format!("opponent({me}, {})", self.argument(scope, Ty::Player, 2))
            }
            4 => {
                let me = self.known(scope, Ty::Player);
                format!("next_player({me}, {})", self.argument(scope, Ty::Player, 1))
            }
            5 => format!("mover({})", self.argument(scope, Ty::Player, 1)),
            _ => format!("ply({})", scope.fresh(Ty::Number)),
        }
    }

    fn end_goal(&mut self, scope: &mut Scope, context: Context) -> String {
        match self.dice.below(6) {
            0 => "stuck".to_string(),
            1 | 2 if !self.world.moves.is_empty() => {
                let (name, args) = self.dice.pick(&self.world.moves).clone();
                if self.dice.percent(15) {
                    return "legal(_)".to_string();
                }
                let form = self.compound(&name, &args, &mut |w, ty| match ty {
                    Ty::Sites => "_".to_string(),
                    ty => w.argument(scope, ty, 2),
                });
                format!("legal({form})")
            }
            3 => format!("repeated({})", self.dice.range(2, 3)),
            4 => format!("repeated_board({})", self.dice.range(2, 3)),
            _ => self.comparison(scope, context),
        }
    }

    fn length(&mut self, scope: &mut Scope) -> String {
        let list = self.known(scope, Ty::Sites);
        format!("length({list}, {})", self.argument(scope, Ty::Number, 1))
    }

    /// A value of a type.
    fn any(&mut self, scope: &mut Scope) -> String {
        let ty = loop {
            let ty = self.some_type(scope);
            if self.world.unary(ty).is_some() {
                break ty;
            }
            if self.dice.percent(30) {
                break Ty::Player;
            }
        };
        let size = self.world.size(ty);
        let parts = self.world.parts.clone();
        if ty == Ty::Site && !parts.is_empty() && self.dice.percent(40) {
            let (part, values) = self.dice.pick(&parts).clone();
            return format!("{part}({})", self.argument(scope, ty, values.len()));
        }
        let argument = self.argument(scope, ty, size);
        format!("{}({argument})", self.world.unary(ty).unwrap_or("player"))
    }
}
