#!/usr/bin/env python3
"""What a position costs the search, and what it costs to make a move in a count of moves (`ludex perft --no-bulk`),
in nanoseconds of processor time."""

import os
import pathlib
import resource
import subprocess

ROOT = pathlib.Path(__file__).parent.parent.parent
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
GAMES = [("chess", 4), ("breakthrough", 5), ("nine_mens_morris", 5), ("kalah", 9)]
FEW, MANY = 1_000, 401_000


def taken(*arguments):
    """The processor time of a command in seconds, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    said = subprocess.run([LUDEX, *arguments], capture_output=True, text=True, check=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, said


def main():
    print("| game | a move of `perft --no-bulk`, ns | a position of `alphabeta`, ns | ratio |\n|---|---|---|---|")
    for game, depth in GAMES:
        start, _ = taken("perft", game, "1", "--no-bulk")
        whole, said = taken("perft", game, str(depth), "--no-bulk")
        leaf = (whole - start) / int(said.split()[-1]) * 1e9
        start, _ = taken("analyse", game, "--player", "alphabeta", "--lines", "1", "--nodes", str(FEW))
        whole, _ = taken("analyse", game, "--player", "alphabeta", "--lines", "1", "--nodes", str(MANY))
        node = (whole - start) / (MANY - FEW) * 1e9
        print(f"| {game} | {leaf:.0f} | {node:.0f} | {node / leaf:.1f} |", flush=True)


if __name__ == "__main__":
    main()
