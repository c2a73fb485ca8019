//! Rules for random games: moves that the advice speaks against are left out while there are others.
//!
//! Random games are better estimates of a position if players do not fill their own eyes (Brügmann, "Monte Carlo Go", 1993). A rule
//! file describes such moves in `advice/3`, with a priority below 0. For each such priority each clause of `move/1` gets a copy that
//! denies this advice and all that is lower, and has a higher rank than the clause as written.

use std::collections::BTreeSet;

use crate::program::{
    Clause, ClauseId, Goal, GoalKind, Program, RelationId, Term, Value, reconnect,
};

use super::unfolding::in_place;

/// With more priorities below 0 than that the clauses would be copied too often.
const MOST_LEVELS: usize = 4;

/// A program whose moves are those of the given one that no advice speaks against; where there are none, those that only the advice
/// closest to 0 speaks against, and so on.
/// `None` where no advice speaks against moves, where moves have ranks already, and where a rule asks for the legal moves.
pub(crate) fn rewrite(program: &Program) -> Option<Program> {
    let special = &program.special;
    let moves = special.moves.filter(|_| special.rank.is_none())?;
    let mut against: Vec<(i64, &Clause)> = Vec::new();
    for id in &program.relation(special.advice?).clauses {
        let clause = program.clause(*id);
        match clause.head[1] {
            Term::Constant(Value::Integer(n)) if n < 0 => against.push((n, clause)),
            _ => {}
        }
    }
    let levels: BTreeSet<i64> = against.iter().map(|(priority, _)| *priority).collect();
    if levels.is_empty() || levels.len() > MOST_LEVELS {
        return None;
    }
    let mut asks = false;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| asks |= matches!(goal.kind, GoalKind::Legal(_)));
    }
    if asks {
        return None;
    }
    let mut made = program.clone();
    let written = program.relation(moves).clauses.clone();
    let mut ranked = Vec::new();
    let mut denied = false;
    for (rank, level) in levels.iter().enumerate().rev() {
        for id in &written {
            let mut clause = program.clause(*id).clone();
            let lower = against.iter().filter(|(priority, _)| priority <= level);
            let goals: Vec<Goal> =
                lower.filter_map(|(_, advice)| denial(program, &mut clause, advice)).collect();
            denied |= !goals.is_empty();
            let all = goals.into_iter().chain(clause.body.conjuncts().to_vec()).collect();
            clause.body = Goal::new(GoalKind::And(all), clause.body.span);
            clause.rank = rank as i64 + 1;
            ranked.push(ClauseId(made.clauses.len() as u32));
            made.clauses.push(clause);
        }
    }
    made.relations[moves.0 as usize].clauses = ranked.into_iter().chain(written).collect();
    reconnect(&mut made);
    denied.then_some(made)
}

/// The goal that this advice is not given on the moves of a clause, whose variables it adds to those of the clause; `None` where it is
/// about other moves.
fn denial(program: &Program, clause: &mut Clause, advice: &Clause) -> Option<Goal> {
    let span = clause.head_span;
    let (name, own) = program.values.parts(&clause.head[0])?;
    let (told, args) = program.values.parts(&advice.head[0])?;
    if name != told || own.len() != args.len() {
        return None;
    }
    let advice = Clause { head: args, ..advice.clone() };
    let call = Goal::new(GoalKind::Call(RelationId(0), own), span);
    let (goals, _) = in_place(&call, &advice, &mut clause.variables);
    let all = Goal::new(GoalKind::And(goals), span);
    Some(Goal::new(GoalKind::Not(Box::new(all)), span))
}
