"""The programs that ludex plays against."""

import os
import re
import socket
import subprocess

from rivals import Ludex, lines

os.environ["PATH"] += ":/usr/games"
RIVALS = os.environ.get("LUDEX_RIVALS", "/tmp/ludex-rivals")
FAIRY = f"{RIVALS}/node_modules/fairy-stockfish-nnue.wasm/uci.js"


def atoms(move):
    """The names in the term of a move: `go(a2, a4)` has go, a2 and a4."""
    return re.findall(r"\w+", move["move"])


class Rival:
    """Another program in a game; the methods are those that a match needs."""

    opening = 2
    counts_points = False

    def drawn(self):
        """Whether the rival takes the game to be drawn where ludex goes on."""
        return False

    def legal(self):
        """The legal moves as the program writes them."""
        raise NotImplementedError

    def result(self):
        """What the program says of the end."""
        return None

    def chance(self, event):
        """Hears of a throw."""

    def close(self):
        """Ends the program."""


class OpenSpiel(Rival):
    """Monte-Carlo tree search of OpenSpiel, with random playouts."""

    def __init__(self, name, simulations, seat):
        import pyspiel
        self.name = name.split("(")[0]
        game = pyspiel.load_game(name)
        self.state = game.new_initial_state()
        judge = pyspiel.RandomRolloutEvaluator(1, 7)
        self.bot = pyspiel.MCTSBot(game, judge, 2.0, simulations, 1000, True, 7, False)

    def text(self, action):
        return self.state.action_to_string(action).lower().strip("*")

    def acts(self, move):
        """The actions of OpenSpiel for a move, as text."""
        head, *names = atoms(move)
        if self.name == "connect_four":
            return [f"{'xo'[self.state.current_player()]}{int(names[0]) - 1}"]
        if self.name == "breakthrough":
            return ["".join(f"{name[0]}{9 - int(name[1:])}" for name in names)]
        if self.name == "othello":
            return ["pass" if head == "pass" else names[0]]
        if self.name == "hex":
            return [names[0]]
        if self.name == "mancala":
            column = ord(names[0][0]) - ord("a")
            return [str(column + 1 if names[0][1] == "1" else 13 - column)]
        if self.name == "checkers":
            return ["".join(pair) for pair in zip(names, names[1:])]
        if self.name == "nine_mens_morris":
            numbers = [POINTS.index(name) for name in names]
            return [f"move {numbers[0]} -> {numbers[1]}" if head == "slide" else f"point {numbers[0]}"]
        if self.name == "amazons":
            side = "xo"[self.state.current_player()]
            spots = [f"({11 - int(name[1:])}, {ord(name[0]) - ord('a') + 1})" for name in names]
            if head == "go":
                return [f"{side} from {spots[0]}", f"{side} to {spots[1]}"]
            return [f"{side} shoot: {spots[0]}"]
        raise ValueError(self.name)

    def key(self, move):
        return tuple(self.acts(move))

    def legal(self):
        found = set()

        def follow(state, mover, path):
            ended = state.is_terminal() or state.current_player() != mover
            if path and (ended or not self.goes_on(path)):
                found.add(tuple(path))
                return
            for action in state.legal_actions():
                after = state.clone()
                after.apply_action(action)
                text = state.action_to_string(action).lower().strip("*")
                follow(after, mover, [*path, text])

        if not self.state.is_terminal():
            follow(self.state, self.state.current_player(), [])
        return found

    def goes_on(self, path):
        """Whether several actions that belong to one move may follow each other."""
        return self.name == "checkers" or self.name == "amazons" and "from" in path[-1]

    def choose(self):
        before, mover, path = self.state.clone(), self.state.current_player(), []
        while not self.state.is_terminal() and self.state.current_player() == mover and (not path or self.goes_on(path)):
            action = self.bot.step(self.state)
            path.append(self.text(action))
            self.state.apply_action(action)
        self.state = before
        return tuple(path)

    def play(self, move):
        for text in self.acts(move):
            action = next(action for action in self.state.legal_actions() if self.text(action) == text)
            self.state.apply_action(action)

    def drawn(self):
        return self.state.is_terminal()

    def result(self):
        return self.state.returns()


POINTS = ["a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4",
          "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1"]


class Uci(Rival):
    """A program that speaks UCI."""

    def __init__(self, command, options, thought):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.thought, self.moves = thought, []
        self.say("uci")
        lines(self.child.stdout, "uciok")
        for name, value in options.items():
            self.say(f"setoption name {name} value {value}")

    def say(self, text):
        print(text, file=self.child.stdin, flush=True)

    def key(self, move):
        head, *names = atoms(move)
        if head == "castle":
            row = "18"[len(self.moves) % 2]
            return f"e{row}{'g' if names[0] == 'king_side' else 'c'}{row}"
        if head == "promote":
            kind = {"knight": "n"}.get(names[2], names[2][0])
            return names[0] + names[1] + kind
        if head == "grow":
            return "P@" + names[0]
        return "".join(names) if names else "0000"

    def legal(self):
        self.say(f"position startpos moves {' '.join(self.moves)}")
        self.say("go perft 1")
        said = lines(self.child.stdout, "Nodes searched")
        return {line.split(":")[0] for line in said if re.match(r"[\w@+]+: 1$", line)}

    def choose(self):
        self.say(f"position startpos moves {' '.join(self.moves)}")
        self.say(f"go movetime {self.thought}")
        return lines(self.child.stdout, "bestmove")[-1].split()[1]

    def play(self, move):
        self.moves.append(self.key(move))

    def close(self):
        self.child.kill()
        self.child.wait()


class Gtp(Rival):
    """A program that speaks the Go text protocol."""

    def __init__(self, command, setup, colours, seat):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.colours, self.ply = colours, 0
        for text in setup:
            self.say(text)

    def say(self, text):
        print(text, file=self.child.stdin, flush=True)
        said = []
        for line in self.child.stdout:
            if not line.strip() and said:
                break
            said.append(line.strip())
        if not said or not said[0].startswith("="):
            raise RuntimeError(f"`{text}`: {said}")
        return said[0][1:].strip()

    def key(self, move):
        head, *names = atoms(move)
        if head == "pass":
            return "PASS"
        return self.point(names[0])

    def point(self, name):
        return name.upper()

    def choose(self):
        wanted = self.say(f"genmove {self.colours[self.ply % 2]}").upper()
        self.say("undo")
        return wanted

    def play(self, move):
        self.say(f"play {self.colours[self.ply % 2]} {self.key(move)}")
        self.ply += 1

    def close(self):
        self.child.kill()
        self.child.wait()


class GnuGo(Gtp):
    """GNU Go on the board of nine by nine, which takes dead stones off before it passes."""

    def __init__(self, level, seat):
        command = ["gnugo", "--mode", "gtp", "--level", str(level), "--boardsize", "9", "--komi", "7.5",
                   "--chinese-rules", "--positional-superko", "--forbid-suicide", "--capture-all-dead", "--never-resign"]
        super().__init__(command, [], ["black", "white"], seat)

    def point(self, name):
        letter = name[0].upper()
        return ("J" if letter == "I" else letter) + name[1:]


class Rhino(Gtp):
    """GRhino at its default level."""

    def __init__(self, seat):
        super().__init__(["gtp-rhino"], [], ["black", "white"], seat)

        self.made = None

    def choose(self):
        # the move stays: taking it back takes back a pass behind it in its place
        self.made = self.say(f"genmove {self.colours[self.ply % 2]}").upper()
        return self.made

    def play(self, move):
        # it passes by itself where a player has no move
        if self.key(move) in ("PASS", self.made):
            self.ply += 1
        else:
            super().play(move)
        self.made = None


class Dame(Rival):
    """dame-rs, draughts of ten by ten."""

    def __init__(self, depth, seat):
        import dame
        self.board, self.engine, self.depth = dame.Board(), dame.Engine(), depth

    def numbers(self, names):
        def number(name):
            row, column = 10 - int(name[1:]), ord(name[0]) - ord("a")
            return row * 5 + column // 2 + 1
        return [str(number(name)) for name in names]

    def key(self, move):
        head, *names = atoms(move)
        return self.board.parse_move(("-" if head == "step" else "x").join(self.numbers(names))).hub()

    def legal(self):
        return {move.hub() for move in self.board.legal_moves}

    def choose(self):
        return self.engine.search(self.board, depth=self.depth).best_move.hub()

    def play(self, move):
        self.board.push(self.board.parse_move(self.key(move)))

    def drawn(self):
        return self.board.outcome() is not None and self.board.outcome().winner is None


class Gnubg(Rival):
    """GNU Backgammon, which looks a number of plies ahead and plays without the cube. A board has the men of the
    two players on each point, seen from its own side: 25 is the bar and 0 what is borne off."""

    opening = 0
    counts_points = True

    def __init__(self, plies, seat):
        start = [{24: 2, 13: 5, 8: 3, 6: 5}.get(point, 0) for point in range(26)]
        self.boards, self.mover, self.dice = [start, start], 0, (0, 0)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.child = subprocess.Popen(["gnubg", "-t", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for text in [f"set evaluation chequerplay evaluation plies {plies}", "set evaluation chequerplay evaluation cubeful off",
                     f"external 127.0.0.1:{port}"]:
            print(text, file=self.child.stdin, flush=True)
        lines(self.child.stdout, "Waiting for a connection")
        self.line = socket.create_connection(("127.0.0.1", port)).makefile("rw")

    def chance(self, event):
        head, *dice = atoms(event)
        self.dice = tuple(int(die) for die in dice)
        if head == "open":
            self.mover = 0 if self.dice[0] > self.dice[1] else 1

    def after(self, steps):
        """The men of the mover and of the other after steps from a point to another."""
        mine, theirs = list(self.boards[self.mover]), list(self.boards[1 - self.mover])
        for start, target in steps:
            mine[start] -= 1
            mine[target] += 1
            if target and theirs[25 - target]:
                theirs[25] += theirs[25 - target]
                theirs[25 - target] = 0
        return tuple(mine), tuple(theirs)

    def steps(self, path):
        """The steps of `24/18*/13`, `bar/20`, `6/off(2)`."""
        found = []
        for turn in path.split():
            turn, _, times = turn.rstrip(")").partition("(")
            stops = [{"bar": 25, "off": 0}.get(stop) if stop in ("bar", "off") else int(stop)
                     for stop in turn.replace("*", "").split("/")]
            found += list(zip(stops, stops[1:])) * int(times or 1)
        return found

    def key(self, move):
        return self.after(self.steps(" ".join(re.findall(r"\w+/\w+", move["move"]))))

    def choose(self):
        mine, theirs = self.boards[self.mover], self.boards[1 - self.mover]
        # the board of the FIBS protocol: the other's men are negative, his bar is 0 and ours 25
        points = [-theirs[25], *(mine[point] - theirs[25 - point] for point in range(1, 25)), mine[25]]
        a, b = self.dice
        print(":".join(str(field) for field in [
            "board:me:you:0:0:0", *points, 1, a, b, a, b, 1, 1, 1, 0, 1, -1, 0, 25,
            mine[0], theirs[0], mine[25], theirs[25], 0, 0, 0, 0]), file=self.line, flush=True)
        return self.after(self.steps(self.line.readline().strip()))

    def play(self, move):
        mine, theirs = self.key(move)
        self.boards[self.mover], self.boards[1 - self.mover] = list(mine), list(theirs)
        self.mover = 1 - self.mover

    def points(self, ludex, at):
        """What the winner of the game gains."""
        told = ludex.ask("query", at=at, goal="measure(points, N)")
        return told["answers"][0]["N"]

    def close(self):
        self.child.kill()
        self.child.wait()


class Version(Rival):
    """Another version of ludex, `OTHER`, with as much time or with as many positions."""

    def __init__(self, game, limit, seat):
        self.ludex = Ludex(os.environ["OTHER"])
        name, options = game
        self.at = self.ludex.ask("open", game=name, options=options)["at"]
        self.limit = limit

    def key(self, move):
        return move["move"]

    def legal(self):
        return {move["move"] for move in self.ludex.ask("moves", at=self.at)["moves"]}

    def choose(self):
        return self.ludex.ask("best", at=self.at, seed=2, **self.limit)["best"]["move"]

    def play(self, move):
        self.ludex.ask("play", at=self.at, move=move["move"])

    def close(self):
        self.ludex.close()


TWELVE = ["chess", "breakthrough", "reversi", "nine_mens_morris", "connect_four", "english_draughts",
          "kalah", "amazons", "lines_of_action", "nerenchi", "hex", "gomoku"]


def version(name):
    return (lambda seat: Version((name, {}), {"seconds": 0.1}, seat)), (name, {}), 0.1


def spiel(simulations):
    def made(name):
        return lambda seat: OpenSpiel(name, simulations, seat)
    seconds = simulations / 10_000
    games = [
        ("connect_four", ("connect_four", {})),
        ("breakthrough", ("breakthrough", {})),
        ("othello", ("reversi", {})),
        ("nine_mens_morris", ("nine_mens_morris", {})),
        ("mancala", ("kalah", {})),
        ("hex(board_size=7)", ("hex", {"width": "7", "height": "7", "swap": "no"})),
        ("checkers", ("english_draughts", {})),
        ("amazons", ("amazons", {})),
    ]
    return [(f"openspiel-{simulations}-{name.split('(')[0]}", (made(name), game, seconds)) for name, game in games]


def stockfish(elo):
    options = {"UCI_LimitStrength": "true", "UCI_Elo": elo, "Threads": 1, "Hash": 16}
    return lambda seat: Uci(["stockfish"], options, 1000)


def fairy(variant):
    command = ["node", "--no-experimental-fetch", FAIRY]
    return lambda seat: Uci(command, {"UCI_Variant": variant, "Use NNUE": "false"}, 500)


LINES = {
    "version": [(f"version-{name}", version(name)) for name in TWELVE],
    "openspiel": spiel(1_000),
    "openspiel10": spiel(10_000),
    "stockfish": [("stockfish-1350", (stockfish(1350), ("chess", {}), 1.0)),
                  ("stockfish-1500", (stockfish(1500), ("chess", {}), 1.0)),
                  ("stockfish-1900", (stockfish(1900), ("chess", {}), 1.0))],
    "fairy": [("fairy-breakthrough", (fairy("breakthrough"), ("breakthrough", {}), 0.5))],
    "rhino": [("rhino", (Rhino, ("reversi", {}), 0.5))],
    "dame": [("dame-8", (lambda seat: Dame(8, seat), ("international_draughts", {}), 1.0))],
    "gnubg": [(f"gnubg-{plies}", (lambda seat, plies=plies: Gnubg(plies, seat), ("backgammon", {}), 0.1)) for plies in (0, 2)],
    "gnugo": [("gnugo-8", (lambda seat: GnuGo(8, seat), ("go", {"size": "9"}), 5.0)),
              ("gnugo-10", (lambda seat: GnuGo(10, seat), ("go", {"size": "9"}), 5.0))],
}
