#!/usr/bin/env python3
"""Measures how strong the computer plays, in pieces that go on where they were stopped.

    python3 benches/strength/run.py LINE [--games N] [--minutes M] [WORD ...]

plays the games of a line up to N of each of its matches, those with one of the words in their names. A match
is a file in results/, written after each game. `table.py` makes the tables of README.md of them.

`LUDEX` is the program; by default target/release/ludex.
"""

import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results"
DATES = RESULTS / "dates.json"
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))


def shipped(players):
    """The names of the shipped games for this number of players."""
    told = subprocess.run([LUDEX, "games", "--players", str(players), "--json"], capture_output=True, text=True, check=True)
    return [game["name"] for game in json.loads(told.stdout)]


def tournaments(line):
    """The matches of a line that `ludex tournament` plays: a name and its arguments for each."""
    if line in ("random", "greedy"):
        return [(f"{line}-{game}", [game, "--players", f"auto,{line}", "--time", "0.1"]) for game in shipped(2)]
    if line == "positions":
        return [(f"positions-{game}", [game, "--players", "auto,greedy", "--nodes", "20000"]) for game in shipped(2)]
    if line == "levels":
        pairs = [(level, level - 1) for level in range(2, 11)]
        # the cheap levels of all games come first
        return [(f"levels-{a}-{game}", [game, "--strength", f"{a},{b}"]) for a, b in pairs for game in shipped(2)]
    return None


def dated(name):
    """Notes on which day a match was played last."""
    dates = json.loads(DATES.read_text()) if DATES.exists() else {}
    dates[name] = datetime.date.today().isoformat()
    DATES.write_text(json.dumps(dates, indent=0, sort_keys=True) + "\n")


def played(file):
    return len(json.loads(file.read_text())["games"]) if file.exists() else 0


def play_tournament(name, arguments, games, until):
    """Plays games of a match until there are so many of them, or until the time is over."""
    file = RESULTS / f"{name}.json"
    if played(file) >= games:
        return
    command = [LUDEX, "tournament", *arguments, "--threads", "1", "--games", str(games), "--file", str(file)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        said, _ = child.communicate(timeout=max(1, until - time.time()))
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate()
    if played(file):
        dated(name)
    print(f"{name}: {said.splitlines()[0] if said else 'failed'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10_000)
    asked = parser.parse_args()
    until = time.time() + asked.minutes * 60
    RESULTS.mkdir(exist_ok=True)
    matches = tournaments(asked.line)
    play = play_tournament
    if matches is None:
        from rivals import matches_of, play_rival
        matches, play = matches_of(asked.line), play_rival
    if matches is None:
        sys.exit(f"there is no line `{asked.line}`")
    for name, arguments in matches:
        if time.time() < until and (not asked.words or any(word in name for word in asked.words)):
            play(name, arguments, asked.games, until)


if __name__ == "__main__":
    main()
