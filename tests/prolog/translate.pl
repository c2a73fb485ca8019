% Clauses of the rule file to clauses of module `g`.

:- nb_setval(before, none).

translate :- forall(rule(P, H, B), translate(P, H, B)).

translate(P, H, B0) :-
    shared(B0, H, B), relation(P, Kind, _), renamed(Kind, H, S0, S, Head), ( Kind == action -> true ; S = S0 ),
    body(B, S0, S, Goal0),
    ( of_each_player(P, H, Who) -> Goal = (user:player_order(Ps), member(Who, Ps), Goal0) ; Goal = Goal0 ),
    % SWI-Prolog 9.0.4 loses that two arguments are one where a clause is called with `_`: all
    % variables are named once more
    term_variables(Head-Goal, Vs), assertz(g:(Head :- Goal, user:named(Vs))),
    ( memberchk(P, [win/1, lose/1, draw/0, over/0]) -> assertz(ending(H, S0-Goal)) ; true ).

named(_).

% shared(Body, Head, Marked): each `after(A, G)` becomes `after(A, G, Vs)` with the variables that also
% stand elsewhere in the clause.
shared(B, H, Marked) :- mark(B, H-B, Marked).

mark(G, _, G) :- ( var(G) ; atomic(G) ), !.
mark(after(A, G), Clause, after(A1, G1, Vs)) :- !,
    without(Clause, after(A, G), Rest), term_variables(Rest, Others), term_variables(A-G, Inside),
    include(one_of(Others), Inside, Vs), mark(A, Clause, A1), mark(G, Clause, G1).
mark(G, Clause, Marked) :- inner(G, _), !, G =.. [F|As], maplist(mark_in(Clause), As, Bs), Marked =.. [F|Bs].
mark(G, _, G).
mark_in(Clause, G, Marked) :- mark(G, Clause, Marked).

% without(Term, Part, Rest): the term without the part, which is found by its variables and form.
without(T, Part, gone) :- T == Part, !.
without(T, _, T) :- ( var(T) ; atomic(T) ), !.
without(T, Part, Rest) :- T =.. [F|As], maplist(without_in(Part), As, Bs), Rest =.. [F|Bs].
without_in(Part, T, Rest) :- without(T, Part, Rest).
one_of(Vs, V) :- member(W, Vs), V == W, !.

% told(Goal, Term): a term with the variables that tell answers of the goal apart.
told(G, G) :- ( var(G) ; atomic(G) ), !.
told(after(_, _, Vs), Vs) :- !.
told(G, T) :- G =.. [F|As], maplist(told, As, Bs), T =.. [F|Bs].

% What asks about a player is asked about each: `win(P) :- forall(member(C, L), at(C, P))` means any P.
of_each_player(P, H, Who) :- memberchk(P, [win/1, lose/1, score/2, value/2]), arg(1, H, Who).

% The prefixes keep a rule file's names apart from Prolog's own.
renamed(static, G, _, _, D) :- G =.. [N|As], atom_concat('s ', N, M), D =.. [M|As].
renamed(derived, G, S, _, D) :- G =.. [N|As], atom_concat('d ', N, M), append(As, [S], Bs), D =.. [M|Bs].
renamed(action, G, S0, S, D) :- G =.. [N|As], atom_concat('a ', N, M), append(As, [S0, S], Bs), D =.. [M|Bs].

% body(Goal, StateBefore, StateAfter, PrologGoal)
body((A, B), S0, S, (X, Y)) :- !, body(A, S0, S1, X), body(B, S1, S, Y).
body((C -> A ; B), S0, S, (X -> Y ; Z)) :- !, body(C, S0, S0, X), branch(A, S0, S, Y), branch(B, S0, S, Z).
body((C -> A), S0, S, (X -> Y)) :- !, body(C, S0, S0, X), body(A, S0, S, Y).
body((A ; B), S0, S, (X ; Y)) :- !, branch(A, S0, S, X), branch(B, S0, S, Y).
body(\+ A, S, S, \+ X) :- !, body(A, S, S, X).
% Where all that it tells is given, it is a test.
body(after(A, G, Vs), S, S, ( ground(Vs) -> once(Goal) ; Goal )) :- !,
    Goal = (X, user:forget('$kept', S1, S2), Y), body(A, S, S1, X), body(G, S2, S2, Y).
body(after(A, G), S, S, Goal) :- !, body(after(A, G, []), S, S, Goal).
body(once(A), S0, S, once(X)) :- !, body(A, S0, S, X).
body(forall(A, B), S, S, \+ (X, \+ Y)) :- !, body(A, S, S, X), body(B, S, S, Y).
body(count(T, A, N), S, S, (findall(T, X, L), sort(L, U), length(U, N0), N = N0)) :- !, body(A, S, S, X).
% The answers form one group, in which each is beside another one.
body(connected(C, A), S, S, (findall(C, X, L), sort(L, [F|R]), user:one_group([F], R, P-Q-(g:Beside)))) :-
    \+ own_connected, !, body(A, S, S, X), body((adjacent(P, Q) ; adjacent(Q, P)), S, S, Beside).
body(sum(T, A, N), S, S, (user:answers(A1, X, L), findall(T, member(A1, L), Ts), sum_list(Ts, N))) :- !,
    told(A, A1), body(A, S, S, X).
body(max(T, A, N), S, S, (findall(T, X, L), L = [_|_], max_list(L, N))) :- !, body(A, S, S, X).
body(min(T, A, N), S, S, (findall(T, X, L), L = [_|_], min_list(L, N))) :- !, body(A, S, S, X).
body(findall(T, A, L), S, S, findall(T, X, L)) :- !, body(A, S, S, X).
% What `old` reads is the state before the first of the updates.
body(each(A, B), S0, S,
     (Before = S0, user:answers(A1, (X, Reads), L), user:for_each(L, A1, S1-S2-Y, S0, S))) :- !,
    told(A, A1), body(A, S0, S0, X), read_before(B, S0, Reads), b_getval(before, Outer),
    b_setval(before, Before), body(B, S1, S2, Y), b_setval(before, Outer).
body(X in Lo..Hi, S, S, Goal) :- !, body(between(Lo, Hi, X), S, S, Goal).
body(between(Lo, Hi, X), S, S, Goal) :- nonvar(X), \+ integer(X), !, body((Lo =< X, X =< Hi), S, S, Goal).
body(between(Lo, Hi, X), S, S, (Reads, L is Lo1, H is Hi1, between(L, H, X))) :- !,
    expressions([Lo, Hi], S, [Lo1, Hi1], Reads).
% Prolog's own would refuse a number below 0.
body(nth(N, L, X), S, S, (nth1(N0, L, X), N = N0)) :- !.
body(length(L, N), S, S, (user:whole_list(L), length(L, N0), N = N0)) :- !.
body(coordinate(X, Y, N), S, S, user:coordinate(X, Y, N)) :- !.
body(G, S, S, (Reads, G1)) :- comparison(G), !,
    G =.. [F|As], expressions(As, S, Bs, Reads), G1 =.. [F|Bs].
body(G, S, S, G) :- prologs_own(G), !.
body(G, S0, S, user:Do) :- update(G), !, change(G, S0, S, Do).
body(player(P), S, S, (user:player_order(Ps), member(P, Ps))) :- !.
body(next_player(P, Q), S, S, user:next_player(P, Q)) :- !.
body(opponent(P, Q), S, S, (user:player_order(Ps), member(P, Ps), member(Q, Ps), P \== Q)) :- !.
body(option(N, V), S, S, user:option_is(N, V)) :- !.
body(legal(M), S, S, user:legal(M, S)) :- !.
body(stuck, S, S, user:stuck(S)) :- !.
body(repeated(N), S, S, user:occurred(turn, N, S)) :- !.
body(repeated_board(N), S, S, user:occurred(board, N, S)) :- !.
body(G, S, S, user:read(N, Key, V, S)) :- reads_state(G), !,
    G =.. [N|As], key_and_value(N, As, Key, V).
body(G, S, S, user:iterate(G, S)) :- functor(G, N, A), recursive(N/A), relation(N/A, derived, _), !.
body(G, S0, S, Do) :-
    functor(G, N, A), relation(N/A, Kind, _), !,
    renamed(Kind, G, S0, S, Do), ( Kind == action -> true ; S = S0 ).
body(G, _, _, _) :- functor(G, N, A), throw(unknown_relation(N/A)).

% one_group(Found, Rest, A-B-Beside): the rest belongs to the group of what was found.
one_group(_, [], _) :- !.
one_group([A|Open], Rest, Beside) :-
    partition(touches(Beside, A), Rest, Near, Far), append(Near, Open, Next), one_group(Next, Far, Beside).
touches(Beside, A, B) :- copy_term(Beside, A-B-Goal), once(Goal).

% read_before(Action, S, Reads): an answer is left out where a map with initial values has no such key.
read_before(G, _, true) :- ( var(G) ; atomic(G) ), !.
read_before(old(T), S, user:read(N, Key, _, S)) :- T =.. [N|Ks], fluent(N, _, _, _, Init), Init \== '', !, key(Ks, Key).
read_before(each(A, _), S, Reads) :- !, read_before(A, S, Reads).
read_before(G, S, Reads) :- G =.. [_|As], foldl(read_before_in(S), As, true, Reads).
read_before_in(S, A, Before, (Before, Reads)) :- read_before(A, S, Reads).

% A branch without updates leaves the state as it was; both branches must end in the same variable.
branch(A, S0, S, (X, S = S1)) :- body(A, S0, S1, X).

prologs_own(G) :-
    functor(G, N, A),
    memberchk(N/A, [true/0, fail/0, false/0, (=)/2, (\=)/2, (==)/2,
                    member/2, length/2, append/3, atom_concat/3]).

key_and_value(N, As, Key, true) :- fluent(N, _, _, set, _), !, key(As, Key).
key_and_value(_, As, Key, V) :- append(Ks, [V], As), key(Ks, Key).

key([], none) :- !.
key([K], K) :- !.
key([K|Ks], Key) :- Key =.. [k, K|Ks].

% In arithmetic a map stands for its value. It is worked out from left to right: what is read may have
% no value, and what is calculated none either, which is an error.
expression(T, _, T, true) :- \+ compound(T), \+ ( atom(T), function(T) ), !.
expression(old(T), _, V, user:read(N, Key, V, Before)) :- !,
    b_getval(before, Before), T =.. [N|Ks], key(Ks, Key).
expression(T, S, V, user:read(N, Key, V, S)) :- function(T), !, T =.. [N|Ks], key(Ks, Key).
expression(T, S, U, (Reads, U is E, user:whole(U))) :- T =.. [F|As], expressions(As, S, Bs, Reads), E =.. [F|Bs].

expressions([], _, [], true).
expressions([A|As], S, [B|Bs], (R, Rs)) :- expression(A, S, B, R), expressions(As, S, Bs, Rs).

change(again, S0, S, put('$kept', none, true, S0, S)) :- !.
change(turn := P, S0, S, (put('$kept', none, true, S0, S1), put(turn, none, P, S1, S))) :- !.
change(set(F), S0, S, assign(N, Key, true, S0, S)) :- !, F =.. [N|Ks], key(Ks, Key).
change(clear(F), S0, S, clear(N, Key, S0, S)) :- !, F =.. [N|Ks], key(Ks, Key).
change(F += E, S0, S, Do) :- !, change(F := F + E, S0, S, Do).
change(F -= E, S0, S, Do) :- !, change(F := F - E, S0, S, Do).
change(F := E, S0, S, copy_old(N, Key, M, From, Before, S0, S)) :-
    nonvar(E), E = old(G), !,
    b_getval(before, Before), F =.. [N|Ks], key(Ks, Key), G =.. [M|Gs], key(Gs, From).
change(F := E, S0, S, (Reads, V is E1, assign(N, Key, V, S0, S))) :-
    arithmetic(E), !, F =.. [N|Ks], key(Ks, Key), expression(E, S0, E1, Reads).
change(F := E, S0, S, (Reads, assign(N, Key, V, S0, S))) :-
    F =.. [N|Ks], key(Ks, Key),
    ( nonvar(E), function(E) -> expression(E, S0, V, Reads) ; V = E, Reads = true ).

arithmetic(E) :-
    compound(E), functor(E, Op, A),
    memberchk(Op/A, [(+)/2, (-)/2, (*)/2, (//)/2, (/)/2, (mod)/2, (rem)/2, (^)/2, (-)/1,
                     abs/1, sign/1, min/2, max/2]).

% ---------------------------------------------------------------- static relations

% They become tables, from the lowest stratum up. A recursive relation's facts come in the standard
% order of terms, those of any other in the order of its clauses. What has no table is called as it is
% written: where an answer depends on what a call gives, through a choice or a variable of the head.
tabulate :-
    findall(Stratum, relation(_, static, Stratum), Ss0), sort(Ss0, Ss),
    forall(member(S, Ss), ( findall(P, relation(P, static, S), Layer), tabulate(Layer) )).

% A recursive relation without a table would not answer in the standard order, nor end. Those that only
% notations use are never called.
tabulate(Layer) :-
    (   member(P, Layer), rule(P, H, B), ( part(B, G), chooses(G) ; wants_value(H, B) )
    ->  forall(member(P1, Layer), assertz(on_demand(P1)))
    ;   catch(fill(Layer), E, ( memberchk(E, [unbound(_), error(instantiation_error, _)]) -> true ; throw(E) ))
    ),
    forall(( member(P2, Layer), on_demand(P2), recursive(P2) ), refuse(P2)).

% refuse(P): whoever calls the relation is told that it has no table.
refuse(N/A) :-
    functor(G, N, A), renamed(static, G, _, _, H), retractall(g:H),
    assertz(g:(H :- throw(error(resource_error(table), _)))).

% wants_value(Head, Body): the body gives no value to some variable of the head.
wants_value(H, B) :-
    giving(B, Gs), term_variables(H, Vs), term_variables(Gs, Bs),
    member(V, Vs), \+ ( member(W, Bs), V == W ), !.

% giving(Body, Goals): the body without what only tests and does not complain of open variables.
giving(B, G) :- var(B), !, G = B.
giving((A, B), (C, D)) :- !, giving(A, C), giving(B, D).
giving((A ; B), (C ; D)) :- !, giving(A, C), giving(B, D).
giving(\+ _, true) :- !.
giving(_ \= _, true) :- !.
giving(B, B).

% whole_list(L): L is a list to its end; SWI-Prolog's length/2 would go on making longer ones.
whole_list(L) :- '$skip_list'(_, L, T), ( T == [] -> true ; var(T), throw(unbound(L)) ).

chooses(once(_)).
chooses((_ -> _)).
chooses(G) :- callable(G), functor(G, N, A), on_demand(N/A).

fill(Layer) :-
    findall(P, (member(N/A, Layer), functor(G, N, A), renamed(static, G, _, _, P)), Patterns),
    findall(H-B, (member(H, Patterns), clause(g:H, B)), Rules),
    forall(member(H, Patterns), retractall(g:H)),
    catch(facts(Rules), E, true),
    (   var(E)
    ->  ( member(P1, Layer), recursive(P1) -> maplist(in_standard_order, Patterns) ; true )
    ;   forall(member(H, Patterns), retractall(g:H)),
        forall(member(H-B, Rules), assertz(g:(H :- B))),
        forall(member(P, Layer), assertz(on_demand(P))),
        throw(E)
    ).

in_standard_order(H) :-
    findall(H, g:H, L), sort(L, Sorted), retractall(g:H), forall(member(F, Sorted), assertz(g:F)).

facts(Rules) :-
    repeat,
    findall(H, (member(H-B, Rules), call(g:B), \+ call(g:H)), New),
    list_to_set(New, Fresh),
    forall(member(H, Fresh), ( ground(H) -> assertz(g:H) ; throw(unbound(H)) )),
    Fresh == [], !.
