//! Variables that are local to a negation, `forall`, aggregate or `each`, or to one branch of a
//! disjunction or conditional.
//!
//! A variable that occurs only inside such goals is a different variable in each of them: `count(C,
//! at(C, x), N), count(C, at(C, o), M)` has two variables `C`. Here each gets its own id, so that
//! no later stage has to distinguish them. The same holds for a variable that occurs only in the
//! branches of one `;`.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::{Aggregate, Clause, Expression, Goal, GoalKind, Term, Variable, VariableId};

/// Renames the local variables of a clause apart.
pub(super) fn separate(clause: &mut Clause) {
    let mut totals = clause.occurrences();
    separate_branches(&mut clause.body, false, &mut totals, &mut clause.variables);
    separate_scopes(clause);
    share_variables(clause);
}

/// Finds the variables that each `after` of a clause shares with the rest of it.
pub(super) fn share_variables(clause: &mut Clause) {
    let totals = clause.occurrences();
    share(&mut clause.body, &totals);
}

fn share(goal: &mut Goal, totals: &[usize]) {
    goal.children_mut().into_iter().for_each(|child| share(child, totals));
    if !matches!(goal.kind, GoalKind::After(..)) {
        return;
    }
    let mut inside: IndexMap<VariableId, usize> = IndexMap::new();
    goal.each_variable(&mut |v| *inside.entry(v).or_default() += 1);
    if let GoalKind::After(_, _, shared) = &mut goal.kind {
        inside.retain(|v, count| *count < totals[v.0 as usize]);
        *shared = inside.into_keys().collect();
    }
}

/// Gives a variable that occurs in several branches of a goal, and nowhere else, an id for each of
/// them. `totals` are the numbers of occurrences in the whole clause. Where the goal's variables
/// tell its answers apart (`told`), the same value in two branches is one answer, and the variables
/// are left as they are.
fn separate_branches(
    goal: &mut Goal,
    told: bool,
    totals: &mut Vec<usize>,
    variables: &mut Vec<Variable>,
) {
    let mut inside: FxHashMap<VariableId, usize> = FxHashMap::default();
    goal.each_variable(&mut |v| *inside.entry(v).or_default() += 1);
    let own = |v: &VariableId| inside[v] == totals[v.0 as usize];
    let branches: Vec<Vec<&mut Goal>> = match &mut goal.kind {
        GoalKind::Or(branches) if !told => branches.iter_mut().map(|b| vec![b]).collect(),
        GoalKind::If(c, t, e) if !told => vec![vec![c, t], vec![e]],
        _ => Vec::new(),
    };
    let mut taken: Vec<VariableId> = Vec::new();
    let mut renamed = Vec::new();
    for mut branch in branches {
        let mut here: Vec<VariableId> = Vec::new();
        for goal in &branch {
            goal.each_variable(&mut |v| {
                if !here.contains(&v) {
                    here.push(v);
                }
            });
        }
        let mut map = FxHashMap::default();
        for v in here.into_iter().filter(own) {
            if taken.contains(&v) {
                variables.push(variables[v.0 as usize].clone());
                map.insert(v, VariableId(variables.len() as u32 - 1));
            } else {
                taken.push(v);
            }
        }
        if !map.is_empty() {
            branch.iter_mut().for_each(|goal| rename_goal(goal, &map));
            renamed.extend(map);
        }
    }
    totals.resize(variables.len(), 0);
    for (old, new) in renamed {
        let mut moved = 0;
        goal.each_variable(&mut |v| moved += usize::from(v == new));
        totals[old.0 as usize] -= moved;
        totals[new.0 as usize] = moved;
    }
    let all_told = match &goal.kind {
        GoalKind::Aggregate(Aggregate::Sum, ..) => true,
        GoalKind::Aggregate(..) | GoalKind::Not(_) | GoalKind::Forall(..) => false,
        _ => told,
    };
    let each = matches!(goal.kind, GoalKind::Each(..));
    for (i, child) in goal.children_mut().into_iter().enumerate() {
        let told = if each { i == 0 } else { all_told };
        separate_branches(child, told, totals, variables);
    }
}

fn separate_scopes(clause: &mut Clause) {
    let mut open = Vec::new();
    clause.head.iter().for_each(|t| t.each_variable(&mut |v| open.push(v)));
    open_variables(&clause.body, &mut open);
    let mut taken = vec![false; clause.variables.len()];
    let mut renamer =
        Renamer { variables: std::mem::take(&mut clause.variables), taken: Vec::new() };
    renamer.taken.append(&mut taken);
    renamer.level(&mut clause.body, &open);
    clause.variables = renamer.variables;
}

/// The variables that occur in a goal outside its local scopes.
fn open_variables(goal: &Goal, open: &mut Vec<VariableId>) {
    if is_scope(goal) {
        if let GoalKind::Aggregate(_, _, _, result) = &goal.kind {
            result.each_variable(&mut |v| open.push(v));
        }
        return;
    }
    goal.terms().iter().for_each(|t| t.each_variable(&mut |v| open.push(v)));
    goal.expressions().iter().for_each(|e| e.each_variable(&mut |v| open.push(v)));
    goal.children().iter().for_each(|g| open_variables(g, open));
}

fn is_scope(goal: &Goal) -> bool {
    matches!(
        goal.kind,
        GoalKind::Not(_) | GoalKind::Forall(..) | GoalKind::Each(..) | GoalKind::Aggregate(..)
    )
}

struct Renamer {
    variables: Vec<Variable>,
    /// For each variable, whether some scope keeps it under its own id.
    taken: Vec<bool>,
}

impl Renamer {
    /// Visits the scopes of one level; `open` are the variables of this level and of the
    /// surrounding ones.
    fn level(&mut self, goal: &mut Goal, open: &[VariableId]) {
        if !is_scope(goal) {
            goal.children_mut().into_iter().for_each(|g| self.level(g, open));
            return;
        }
        let mut own: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        let mut found = Vec::new();
        goal.each_variable(&mut |v| found.push(v));
        for v in found {
            if open.contains(&v) || own.contains_key(&v) {
                continue;
            }
            let at = v.0 as usize;
            if self.taken[at] {
                let copy = self.variables[at].clone();
                self.variables.push(copy);
                self.taken.push(true);
                own.insert(v, VariableId(self.variables.len() as u32 - 1));
            } else {
                self.taken[at] = true;
                own.insert(v, v);
            }
        }
        if own.iter().any(|(a, b)| a != b) {
            rename_goal(goal, &own);
        }
        // scopes inside this one: the variables that are open in it are taken, too
        let mut inner_open = open.to_vec();
        if let GoalKind::Aggregate(_, template, _, result) = &goal.kind {
            template.each_variable(&mut |v| inner_open.push(v));
            result.each_variable(&mut |v| inner_open.push(v));
        }
        for child in goal.children() {
            open_variables(child, &mut inner_open);
        }
        let mut nested = Vec::new();
        goal.each_variable(&mut |v| nested.push(v));
        for v in nested {
            if !inner_open.contains(&v) {
                self.taken[v.0 as usize] = false;
            }
        }
        goal.children_mut().into_iter().for_each(|g| self.level(g, &inner_open));
    }
}

/// Gives the variables of a goal other numbers; those that the map leaves out keep theirs.
pub(crate) fn rename_goal(goal: &mut Goal, map: &FxHashMap<VariableId, VariableId>) {
    goal.terms_mut().into_iter().for_each(|t| rename_term(t, map));
    goal.expressions_mut().into_iter().for_each(|e| rename_expression(e, map));
    goal.children_mut().into_iter().for_each(|g| rename_goal(g, map));
}

/// The same for a term.
pub(crate) fn rename_term(term: &mut Term, map: &FxHashMap<VariableId, VariableId>) {
    match term {
        Term::Variable(v) => {
            if let Some(new) = map.get(v) {
                *v = *new;
            }
        }
        Term::Constant(_) => {}
        Term::Compound(_, args) => args.iter_mut().for_each(|a| rename_term(a, map)),
        Term::List(items, tail) => {
            items.iter_mut().for_each(|a| rename_term(a, map));
            if let Some(tail) = tail {
                rename_term(tail, map);
            }
        }
    }
}

fn rename_expression(e: &mut Expression, map: &FxHashMap<VariableId, VariableId>) {
    match e {
        Expression::Integer(_) => {}
        Expression::Variable(v) => {
            if let Some(new) = map.get(v) {
                *v = *new;
            }
        }
        Expression::Fluent(_, keys) => keys.iter_mut().for_each(|k| rename_term(k, map)),
        Expression::Operation(_, args) => args.iter_mut().for_each(|a| rename_expression(a, map)),
    }
}
