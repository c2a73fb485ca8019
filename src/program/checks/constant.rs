//! The opening and the fixed parts of the drawing are evaluated before play: they cannot depend on
//! a position.
//!
//! Wrong: `init(at(C, P)) :- corner(C), turn(P).`

use crate::diagnostic::Diagnostic;
use crate::program::{Kind, Program, Relation, RelationId};

pub(super) fn check(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let special = &program.special;
    for (id, says) in told_as_state(program) {
        let relation = program.relation(id);
        let message = format!("no part of the state can have the name `{}`", relation.name);
        diagnostics.push(
            Diagnostic::error("reserved-name", message)
                .at(relation.span, "declared as state here")
                .hint(format!("{says}: choose another name for the state")),
        );
    }
    let drawn = [special.xy, special.drawn, special.curved, special.look, special.shaded];
    let drawn = drawn.into_iter().chain([special.source, special.family]).flatten();
    let inits = program.fluents.iter().map(|f| f.init);
    for id in inits.chain(drawn) {
        let relation = program.relation(id);
        // one that needs an argument bound has its own fault
        if relation.kind == Kind::Static || relation.needs_bound.contains(&true) {
            continue;
        }
        if let Kind::Fluent(_) = relation.kind {
            diagnostics.push(named_as_state(relation));
            continue;
        }
        let what = match relation.name.strip_prefix("init ") {
            Some(fluent) => format!("the opening of `{fluent}`"),
            None => format!("`{}`", relation.name),
        };
        let used =
            program.graph.calls(id).find(|(to, _)| program.relation(*to).kind != Kind::Static);
        let (span, text) = match used {
            Some((to, d)) => (d.span, format!("`{}` does", program.relation(to).indicator())),
            None => (relation.span, "this does".to_string()),
        };
        diagnostics.push(
            Diagnostic::error("not-static", format!("{what} must not depend on the position"))
                .at(span, text)
                .hint("it is evaluated once, before the first move: use static relations alone"),
        );
    }
}

/// What the relations are for that tell how a position and its moves are shown, where a part of the state has the name of one.
fn told_as_state(program: &Program) -> Vec<(RelationId, &'static str)> {
    let special = &program.special;
    let told = [
        (special.glyph, "`glyph(Value, Text)` says how a value is drawn"),
        (special.figure, "`figure(Value, Name)` says how a picture draws a value"),
        (special.letter, "`letter(Value, Text)` says how a position as text writes a value"),
        (special.says, "`says(Fact, Parts)` says how an explanation tells a fact"),
        (special.status, "`status(Parts)` says what stands below the board"),
        (special.status_item, "`status(Line, Parts)` says what stands below the board"),
        (special.prompt, "`prompt(Text)` tells the player to move what is due"),
        (special.prompt_to, "`prompt(Player, Text)` tells a player what is due"),
        (special.shows, "`shows(Site, Value)` says what is drawn at a site"),
        (special.between, "`shows(A, B, Value)` says what is drawn between two sites"),
        (special.notation, "`notation(Move, Parts)` says how a move is written"),
        (special.style, "`notation(Style, Move, Parts)` says how a move is written"),
        (special.suffix, "`suffix(Style, Text)` says what a notation adds to a move"),
        (special.alias, "`alias(Move, Form)` says how else a move is written"),
        (special.record, "`record(Format, Style)` says how a game is written to a file"),
        (special.record_tag, "`record_tag(Format, Name, Value)` says what a file of a game tells"),
        (special.position_field, "`position_field(N, Text, Fact)` says how a position is written"),
        (special.position_mark, "`position_mark(Site, Text, Fact)` says how a position is written"),
    ];
    let state = |id: &RelationId| matches!(program.relation(*id).kind, Kind::Fluent(_));
    told.into_iter().filter_map(|(id, says)| Some((id.filter(state)?, says))).collect()
}

/// The diagnostic for a part of the state with the name of a relation that the interpreter asks before play.
fn named_as_state(relation: &Relation) -> Diagnostic {
    let name = &relation.name;
    let says = match (name.as_str(), relation.arity) {
        ("drawn", 2) => "`drawn(A, B)` says between which sites the picture draws lines",
        ("drawn", _) => "`drawn(A, B, C)` says between which sites the picture draws curves",
        ("xy", _) => "`xy(Site, X, Y)` says where a site lies in the picture",
        ("look", _) => "`look(Name)` says how the picture draws the board",
        ("shaded", _) => "`shaded(Site)` says which sites the picture draws darker",
        ("source", _) => "`source(Text)` says where the rules come from",
        _ => "`family(Name)` says to which family the game belongs",
    };
    Diagnostic::error("not-static", format!("no part of the state can have the name `{name}`"))
        .at(relation.span, "declared as state here")
        .hint(format!("{says}, the same in every position: choose another name for the state"))
}
