#!/usr/bin/env python3
"""Solves games whose values are published, and writes the table of README.md.

    python3 benches/solve/table.py [WORD ...]

solves the games with these words in their names, or all of them, with the program in target/release. A row
that is not measured again stays as it is. Fails where a value is not the published one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
RULES = "tests/solve"

# the corners of two squares of a board of merels, one for each player
MEN = [("a1", "b2"), ("a7", "b6"), ("g1", "f2"), ("g7", "f6")]
MOVING = "phase:=moving,hand(white):=0,hand(black):=0"


def endgame(game, men, rest):
    """The arguments that solve all arrangements of these men, with the rest of the state."""
    placed = "".join(f"at({a}):=white,at({b}):=black," for a, b in men)
    return f"{game} --arrangements --given [{placed}{rest}]"


# the name of a row, the arguments of `ludex solve`, the published value for the player to move and the published
# number of positions, each where there is one
ROWS = [
    ("Tic-tac-toe", "tic_tac_toe --no-symmetry", "draw", 5478),
    ("Tic-tac-toe, symmetries", "tic_tac_toe", "draw", 765),
    ("Mu Torere", "mu_torere", "draw", None),
    ("Pong Hau K'i", "pong_hau_ki", "draw", None),
    ("Three Men's Morris", "three_mens_morris", "wins", None),
    ("Tapatan", "tapatan", "wins", None),
    ("Achi", "achi", "wins", None),
    ("Nine Holes", "nine_holes", "draw", None),
    ("Picaria", "picaria", "draw", None),
    ("Hexapawn 3×3", f"{RULES}/hexapawn.ludex", "loses", None),
    ("Dodgem 3×3", f"{RULES}/dodgem.ludex", "wins", None),
    ("Six Men's Morris, symmetries", "six_mens_morris", "draw", None),
    ("Six Men's Morris", "six_mens_morris -o removal=same_move --no-symmetry", "draw", 42_372_745),
    ("Six Men's Morris with flying", "six_mens_morris -o flying=yes -o removal=same_move --no-symmetry", "draw", 42_383_945),
    ("Nine Men's Morris, 3 men each", endgame("nine_mens_morris", MEN[:3], "hand(white):=0,hand(black):=0"), None, None),
    ("Nine Men's Morris, 4 men each", endgame("nine_mens_morris", MEN, "hand(white):=0,hand(black):=0"), None, None),
    ("Nerenchi, moving, 3 counters each", endgame("nerenchi", MEN[:3], MOVING), None, None),
    ("Nerenchi, moving, 4 counters each", endgame("nerenchi", MEN, MOVING), None, None),
    ("Kei-Yen, 4 Yen", "kei_yen -o repetition=draw -o yen_to_block=1 --arrangements "
     "--given [set(kei(a3)),set(kei(e3)),yen(b2):=1,yen(b4):=1,yen(d2):=1,yen(d4):=1]", None, None),
    ("Hex 3×3", "hex -o width=3 -o height=3 -o swap=no", "wins", None),
    ("Hex 4×4", "hex -o width=4 -o height=4 -o swap=no", "wins", None),
    ("Hex 5×5", "hex -o width=5 -o height=5 -o swap=no --method search", "wins", None),
    ("Connect Four 4×4, all positions", "connect_four -o columns=4 -o rows=4 --no-symmetry", "draw", 161_029),
    ("Connect Four 4×4", "connect_four -o columns=4 -o rows=4 --method search", "draw", None),
    ("Connect Four 5×4", "connect_four -o columns=5 -o rows=4 --method search", "draw", None),
    ("Connect Four 5×5", "connect_four -o columns=5 -o rows=5 --method search", "draw", None),
    ("Connect Four 6×5", "connect_four -o columns=6 -o rows=5 --method search", "draw", None),
    ("Othello 4×4", "reversi -o width=4 -o height=4 --method search --margin", "loses with 8 points less", None),
    ("Breakthrough 5×4", "breakthrough -o width=5 -o height=4 --method search", "loses", None),
    ("Kalah (4,3)", "kalah -o cups=4 -o stones_per_cup=3 -o leftover=owner --method search", "wins", None),
    ("Kalah (5,3)", "kalah -o cups=5 -o stones_per_cup=3 -o leftover=owner --method search", "wins", None),
    ("Kalah (6,3)", "kalah -o cups=6 -o stones_per_cup=3 -o leftover=owner --method search", "wins", None),
]


def measured(arguments):
    """What `ludex solve` says, with its memory in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [LUDEX, "solve", *arguments.split(), "--no-store", "--json"]
        child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "XDG_STATE_HOME": folder},
                                 stdout=subprocess.PIPE, text=True)
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"`{' '.join(command)}` failed")
    return {**json.loads(said), "memory": usage.ru_maxrss / 1024}


def row(name, arguments, value, positions):
    found = measured(arguments)
    base = re.sub(r" in \d+ pl(y|ies)$", "", found["value"])
    if value is not None and base != value:
        sys.exit(f"{name}: found `{found['value']}`, published is `{value}`")
    if positions is not None and found["positions"] != positions:
        sys.exit(f"{name}: found {found['positions']} positions, published are {positions}")
    count, seconds = found["positions"], max(found["seconds"], 0.01)
    bytes_each = f"{found['bytes'] / count:.1f}" if found.get("bytes") else ""
    known = "" if positions is None else f"{positions:,}"
    return (f"| {name} | `{arguments}` | {found['value']} | {known} | {count:,} | {seconds:,.2f} | "
            f"{found['memory']:,.0f} | {count / seconds:,.0f} | {bytes_each} |")


def main():
    readme = HERE / "README.md"
    text = readme.read_text()
    begin, end = "<!-- table -->\n", "<!-- end of table -->"
    head, rest = text.split(begin)
    old, tail = rest.split(end)
    kept = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ")}
    heading = ("| game | arguments | value | published positions | positions | seconds | MB | positions/s | bytes/position |\n"
               "|---|---|---|---|---|---|---|---|---|\n")
    words = sys.argv[1:]
    for name, *rest in ROWS:
        if not words or any(word.lower() in name.lower() for word in words):
            kept[name] = row(name, *rest)
            print(kept[name], flush=True)
            rows = [kept[name] for name, *_ in ROWS if name in kept]
            readme.write_text(head + begin + heading + "\n".join(rows) + "\n" + end + tail)


if __name__ == "__main__":
    main()
