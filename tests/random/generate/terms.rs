//! Terms of a type: constants, variables, patterns, lists; and expressions.

use super::Writer;
use super::world::{Context, FORMS, Scope, Ty};

impl Writer {
    /// A term without variables.
    pub fn constant(&mut self, ty: Ty) -> String {
        let (dice, world) = (&mut self.dice, &self.world);
        match ty {
            Ty::Site => dice.pick(&world.sites).clone(),
            Ty::Player => dice.pick(&world.players).clone(),
            Ty::Kind => dice.pick(&world.kinds).clone(),
            Ty::Direction => dice.pick(&world.directions).clone(),
            Ty::Number => match dice.percent(15) {
                true => dice.range(-4, -1).to_string(),
                false => dice.range(0, 4).to_string(),
            },
            Ty::Piece => {
                let (name, args) = dice.pick(&world.pieces).clone();
                self.compound(&name, &args, &mut |w, ty| w.constant(ty))
            }
            Ty::Made(form) => {
                let (name, args) = FORMS[form];
                self.compound(name, args, &mut |w, ty| w.constant(ty))
            }
            Ty::Sites => {
                let n = self.dice.below(4);
                let sites = self.world.sites.clone();
                format!("[{}]", self.dice.some(&sites, n).join(", "))
            }
        }
    }

    pub fn compound(
        &mut self,
        name: &str,
        args: &[Ty],
        each: &mut dyn FnMut(&mut Writer, Ty) -> String,
    ) -> String {
        if args.is_empty() {
            return name.to_string();
        }
        let args: Vec<String> = args.iter().map(|ty| each(self, *ty)).collect();
        format!("{name}({})", args.join(", "))
    }

    /// A variable that has a value.
    pub fn variable(&mut self, scope: &Scope, ty: Ty) -> Option<String> {
        let all = scope.of(ty);
        (!all.is_empty()).then(|| self.dice.pick(&all).clone())
    }

    /// A term whose variables all have a value.
    pub fn known(&mut self, scope: &Scope, ty: Ty) -> String {
        if self.dice.percent(80)
            && let Some(variable) = self.variable(scope, ty)
        {
            return variable;
        }
        match ty {
            Ty::Piece if self.dice.percent(60) => {
                let (name, args) = self.dice.pick(&self.world.pieces).clone();
                self.compound(&name, &args, &mut |w, ty| w.known(scope, ty))
            }
            Ty::Made(form) => {
                let (name, args) = FORMS[form];
                self.compound(name, args, &mut |w, ty| w.known(scope, ty))
            }
            Ty::Sites if self.dice.percent(50) => {
                let n = 1 + self.dice.below(2);
                let items: Vec<String> = (0..n).map(|_| self.known(scope, Ty::Site)).collect();
                format!("[{}]", items.join(", "))
            }
            _ => self.constant(ty),
        }
    }

    /// May one more variable of the type be left open here? Counts it if so.
    pub fn room(&mut self, scope: &mut Scope, answers: usize) -> bool {
        let wide = scope.width.saturating_mul(answers.max(1));
        if wide > self.width_limit {
            return false;
        }
        scope.width = wide;
        true
    }

    /// An argument of a goal that may leave variables open; `answers` is how many values it
    /// may then take.
    pub fn argument(&mut self, scope: &mut Scope, ty: Ty, answers: usize) -> String {
        let choice = self.dice.weighted(&[40, 36, 10, 14]);
        if choice == 0
            && let Some(variable) = self.variable(scope, ty)
        {
            return variable;
        }
        if choice == 3 || (choice < 3 && !self.room(scope, answers)) {
            return self.known(scope, ty);
        }
        let parts: Option<(&str, Vec<Ty>)> = match ty {
            Ty::Made(form) => Some((FORMS[form].0, FORMS[form].1.to_vec())),
            _ => None,
        };
        if let (Some((name, args)), true) = (parts, self.dice.percent(50)) {
            return self.compound(name, &args, &mut |w, ty| w.argument(scope, ty, 1));
        }
        if ty == Ty::Piece && self.dice.percent(45) {
            let (name, args) = self.dice.pick(&self.world.pieces).clone();
            return self.compound(&name, &args, &mut |w, ty| w.argument(scope, ty, 1));
        }
        if ty == Ty::Sites && self.dice.percent(35) {
            let head = self.argument(scope, Ty::Site, 1);
            return match self.dice.below(3) {
                0 => format!("[{head}|_]"),
                1 => format!("[{head}, {}]", self.argument(scope, Ty::Site, 1)),
                _ => format!("[{head}|{}]", scope.fresh(Ty::Sites)),
            };
        }
        if choice == 2 { "_".to_string() } else { scope.fresh(ty) }
    }

    /// An expression over variables that have a value.
    pub fn expression(&mut self, scope: &Scope, context: Context, depth: usize) -> String {
        if depth == 0 || self.dice.percent(35) {
            return self.number(scope, context);
        }
        let a = self.expression(scope, context, depth - 1);
        let small = (1 + self.dice.below(3)).to_string();
        let b = match self.dice.percent(40) {
            true => self.expression(scope, context, depth - 1),
            false => small.clone(),
        };
        let any = if self.risky && self.dice.percent(25) { b.clone() } else { small };
        match self.dice.below(14) {
            0..=2 => format!("{a} + {}", bracketed(&b)),
            3 | 4 => format!("{a} - {}", bracketed(&b)),
            5 => format!("{} * {}", bracketed(&a), bracketed(&b)),
            6 => format!("{} // {}", bracketed(&a), bracketed(&any)),
            7 => format!("{} mod {}", bracketed(&a), bracketed(&any)),
            8 => format!("{} rem {}", bracketed(&a), bracketed(&any)),
            9 if self.risky => format!("{} / {}", bracketed(&a), bracketed(&any)),
            9 => format!("{} / 1", bracketed(&a)),
            10 => format!("max({a}, {b})"),
            11 => format!("min({a}, {b})"),
            12 => format!("abs({a})"),
            _ if self.risky && self.dice.percent(30) => {
                format!("{} ^ {}", bracketed(&a), bracketed(&any))
            }
            _ => match self.dice.below(3) {
                0 => format!("sign({a})"),
                1 => format!("-({a})"),
                _ => format!("{} ^ 2", bracketed(&self.number(scope, context))),
            },
        }
    }

    /// A number, a variable or a map of numbers.
    fn number(&mut self, scope: &Scope, context: Context) -> String {
        if self.dice.percent(55)
            && let Some(variable) = self.variable(scope, Ty::Number)
        {
            return variable;
        }
        if context.play && self.dice.percent(60) {
            let maps: Vec<_> = (self.world.fluents.iter())
                .filter(|f| f.value.as_ref().is_some_and(|v| v.ty == Ty::Number))
                .cloned()
                .collect();
            if !maps.is_empty() {
                let map = self.dice.pick(&maps).clone();
                let keys: Vec<Ty> = map.keys.iter().map(|k| k.ty).collect();
                return self.compound(&map.name, &keys, &mut |w, ty| w.known(scope, ty));
            }
        }
        self.constant(Ty::Number)
    }
}

/// In brackets where operators might take it apart.
pub fn bracketed(expression: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    if expression.chars().all(plain) { expression.to_string() } else { format!("({expression})") }
}
