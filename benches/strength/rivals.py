"""Matches of ludex against other programs, which `install.sh` installs.

A rival knows how its own program writes a move of ludex (`key`), so no move has to be read: of the legal
moves the one is played that the rival writes as its program has. `check` compares the legal moves of both in
random games, for rules are easily taken to be the same that are not.
"""

import json
import random
import subprocess
import sys
import time

import run


class Ludex:
    """The program, asked by lines of JSON."""

    def __init__(self, program=None):
        self.child = subprocess.Popen([program or run.LUDEX, "rpc", "--seconds", "120"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, what, **fields):
        print(json.dumps({"ask": what, **fields}), file=self.child.stdin, flush=True)
        answer = json.loads(self.child.stdout.readline())
        if answer["answer"] == "error":
            raise RuntimeError(answer["message"])
        return answer

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Unlike(Exception):
    """The two programs play by different rules."""


def lines(pipe, until):
    """What a program says, up to a line that begins so."""
    said = []
    for line in pipe:
        said.append(line.strip())
        if said[-1].startswith(until):
            return said
    raise RuntimeError("the rival has ended")


def play_game(make, game, seconds, number):
    """Plays the game with this number and returns what ludex gains, with the plies. Games 2n and 2n + 1 have
    the same two first moves, drawn at random, the same throws, and the sides exchanged. The gain is 1 for a game
    that is won and 0 for one that is lost, or the points that are won or lost where a rival counts them."""
    name, options = game
    drawn = random.Random(number // 2 + 1)
    seat = number % 2
    ludex, rival = Ludex(), make(1 - seat)
    try:
        opened = ludex.ask("open", game=name, options=options)
        at, position, players = opened["at"], opened["position"], opened["game"]["players"]
        for ply in range(400):
            if position["over"]:
                winners = position["over"]["winners"]
                if rival.counts_points:
                    return rival.points(ludex, at) * (1 if winners == [players[seat]] else -1), ply
                return (0.5 if len(winners) != 1 else float(winners[0] == players[seat])), ply
            if rival.drawn():
                return 0.5, ply
            if position["chance"]:
                answer = ludex.ask("chance", at=at, seed=drawn.randrange(2**32))
                rival.chance(answer["moves"][0])
                position = answer["position"]
                continue
            moves = ludex.ask("moves", at=at)["moves"]
            if ply < rival.opening:
                move = drawn.choice(moves)
            elif position["turn"] == players[seat]:
                best = ludex.ask("best", at=at, seconds=seconds, seed=number)["best"]
                move = next(move for move in moves if move["move"] == best["move"])
            elif len(moves) == 1:
                move = moves[0]
            else:
                wanted = rival.choose()
                found = [move for move in moves if rival.key(move) == wanted]
                if not found:
                    raise Unlike(f"ply {ply}: `{wanted}` is none of {[rival.key(move) for move in moves]}")
                move = found[0]
            rival.play(move)
            position = ludex.ask("play", at=at, move=move["move"])["position"]
        return 0.5, 400
    finally:
        ludex.close()
        rival.close()


def check(make, game, games):
    """Plays random games and compares the legal moves."""
    for number in range(games):
        drawn = random.Random(number)
        ludex, rival = Ludex(), make(0)
        opened = ludex.ask("open", game=game[0], options=game[1])
        at, position = opened["at"], opened["position"]
        ply = 0
        while not position["over"] and ply < 300 and not rival.drawn():
            moves = ludex.ask("moves", at=at)["moves"]
            ours, theirs = {rival.key(move) for move in moves}, rival.legal()
            if ours != theirs:
                print(f"game {number}, ply {ply}: only ours {ours - theirs}, only theirs {theirs - ours}")
                break
            move = drawn.choice(moves)
            rival.play(move)
            position = ludex.ask("play", at=at, move=move["move"])["position"]
            ply += 1
        print(f"game {number}: {ply} plies, {position['over'] and position['over']['winners']}, {rival.result()}")
        ludex.close()
        rival.close()


def matches_of(line):
    """The matches of a line: a name and what is played."""
    import opponents
    return opponents.LINES.get(line)


def play_rival(name, what, games, until):
    """Plays games of a match until there are so many of them, or until the time is over."""
    make, game, seconds = what
    file = run.RESULTS / f"{name}.json"
    identity = {"rival": name, "game": game[0], "options": game[1], "seconds": seconds}
    data = json.loads(file.read_text()) if file.exists() else {"match": identity, "games": []}
    if data["match"] != identity:
        sys.exit(f"{file} holds another match")
    while len(data["games"]) < games and time.time() < until:
        number = len(data["games"])
        try:
            gain, plies = play_game(make, game, seconds, number)
        except Unlike as unlike:
            print(f"{name}: game {number} was broken off: {unlike}", flush=True)
            return
        data["games"].append([number, gain, plies])
        file.write_text(json.dumps(data) + "\n")
        run.dated(name)
        gained = sum(gain for _, gain, _ in data["games"])
        print(f"{name}: {gained} of {len(data['games'])}, {plies} plies", flush=True)


if __name__ == "__main__":
    import opponents
    for line, matches in opponents.LINES.items():
        for name, (make, game, _) in matches:
            if name in sys.argv[1:]:
                check(make, game, 5)
