% The operators that rule files use beyond ISO Prolog, and the only place that lists them:
% with these loaded, any ISO Prolog reader reads every rule file.
:- op(1150, fx, [game, players, state, scratch, pieces, position, option, include, variant_of, redefine, example, perft, aside,
               about]).
:- op(1100, xfx, with).
:- op(990, xfx, :=).
:- op(700, xfx, [+=, -=, in]).
:- op(690, xfx, ..).
