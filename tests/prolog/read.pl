% Reading a rule file with its includes and variants, its declarations, and the kinds of its predicates.

load(File, Options) :-
    forall(member(P, [item(_, _), loaded(_, _), option_is(_, _), fluent(_, _, _, _, _), relation(_, _, _),
                      recursive(_), player_order(_), ending(_, _), put_aside(_), uses_history, on_demand(_),
                      known(_, _, _)]),
           retractall(P)),
    forall((current_predicate(g:N/A), functor(H, N, A), \+ predicate_property(g:H, imported_from(_))),
           abolish(g:N/A)),
    absolute_file_name(File, F, [extensions(['', ludex]), access(read)]),
    read_rules(F, 0, game), add_pieces,
    fix_options(Options), declare, classify, translate, tabulate.

% read_rules(File, Level, Role): Level counts includes, so that the outermost declaration of an
% option can win; the examples and perft lines of a variant's base are left out.
read_rules(F, Level, Role) :-
    setup_call_cleanup(open(F, read, In, [encoding(utf8)]), all_terms(In, Ts), close(In)),
    assertz(loaded(F, [])), maplist(add(F, Level, Role), Ts).

all_terms(In, Ts) :-
    read_term(In, T, [double_quotes(string)]),
    ( T == end_of_file -> Ts = [] ; Ts = [T|Rest], all_terms(In, Rest) ).

add(F, L, R, (:- D)) :- !, ( directive(D, F, L, R) -> true ; throw(bad_directive(F, D)) ).
add(F, _, _, T) :-
    ( T = (H0 :- B) -> true ; H0 = T, B = true ),
    (   loses(H0)
    ->  U = (lose(P) :- turn(P), B)
    ;   nameless(H0, H), ( T = (_ :- _) -> U = (H :- B) ; U = H )
    ),
    assertz(item(F, U)).

% The clause speaks of the player to move.
loses(lose).
loses(lose(N)) :- string(N).

% The name of an end is for people.
nameless(win(P, N), win(P)) :- string(N), !.
nameless(lose(P, N), lose(P)) :- string(N), !.
nameless(draw(N), draw) :- string(N), !.
nameless(over(N), over) :- string(N), !.
nameless(H, H).

directive(include What, F, L, _) :- !,
    ( What = (Name with Values) -> true ; Name = What, Values = '' ),
    find_rules(Name, F, File),
    (   loaded(File, seen(Values))               % the same include again adds nothing
    ->  true
    ;   assertz(loaded(File, seen(Values))), L1 is L + 1, read_rules(File, L1, include),
        forall(conjunct(N = V, Values), assertz(item(F, fixed(N, V))))
    ).
directive(variant_of What, F, L, _) :- !,
    ( What = (Name with Values) -> true ; Name = What, Values = '' ),
    forall(conjunct(N = V, Values), assertz(item(F, fixed(N, V)))),    % first, so that they win
    find_rules(Name, F, File), L1 is L + 1, read_rules(File, L1, base).
directive(redefine Ps, F, _, _) :- !, forall(conjunct(P, Ps), drop(P, F)).
directive(state D, F, _, _) :- !, assertz(item(F, state_is(D))).
directive(scratch Ds, F, _, _) :- !,
    forall(conjunct(D, Ds), ( assertz(item(F, state_is(D))), state_parts(D, K, _, _), assertz(item(F, scratch_is(K))) )).
directive(pieces What, F, _, _) :- !,
    ( What = (Forms with sites = Sites) -> true ; Forms = What, Sites = board ),
    retractall(item(_, pieces_are(_, _))), assertz(item(F, pieces_are(Forms, Sites))).
directive(position Text, F, _, _) :- !, retractall(item(_, position_is(_))), assertz(item(F, position_is(Text))).
directive(option (N -> Dom = Def), F, L, _) :- !, assertz(item(F, option_at(L, N, Dom, Def))).
directive(example _, _, _, base) :- !.
directive(perft _, _, _, base) :- !.
directive(D, F, _, _) :- D =.. [_, _], assertz(item(F, directive(D))).

find_rules(Name, F, File) :-
    file_directory_name(F, D), source_file(find_rules(_, _, _), Me), file_directory_name(Me, Here),
    atom_concat(Here, '/../../games', Games),
    member(Root, [D, Games]), member(Sub, ['', '/*']), member(Ext, ['', '.ludex']),
    atomic_list_concat([Root, Sub, '/', Name, Ext], Pattern),
    expand_file_name(Pattern, Files), member(Found, Files), exists_file(Found),
    \+ ( Sub == '/*', sub_atom(Found, _, _, _, '/board/') ), !,    % a game may be called like its board
    absolute_file_name(Found, File).

% drop(Name/Arity, File): what other files say of it, and of a state with so many keys its opening too.
drop(P, _) :- memberchk(P, [init/1, init(_)]), retractall(item(_, position_is(_))), fail.
drop(P, F) :- P \= _/_, !, forall((item(G, T), G \== F, \+ declaration(T), of_form(T, P)), retract(item(G, T))).
drop(P, F) :-
    forall((item(G, T), G \== F, \+ declaration(T), clause_of(T, P, _, _)), retract(item(G, T))),
    forall((item(G, state_is(D)), G \== F, state_parts(D, Key, _, _), functor(Key, N, A), P = N/A),
           ( retract(item(G, state_is(D))), drop_opening(N, F) )).
drop_opening(N, F) :-
    forall((item(G, T), G \== F, clause_of(T, init/1, init(I), _), functor(I, N, _)), retract(item(G, T))).

of_form(T, P) :- clause_of(T, _, H, _), subsumes_term(P, H).

conjunct(_, X) :- X == '', !, fail.
conjunct(X, (A, B)) :- !, ( X = A ; conjunct(X, B) ).
conjunct(X, X).

clause_of(T, N/A, H, B) :- ( T = (H :- B) -> true ; T = H, B = true ), callable(H), functor(H, N, A).

declaration(T) :-
    member(T, [fixed(_, _), state_is(_), scratch_is(_), pieces_are(_, _), position_is(_), option_at(_, _, _, _),
               directive(_)]), !.

rule(P, H, B) :- item(_, T), \+ declaration(T), clause_of(T, P, H, B).

% ---------------------------------------------------------------- pieces

% add_pieces: what `:- pieces` stands for, as far as the rules do not say it themselves.
add_pieces :- \+ item(_, pieces_are(_, _)), !.
add_pieces :-
    item(F, pieces_are(Forms, Sites0)), !,
    ( Sites0 == board -> member(Sites, [cell, point, pit]), rule(Sites/1, _, _), ! ; Sites = Sites0 ),
    At =.. [at, Sites],
    ( item(_, state_is(D)), state_parts(D, K, _, _), functor(K, at, 1) -> true ; asserta(item(F, state_is((At -> piece)))) ),
    Site =.. [Sites, C],
    forall(conjunct(Form, Forms), ( form(Form, Piece, Goals, Owner), add_form(F, Piece, Goals, Owner) )),
    add_rule(F, empty/1, [(empty(C) :- Site, \+ at(C, _))]),
    (   rule(owner/2, _, _)
    ->  add_rule(F, mine/1, [(mine(S) :- turn(Me), at(S, X), owner(X, Me))]),
        add_rule(F, theirs/1, [(theirs(S) :- turn(Me), opponent(Me, You), at(S, X), owner(X, You))])
    ;   true
    ),
    add_rule(F, go/2, [(go(A, B) :- at(A, X), clear(at(A)), at(B) := X)]).

add_rule(F, P, Clauses) :- ( rule(P, _, _) -> true ; forall(member(T, Clauses), assertz(item(F, T))) ).

add_form(F, Piece, Goals, Owner) :-
    assertz(item(F, (piece(Piece) :- Goals))),
    ( Owner == none -> true ; assertz(item(F, (owner(Piece, Owner) :- Goals))) ).

% form(Form, Piece, Goals, Owner): the goals give the arguments of the piece their values.
form(player, P, player(P), P) :- !.
form(Form, Piece, Goals, Owner) :-
    Form =.. [Name|Domains], same_length(Domains, Args), Piece =.. [Name|Args],
    foldl(of_domain, Domains, Args, true, Goals),
    ( nth1(N, Domains, player) -> nth1(N, Args, Owner) ; Owner = none ), !.

of_domain({Values}, X, Gs, (Gs, member(X, L))) :- !, findall(V, conjunct(V, Values), L).
of_domain(Lo..Hi, X, Gs, (Gs, X in Lo..Hi)) :- !.
of_domain(Name, X, Gs, (Gs, G)) :- G =.. [Name, X].

% ---------------------------------------------------------------- options and state

fix_options(Given) :-
    findall(N, item(_, option_at(_, N, _, _)), Ns0), sort(Ns0, Ns),
    forall(member(N, Ns), ( option_value(N, Given, V), assertz(option_is(N, V)) )).

option_value(N, Given, V) :-
    item(_, fixed(N, W)), W \== option(N), !, constant(W, Given, V).
option_value(N, Given, V) :- memberchk(N = V, Given), !.
option_value(N, _, V) :- findall(L-D, item(_, option_at(L, N, _, D)), Ds), keysort(Ds, [_-V|_]).

% constant(Term, Given, Value): what a directive may calculate.
constant(option(N), Given, V) :- !, option_value(N, Given, V).
constant(T, Given, V) :-
    compound(T), functor(T, F, A),
    memberchk(F/A, [(+)/2, (-)/2, (*)/2, (//)/2, (/)/2, (mod)/2, (rem)/2, (^)/2, (-)/1, abs/1, sign/1, min/2, max/2]),
    !, T =.. [F|Ts], findall(X, (member(U, Ts), constant(U, Given, X)), Xs), E =.. [F|Xs], V is E.
constant(V, _, V).

declare :-
    once(item(_, directive(players Who))), ( Who = (Ps with count = C) -> true ; Ps = Who, C = all ),
    findall(P, conjunct(P, Ps), Named), findall(N = V, option_is(N, V), Os),
    ( C == all -> Order = Named ; constant(C, Os, Seats), length(Order, Seats), append(Order, _, Named) ),
    assertz(player_order(Order)),
    forall(item(_, directive(aside As)), forall(conjunct(N, As), assertz(put_aside(N)))),
    forall(item(_, state_is(D)), declare_state(D)),
    (   rule(_, _, B), part(B, U), member(U, [repeated(_), repeated_board(_)])
    ->  assertz(uses_history)
    ;   true
    ).

declare_state(D) :-
    state_parts(D, Key, Dom0, Init0), findall(N = V, option_is(N, V), Os), constant(Init0, Os, Init),
    ( Dom0 = Lo0..Hi0 -> constant(Lo0, Os, Lo), constant(Hi0, Os, Hi), Dom = Lo..Hi ; Dom = Dom0 ),
    Key =.. [N|Ks], length(Ks, K), assertz(fluent(N, K, Ks, Dom, Init)).

state_parts((Key -> Dom = Init), Key, Dom, Init) :- !.
state_parts((Key -> Dom), Key, Dom, '') :- !.
state_parts(Key, Key, set, '').

% part(Term, Part): a part of it that is no variable.
part(T, T) :- nonvar(T).
part(T, S) :- compound(T), arg(_, T, A), part(A, S).

in_domain(set, true) :- !.
in_domain(Lo..Hi, V) :- !, between(Lo, Hi, V).
in_domain({Vs}, V) :- !, conjunct(V, Vs).
in_domain(player, V) :- !, player_order(Ps), member(V, Ps).
in_domain(Name, V) :- G =.. [Name, V], renamed(static, G, _, _, H), call(g:H).

% ---------------------------------------------------------------- static, derived, action

inner((A, B), [A, B]).
inner((A ; B), [A, B]).
inner((A -> B), [A, B]).
inner(\+ A, [A]).
inner(once(A), [A]).
inner(forall(A, B), [A, B]).
inner(each(A, B), [A, B]).
inner(after(A, B, _), [A, B]).
inner(findall(_, A, _), [A]).
inner(count(_, A, _), [A]).
inner(connected(_, A), [A]) :- \+ own_connected.
inner(sum(_, A, _), [A]).
inner(max(_, A, _), [A]).
inner(min(_, A, _), [A]).

own_connected :- rule(connected/2, _, _), !.

% needs(Goal, Need): Need is `update`, `state` or the Name/Arity of a relation.
% What a hypothesis updates is taken back, so the actions that it calls are no need of its own.
needs(after(A, G), Need) :- !,
    (   Need = (state)
    ;   member(Part, [A, G]), needs(Part, N), N \== update,
        ( N = _/_, calls_action(N) -> Need = after(N) ; Need = N )
    ).
needs(connected(_, _), adjacent/2) :- \+ own_connected.
needs(Goal, Need) :- inner(Goal, Gs), !, member(G, Gs), needs(G, Need).
needs(Goal, update) :- update(Goal), !.
needs(Goal, state) :- comparison(Goal), !, part(Goal, T), function(T).
needs(Goal, state) :- reads_state(Goal), !.
needs(Goal, N/A) :- functor(Goal, N, A).

% calls_action(Name/Arity): the relation reaches an update outside of a hypothesis.
calls_action(P) :- calls_action(P, []).
calls_action(P, Seen) :-
    \+ memberchk(P, Seen), rule(P, _, B), needs(B, N),
    ( N == update -> true ; N = _/_, calls_action(N, [P|Seen]) ), !.

update(_ := _).
update(_ += _).
update(_ -= _).
update(set(_)).
update(clear(_)).
update(again).

comparison(G) :- functor(G, F, 2), memberchk(F, [is, <, =<, >, >=, =:=, =\=, in]), !.
comparison(between(_, _, _)).

function(T) :- functor(T, N, K), fluent(N, K, _, D, _), D \== set.

reads_state(G) :- member(G, [turn(_), mover(_), ply(_), stuck, legal(_), repeated(_), repeated_board(_)]), !.
reads_state(G) :- functor(G, N, A), fluent(N, K, _, D, _), ( D == set -> A = K ; A is K + 1 ), !.

% The stratum of a relation is what it reaches: all of a recursive group reach the same.
classify :-
    findall(P, rule(P, _, _), Ps0), sort(Ps0, Ps),
    findall(P-Ns, (member(P, Ps), findall(N, (rule(P, _, B), needs(B, N)), Ns0), sort(Ns0, Ns)), Needs),
    forall(member(P, Ps), ( reached([P], Needs, [], R), sort(R, Reached), kind(P, Reached, Kind),
                            length(Reached, L), term_hash(Reached, Hash),
                            assertz(relation(P, Kind, L-Hash)) )),
    forall((member(P-Ns, Needs), reached(Ns, Needs, [], R), memberchk(P, R)), assertz(recursive(P))).

reached([], _, R, R).
reached([N|Ns], Needs, R0, R) :- memberchk(N, R0), !, reached(Ns, Needs, R0, R).
reached([N|Ns], Needs, R0, R) :-
    ( memberchk(N-More, Needs) -> append(More, Ns, Todo) ; Todo = Ns ), reached(Todo, Needs, [N|R0], R).

% What the rules of play ask for is asked in a state, whether or not it looks at it.
kind(N/_, _, action) :- memberchk(N, [move, chance]), !.
kind(N/_, _, derived) :-
    memberchk(N, [win, lose, draw, over, score, rank, weight,
                  advice, value, measure, prompt, shows, notation]), !.
kind(_, R, action) :- memberchk(update, R), !.
kind(_, R, derived) :- memberchk(state, R), !.
kind(_, _, static).
