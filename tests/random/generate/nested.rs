//! Goals that are made of other goals: choices, conditionals, `once`, `forall` and aggregates.

use super::Writer;
use super::world::{Context, Scope, Ty};

impl Writer {
    /// A goal that gives a variable its value, of one name in each branch.
    pub fn binder(&mut self, scope: &mut Scope, context: Context, name: &str, ty: Ty) -> String {
        let known = self.known(scope, ty);
        match self.dice.below(4) {
            0 if ty == Ty::Number => format!("{name} is {}", self.expression(scope, context, 1)),
            1 if ty == Ty::Number && self.room(scope, 3) => format!("{name} in 0..2"),
            1 | 2 if ty != Ty::Number && self.world.unary(ty).is_some() => {
                let size = self.world.size(ty);
                match self.room(scope, size) {
                    true => format!("{}({name})", self.world.unary(ty).unwrap_or("player")),
                    false => format!("{known} = {name}"),
                }
            }
            3 if self.room(scope, 2) => {
                format!("member({name}, [{}, {}])", self.constant(ty), self.constant(ty))
            }
            _ => format!("{known} = {name}"),
        }
    }

    pub fn disjunction(&mut self, scope: &mut Scope, context: Context) -> String {
        let n = 2 + usize::from(self.dice.percent(20));
        let target = (self.dice.percent(40) && self.room(scope, n)).then(|| {
            let ty = self.some_type(scope);
            (scope.name(ty), ty)
        });
        let mut branches = Vec::new();
        let mut widest = scope.width;
        for _ in 0..n {
            let mut inner = scope.inner();
            let alone = target.is_some() && self.dice.percent(50);
            let tests = if alone { 0 } else { 1 + usize::from(self.dice.percent(30)) };
            let mut goals = self.goals(&mut inner, context.deeper(), tests);
            if let Some((name, ty)) = &target {
                goals.push(self.binder(&mut inner, context, name, *ty));
            }
            widest = widest.max(inner.width);
            scope.leave(&inner);
            branches.push(goals.join(", "));
        }
        if let Some((name, ty)) = target {
            scope.bind(&name, ty);
        }
        scope.width = widest;
        format!("( {} )", branches.join(" ; "))
    }

    /// A condition. Half of them choose values that the goals behind can ask for.
    pub fn condition(&mut self, scope: &mut Scope, context: Context) -> String {
        if self.dice.percent(50) {
            let choice = match self.dice.below(4) {
                0 if context.play => self.read(scope),
                1 => self.call(scope, context),
                _ => {
                    let ty = self.some_type(scope);
                    let ty = if ty == Ty::Sites { Ty::Site } else { ty };
                    let items: Vec<String> = (0..3).map(|_| self.constant(ty)).collect();
                    format!("member({}, [{}])", scope.fresh(ty), items.join(", "))
                }
            };
            if self.dice.percent(30) {
                return choice;
            }
            let mut inner = scope.inner();
            let test = self.goal(&mut inner, context.deeper());
            scope.leave(&inner);
            return format!("{choice}, {test}");
        }
        let mut inner = scope.inner();
        let n = 1 + usize::from(self.dice.percent(30));
        let condition = self.goals(&mut inner, context.deeper(), n).join(", ");
        scope.leave(&inner);
        condition
    }

    pub fn conditional(&mut self, scope: &mut Scope, context: Context) -> String {
        let target = self.dice.percent(40).then(|| {
            let ty = self.some_type(scope);
            (scope.name(ty), ty)
        });
        let mut inner = scope.inner();
        let condition = self.condition(&mut inner, context);
        let branch = |w: &mut Writer, scope: &mut Scope, inner: &mut Scope| {
            let text = match &target {
                Some((name, ty)) => w.binder(inner, context, name, *ty),
                None => w.goals(inner, context.deeper(), 1).join(", "),
            };
            scope.leave(inner);
            scope.width = scope.width.max(inner.width);
            text
        };
        let then = branch(self, scope, &mut inner);
        if target.is_none() && self.dice.percent(25) {
            return format!("( {condition} -> {then} )");
        }
        let mut inner = scope.inner();
        let otherwise = branch(self, scope, &mut inner);
        let text = if context.depth > 1 && self.dice.percent(30) {
            let mut inner = scope.inner();
            let second = self.condition(&mut inner, context);
            let middle = branch(self, scope, &mut inner);
            format!("( {condition} -> {then} ; {second} -> {middle} ; {otherwise} )")
        } else {
            format!("( {condition} -> {then} ; {otherwise} )")
        };
        if let Some((name, ty)) = target {
            scope.bind(&name, ty);
        }
        text
    }

    pub fn once(&mut self, scope: &mut Scope, context: Context) -> String {
        let mut inner = scope.inner();
        if self.dice.percent(40) {
            let condition = self.condition(&mut inner, context);
            // one answer, however many the goals have
            inner.width = scope.width;
            *scope = inner;
            return format!("once(({condition}))");
        }
        let goal = self.conjunction(&mut inner, context.deeper(), 1);
        scope.leave(&inner);
        // the variables that it binds are not named again: whichever answer comes first will do
        format!("once({goal})")
    }

    pub fn forall(&mut self, scope: &mut Scope, context: Context) -> String {
        let mut inner = scope.inner();
        let all = match (context.play, self.dice.percent(60)) {
            (true, true) => self.read(&mut inner),
            _ => self.conjunction(&mut inner, context.deeper(), 1),
        };
        let hold = self.conjunction(&mut inner, context.deeper(), 1);
        scope.leave(&inner);
        format!("forall({all}, {hold})")
    }

    pub fn aggregate(&mut self, scope: &mut Scope, context: Context) -> String {
        let mut inner = scope.inner();
        let before = inner.bound.len();
        let n = 1 + usize::from(self.dice.percent(30));
        let goal = self.conjunction(&mut inner, context.deeper(), n);
        let locals: Vec<(String, Ty)> = inner.bound[before..].to_vec();
        let numbers: Vec<String> =
            locals.iter().filter(|(_, ty)| *ty == Ty::Number).map(|(n, _)| n.clone()).collect();
        scope.leave(&inner);
        let sites: Vec<&String> =
            locals.iter().filter(|(_, ty)| *ty == Ty::Site).map(|(name, _)| name).collect();
        if !sites.is_empty() && self.dice.percent(20) {
            return format!("connected({}, {goal})", self.dice.pick(&sites));
        }
        let result = match self.dice.percent(65) {
            true => scope.name(Ty::Number),
            false => self.known(scope, Ty::Number),
        };
        let text = if !numbers.is_empty() && self.dice.percent(75) {
            let kind = *self.dice.pick(&["sum", "max", "min"]);
            format!("{kind}({}, {goal}, {result})", self.dice.pick(&numbers))
        } else if self.dice.percent(12) {
            format!("sum({}, {goal}, {result})", self.dice.range(-1, 3))
        } else {
            let template = match locals.len() {
                0 => self.known(scope, Ty::Player),
                1 => locals[0].0.clone(),
                n => match self.dice.percent(50) {
                    true => format!("f({}, {})", locals[0].0, locals[n - 1].0),
                    false => locals[self.dice.below(n)].0.clone(),
                },
            };
            format!("count({template}, {goal}, {result})")
        };
        if result.starts_with('N') && !scope.bound.iter().any(|(n, _)| *n == result) {
            scope.bind(&result, Ty::Number);
        }
        text
    }
}
