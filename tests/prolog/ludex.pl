% A third opinion: the meaning of a rule file, in as little Prolog as will do.
%
%   swipl ludex.pl -- moves   FILE [NAME=VALUE ...] [--after "[M1, M2]"]        legal moves, one a line
%   swipl ludex.pl -- outcome FILE [NAME=VALUE ...] [--after "[M1, M2]"]
%   swipl ludex.pl -- ask     FILE GOAL [NAME=VALUE ...] [--after "[M1, M2]"]   answers, one a line
%   swipl ludex.pl -- perft   FILE DEPTH [NAME=VALUE ...]
%   swipl ludex.pl -- test    FILE [LIMIT]      examples, and perft lines of up to LIMIT moves
%   swipl ludex.pl -- serve   [FILE [NAME=VALUE ...]]
%
% After `serve` each line `moves([M1, M2]).` on standard input is answered by a line
% `answer([LEGAL, ...], OUTCOME).`; OUTCOME is ongoing, wins(PLAYERS), draw or over(SCORES).
% A line `load(FILE).` goes over to another file and is answered by `loaded.`. What cannot be
% answered, or not within two seconds, is answered by `error(REASON).`.
%
% Every clause of the rule file is translated to a clause of module `g`. A static relation keeps its
% arguments and becomes a table of facts. A derived relation gets the state as one more argument, an
% action gets the state before and the state after. As states are plain terms, Prolog's backtracking
% undoes a move. Recursion, static or derived, is iterated from the empty relation until nothing is
% new: slow, but that is the definition of a least fixpoint.

:- use_module(library(assoc)).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- use_module(library(time)).
:- initialization(main, main).

:- include('../../grammar/operators.pl').

:- dynamic
       item/2,              % item(File, Term): the program as read, in order
       loaded/2,            % which files have been read, and which includes seen
       option_is/2,         % the value of an option
       fluent/5,            % fluent(Name, NumberOfKeys, KeyDomains, ValueDomain or set, Initial or '')
       relation/3,          % relation(Name/Arity, static or derived or action, Stratum)
       recursive/1,         % Name/Arity
       player_order/1,
       ending/2,            % ending(Head, State-Body): the end clauses, in order
       on_demand/1,         % Name/Arity of a static relation without a table
       put_aside/1,            % a fluent that is no part of a position
       uses_history/0,
       known/3, changed/1,  % the answers of recursive derived relations while they are iterated
       served/2.            % the last question of `serve`, and the state it led to

:- [read, translate, run].

% ---------------------------------------------------------------- examples and perft lines

% example(Goal, State, File): options need the file loaded anew.
example(options(Os, G), _, F) :- !, load_with(Os, F), start(S), example(G, S, F).
example(after(Ms, G), S, F) :- is_list(Ms), !, play(Ms, S, S1), example(G, S1, F).
example(given(Us, G), _, F) :- !, given(Us, S), example(G, S, F).
example((A, B), S, F) :- !, example(A, S, F), example(B, S, F).
example(\+ A, S, F) :- !, \+ example(A, S, F).
example(win(P), S, _) :- !, outcome(S, wins(Ws)), member(P, Ws).
example(lose(P), S, _) :- !, outcome(S, wins(Ws)), player_order(Ps), member(P, Ps), \+ memberchk(P, Ws).
example(draw, S, _) :- !, outcome(S, draw).
example(over, S, _) :- !, \+ outcome(S, ongoing).
example(G, S, _) :- body(G, S, S, Goal), g:Goal.

perft_line(options(Os, X), _, F, N) :- !, load_with(Os, F), start(S), perft_line(X, S, F, N).
perft_line(given(Us, X), _, F, N) :- !, given(Us, S), perft_line(X, S, F, N).
perft_line(D, S, _, N) :- perft(S, D, N).

load_with(Os, F) :- findall(O, conjunct(O, Os), L), load(F, L).

% given(Updates, State): the position that the updates make of the declared initial values.
given(Us, S) :- empty_state(S0), foldl(update_given, Us, S0, S1), forget('$kept', S1, S).
update_given(U, S0, S) :- body(U, S0, S, Do), g:Do.

test(File, Limit) :-
    load(File, []), findall(D, item(_, directive(D)), Ds),
    forall(member(example (Text, G), Ds), test_example(Text, G, File)),
    forall(( member(perft (X = N), Ds), N =< Limit ), test_perft(X, N, File)).

test_example(Text, G, File) :-
    load(File, []), start(S),
    (   catch(example(G, S, File), E, (report(Text, E), fail))
    ->  format("ok    ~w~n", [Text])
    ;   format("WRONG ~w~n", [Text])
    ).

test_perft(X, N, File) :-
    load(File, []), start(S), perft_line(X, S, File, C),
    (   C =:= N
    ->  format("ok    perft ~q = ~w~n", [X, N])
    ;   format("WRONG perft ~q = ~w, not ~w~n", [X, C, N])
    ).

report(What, E) :- format(user_error, "~w: ~q~n", [What, E]).

% ---------------------------------------------------------------- the commands

main :-
    current_prolog_flag(argv, Argv), set_stream(user_output, encoding(utf8)),
    catch(command(Argv), E, (report("error", E), halt(1))), halt(0).

command([test, File]) :- !, test(File, 5000).
command([test, File, L]) :- !, atom_number(L, N), test(File, N).
command([perft, File, D|Rest]) :- !,
    position_of(File, Rest, S), atom_number(D, Depth), perft(S, Depth, N), format("~w ~w~n", [Depth, N]).
command([moves, File|Rest]) :- !,
    position_of(File, Rest, S), written_moves(S, L), forall(member(M, L), format("~w~n", [M])).
command([outcome, File|Rest]) :- !,
    position_of(File, Rest, S), outcome(S, O), format("~q~n", [O]).
command([ask, File, Q|Rest]) :- !,
    position_of(File, Rest, S), term_to_atom(G, Q), forall(example(G, S, File), format("~q~n", [G])).
command([serve]) :- serve.
command([serve, File|Rest]) :- settings(Rest, Os, _), load(File, Os), serve.

position_of(File, Settings, S) :- settings(Settings, Os, Ms), load(File, Os), start(S0), play(Ms, S0, S).

settings([], [], []).
settings(['--after', A|Rest], Os, Ms) :- !, term_to_atom(Ms, A), settings(Rest, Os, _).
settings([A|Rest], [N = V|Os], Ms) :-
    atomic_list_concat([N, V0], '=', A), ( atom_number(V0, V) -> true ; V = V0 ), settings(Rest, Os, Ms).

written_moves(S, L) :- choices(S, Ms), findall(T, (member(M-_, Ms), written(M, T)), Ts), sort(Ts, L).
written(M, T) :- format(string(T), "~W", [M, [quoted(true), spacing(next_argument)]]).

% The game that the last question was about is kept, as the next one mostly goes on from there.
serve :-
    read_term(user_input, T, []),
    (   T == end_of_file
    ->  true
    ;   catch(call_with_time_limit(2, served(T)), E, (reason(E, R), format("error(~q).~n", [R]))),
        flush_output, serve
    ).

served(load(File)) :- retractall(served(_, _)), load(File, []), format("loaded.~n").
served(moves(Ms)) :- answer(Ms).

% In one word where the rules are to blame: as the diagnostics have it.
reason(outside_domain(_, _), value_outside_domain) :- !.
reason(two_derivations(_), ambiguous_move) :- !.
reason(error(evaluation_error(_), _), arithmetic) :- !.
reason(error(type_error(evaluable, _), _), arithmetic) :- !.
reason(error(must_be_positive, _), arithmetic) :- !.
reason(time_limit_exceeded, time) :- !.
reason(error(E, _), R) :- !, format(atom(R), "~q", [E]).
reason(E, R) :- format(atom(R), "~q", [E]).

answer(Ms) :-
    ( served(Old, S0), append(Old, New, Ms) -> true ; start(S0), New = Ms ),
    play(New, S0, S), retractall(served(_, _)), assertz(served(Ms, S)),
    written_moves(S, L), atomic_list_concat(L, ', ', Moves), outcome(S, O),
    format("answer([~w], ~q).~n", [Moves, O]).
