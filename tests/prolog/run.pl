% States, moves, outcomes, and the goals whose meaning is not Prolog's own.

% The table of a call of a recursive derived relation starts empty; every call met on the way gets its
% own, and all are computed again until none grows. Relations of lower strata finish within.
iterate(G, S) :-
    functor(G, N, A), relation(N/A, _, Stratum),
    copy_term(G, K), numbervars(K, 0, _),
    (   known(Stratum, K, As)
    ->  true
    ;   known(Stratum, _, _)
    ->  assertz(known(Stratum, K, [])), assertz(changed(Stratum)), As = []
    ;   assertz(known(Stratum, K, [])), grow(Stratum, S),
        known(Stratum, K, As), retractall(known(Stratum, _, _))
    ),
    member(G, As).

grow(Stratum, S) :-
    repeat,
    retractall(changed(Stratum)),
    forall(known(Stratum, K, Old), grow(Stratum, K, Old, S)),
    \+ changed(Stratum), !.

grow(Stratum, K, Old, S) :-
    varnumbers(K, G), renamed(derived, G, S, _, D), findall(G, call(g:D), As), sort(As, New),
    (   New == Old
    ->  true
    ;   retract(known(Stratum, K, Old)), assertz(known(Stratum, K, New)), assertz(changed(Stratum))
    ).

% The different answers in their order; two that differ in what they leave open only are one.
answers(Vars, Goal, Answers) :-
    findall(Key-Vars, ( g:Goal, copy_term(Vars, Key), numbervars(Key, 0, _) ), L),
    empty_assoc(Seen), first_of_each(L, Seen, Answers).

first_of_each([], _, []).
first_of_each([K-_|L], Seen, As) :- get_assoc(K, Seen, _), !, first_of_each(L, Seen, As).
first_of_each([K-A|L], Seen, [A|As]) :- put_assoc(K, Seen, true, Seen1), first_of_each(L, Seen1, As).

for_each([], _, _, S, S).
for_each([X|Xs], A, Step, S0, S) :-
    copy_term(A-Step, X-(S0-S1-Do)), once(g:Do), for_each(Xs, A, Step, S1, S).

% whole(N): SWI-Prolog's powers may be fractions.
whole(N) :- integer(N), !.
whole(_) :- throw(error(evaluation_error(undefined), _)).

coordinate(X, Y, Name) :- integer(X), !, letters(X, L), atomic_list_concat([L, Y], Name).
coordinate(X, Y, Name) :-
    atom_codes(Name, Cs), append(Ls, [D|Ds], Cs), D =< 0'9, !,
    foldl([C, N0, N]>>(N is N0 * 26 + C - 96), Ls, 0, X), number_codes(Y, [D|Ds]).

letters(X, L) :- X =< 26, !, C is 96 + X, char_code(L, C).
letters(X, L) :-
    H is (X - 1) // 26, T is (X - 1) mod 26 + 1, letters(H, A), letters(T, B), atom_concat(A, B, L).

next_player(P, Q) :- player_order(Ps), Ps = [First|_], ( nextto(P, Q, Ps) ; last(Ps, P), Q = First ).

% ---------------------------------------------------------------- states

% A state is an assoc from a map's name to an assoc from its key to its value. Keys that are not given
% come in the order of their domains.
read(N, Key, V, S) :-
    get_assoc(N, S, M),
    ( ground(Key) -> true ; fluent(N, _, Ks, _, _), same_length(Ks, Vs), key(Vs, Key), maplist(in_domain, Ks, Vs) ),
    get_assoc(Key, M, V).

put(N, Key, V, S0, S) :-
    ( get_assoc(N, S0, M) -> true ; empty_assoc(M) ), put_assoc(Key, M, V, M1), put_assoc(N, S0, M1, S).

emptied(N, S0, S) :- empty_assoc(M), put_assoc(N, S0, M, S).

forget(N, S0, S) :- ( del_assoc(N, S0, _, S) -> true ; S = S0 ).

assign(N, Key, V, S0, S) :-
    ( fluent(N, _, Ks, D, _) -> true ; throw(not_a_fluent(N)) ),
    same_length(Ks, Vs), key(Vs, Key), maplist(known_value, Ks, Vs), known_value(D, V),
    put(N, Key, V, S0, S).
known_value(Domain, V) :- ( in_domain(Domain, V) -> true ; throw(outside_domain(Domain, V)) ).

% copy_old(N, Key, M, From, Before, S0, S): the value of M before, or none.
copy_old(N, Key, M, From, Before, S0, S) :-
    ( read(M, From, V, Before) -> assign(N, Key, V, S0, S) ; clear(N, Key, S0, S) ).

clear(N, Key, S0, S) :-
    fluent(N, _, Ks, _, Init), same_length(Ks, Vs), key(Vs, Key), maplist(known_value, Ks, Vs),
    cleared(Init, N, Key, S0, S).
cleared(Init, N, Key, S0, S) :- Init \== '', !, put(N, Key, Init, S0, S).
cleared(_, N, Key, S0, S) :- get_assoc(N, S0, M), ( del_assoc(Key, M, _, M1) -> put_assoc(N, S0, M1, S) ; S = S0 ).

empty_state(S) :-
    findall(N-M, ( fluent(N, _, Ks, _, Init), initial_map(Ks, Init, M) ), Maps), list_to_assoc(Maps, S0),
    player_order([First|_]),
    put(turn, none, First, S0, S1), put(ply, none, 0, S1, S2), put('$past', none, [], S2, S).

initial_map(_, '', M) :- !, empty_assoc(M).
initial_map(Ks, Init, M) :- findall(K-Init, (maplist(in_domain, Ks, Vs), key(Vs, K)), L), list_to_assoc(L, M).

start(S) :-
    empty_state(S0), ( relation(init/1, _, _) -> findall(I, g:'s init'(I), Is) ; Is = [] ),
    foldl(open_with, Is, S0, S1), ( item(_, position_is(Text)) -> open_at(Text, S1, S) ; S = S1 ).
open_with(turn(P), S0, S) :- !, put(turn, none, P, S0, S).
open_with(I, S0, S) :- I =.. [N|As], key_and_value(N, As, Key, V), assign(N, Key, V, S0, S).

% open_at(Text, S0, S): the board is told row by row from the top, then fields tell the rest.
open_at(Text, S0, S) :-
    ( is_list(Text) -> Lines = Text, Fields = [] ; split_string(Text, " ", " ", [Board|Fields]), split_string(Board, "/", "", Lines) ),
    board_map(N, Sites),
    findall(Y, ( member(Site, Sites), g:'s xy'(Site, _, Y) ), Ys0), sort(0, @>, Ys0, Ys),
    foldl(open_row(N, Sites), Lines, Ys, S0, S1),
    foldl([F, I0-A, I-B]>>( I is I0 + 1, open_field(F, I, A, B) ), Fields, 0-S1, _-S).

board_map(N, Sites) :-
    item(_, state_is(D)), state_parts(D, Key, Dom, _), Dom \== set, Key =.. [N, K],
    findall(X, in_domain(K, X), Sites), Sites = [X0|_], once(g:'s xy'(X0, _, _)), !.

open_row(N, Sites, Line, Y, S0, S) :-
    findall(X-Site, ( member(Site, Sites), g:'s xy'(Site, X, Y) ), L0), keysort(L0, L), findall(Site, member(_-Site, L), Row),
    split_string(Line, " ", "", Words), atomics_to_string(Words, Word), string_chars(Word, Cs),
    findall(Letter-V, letter_of(N, V, Letter), Letters),
    open_sites(Cs, Row, N, Letters, S0, S).

% letter_of(N, V, Letter): as the rules have it, or else the first letter of its name.
letter_of(_, V, Letter) :- relation(letter/2, static, _), !, renamed(static, letter(V, Letter), _, _, G), g:G.
letter_of(N, V, Letter) :- fluent(N, _, _, Dom, _), in_domain(Dom, V), atom(V), sub_string(V, 0, 1, _, Letter).

open_sites([], [], _, _, S, S).
open_sites(Cs, Row, N, Letters, S0, S) :-
    member(Letter-V, Letters), string_chars(Letter, Ls), Ls \== [], append(Ls, Rest, Cs), !,
    Row = [Site|Sites], assign(N, Site, V, S0, S1), open_sites(Rest, Sites, N, Letters, S1, S).
open_sites([C|Cs], Row, N, Letters, S0, S) :-
    char_type(C, digit), !, span_digits([C|Cs], Ds, Rest), number_chars(Count, Ds),
    length(Gap, Count), append(Gap, Sites, Row), open_sites(Rest, Sites, N, Letters, S0, S).
open_sites(['.'|Cs], [_|Sites], N, Letters, S0, S) :- open_sites(Cs, Sites, N, Letters, S0, S).

span_digits([C|Cs], [C|Ds], Rest) :- char_type(C, digit), !, span_digits(Cs, Ds, Rest).
span_digits(Cs, [], Cs).

% open_field(Text, Number, S0, S): the number of the round is not told here, as no opening needs it.
open_field("-", _, S, S) :- !.
open_field(Text, I, S0, S) :-
    findall(T-Fact, ( renamed(static, position_field(I, T, Fact), _, _, G), g:G ), Parts),
    field_parts(Text, Parts, S0, S).

field_parts("", _, S, S) :- !.
field_parts(Text, Parts, S0, S) :-
    memberchk(number-Name, Parts), !, number_string(V, Text), put(Name, none, V, S0, S).
field_parts(_, Parts, S, S) :- memberchk(round-_, Parts), !.
field_parts(Text, Parts, S0, S) :-
    member(T-Fact, Parts), string_concat(T, Rest, Text), T \== "", !,
    open_with(Fact, S0, S1), field_parts(Rest, Parts, S1, S).

% What makes a position: all but who moved, how often, and what is put aside; for a board not the turn,
% with `all` what is put aside too.
position(How, S, Pos) :- findall(N-L, ( gen_assoc(N, S, M), part_of(How, N), assoc_to_list(M, L) ), Pos).
part_of(How, N) :-
    \+ memberchk(N, [mover, ply, '$kept', '$past']), \+ ( How \== all, put_aside(N) ),
    \+ ( How == board, N == turn ).

occurred(How, N, S) :-
    position(How, S, Pos), read('$past', none, Past, S),
    aggregate_all(count, (member(Q, Past), seen_as(How, Q, Pos)), C), C + 1 >= N.
seen_as(turn, P, P).
seen_as(board, Q, Pos) :- selectchk(turn-_, Q, Pos).

remember(S0, S) :-
    (   uses_history
    ->  position(turn, S0, Pos), read('$past', none, Past, S0), put('$past', none, [Pos|Past], S0, S)
    ;   S = S0
    ).

% ---------------------------------------------------------------- moves

% What the clauses derive, closed by passing the turn. The same move must lead to the same state.
successors(Kind, S0, Ms) :-
    remember(S0, S1), forget('$kept', S1, S2), G =.. [Kind, M],
    (   relation(Kind/1, _, _)
    ->  renamed(action, G, S2, S3, Do), findall(M-S, (g:Do, finish(Kind, S2, S3, S)), L)
    ;   L = []
    ),
    keysort(L, Sorted), same_state(Sorted, Ms).

same_state([M-S, N-T|L], Ms) :- M == N, !,
    ( position(all, S, P), position(all, T, P) -> same_state([M-S|L], Ms) ; throw(two_derivations(M)) ).
same_state([X|L], [X|Ms]) :- same_state(L, Ms).
same_state([], []).

finish(Kind, Before, S00, S) :-
    findall(N, ( item(_, scratch_is(K)), functor(K, N, _) ), Ns), foldl(emptied, Ns, S00, S0),
    read(turn, none, Me, Before), read(ply, none, N, S0), N1 is N + 1, put(ply, none, N1, S0, S1),
    (   Kind == chance
    ->  S = S1
    ;   put(mover, none, Me, S1, S2),
        ( get_assoc('$kept', S2, _) -> S = S2 ; next_player(Me, Q), put(turn, none, Q, S2, S) )
    ).

legal_moves(S, Ms) :-
    successors(move, S, All),
    (   relation(rank/2, _, _), All = [_|_]
    ->  findall(R-(M-T), (member(M-T, All), best_rank(M, S, R)), Ranked),
        findall(R, member(R-_, Ranked), Rs), max_list(Rs, Top), findall(X, member(Top-X, Ranked), Ms)
    ;   Ms = All
    ).
best_rank(M, S, R) :- renamed(derived, rank(M, N), S, _, D), findall(N, g:D, Ns),
    ( Ns == [] -> R = 0 ; max_list(Ns, R) ).

legal(M, S) :- successors(chance, S, []), legal_moves(S, Ms), member(M-_, Ms).
stuck(S) :- successors(chance, S, []), legal_moves(S, []).

% What can be played: nothing at the end, chance events before moves.
choices(S, Ms) :- ending(_, S-Body), \+ \+ g:Body, !, Ms = [].
choices(S, Ms) :- successors(chance, S, Es), ( Es = [_|_] -> Ms = Es ; legal_moves(S, Ms) ).

play([], S, S).
play([M|Ms], S0, S) :- choices(S0, L), ( memberchk(M-S1, L) -> play(Ms, S1, S) ; throw(illegal(M)) ).

perft(_, 0, 1) :- !.
perft(S, 1, N) :- !, choices(S, Ms), length(Ms, N).
perft(S, D, N) :- choices(S, Ms), D1 is D - 1, foldl(add_perft(D1), Ms, 0, N).
add_perft(D, _-S, N0, N) :- perft(S, D, M), N is N0 + M.

% ---------------------------------------------------------------- the end

% The first end clause that holds decides.
outcome(S, O) :- ending(H, S-Body), \+ \+ g:Body, !, result(H, S, Body, O), scored(S).
outcome(S, draw) :- stuck(S), !, scored(S).
outcome(_, ongoing).

% Every outcome is told with the scores: a rule error in them is one of the outcome.
scored(S) :-
    ( relation(score/2, _, _) -> player_order(Ps), forall(member(P, Ps), ignore(score_of(P, S, _))) ; true ).

result(draw, _, _, draw).
result(win(P), _, Body, wins(Ws)) :- named(P, Body, L), sort(L, Ws).
result(lose(P), _, Body, wins(Ws)) :-
    named(P, Body, Ls), player_order(Ps), subtract(Ps, Ls, W), sort(W, Ws).
result(over, S, _, O) :-
    player_order(Ps), findall(N-P, (member(P, Ps), score_of(P, S, N)), L),
    findall(N, member(N-_, L), Ns),
    ( max_list(Ns, Max) -> findall(P, member(Max-P, L), Ws0), sort(Ws0, Ws) ; Ws = [] ),
    ( Ps = [_] -> O = over(Ns) ; Ws = [_] -> O = wins(Ws) ; O = draw ).
% The players whom an end clause names: each is asked about once.
named(P, Body, Named) :- player_order(Ps), findall(P, ( member(P, Ps), once(g:Body) ), Named).

% The different answers are added.
score_of(P, S, N) :-
    renamed(derived, score(P, M), S, _, D), findall(M, g:D, Ms0), sort(Ms0, Ms), Ms = [_|_], sum_list(Ms, N).
