#!/usr/bin/env python3
"""Makes the tables of README.md of the results."""

import json
import math
import pathlib
import statistics

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "results"
DATES = json.loads((RESULTS / "dates.json").read_text())


def interval(points, games):
    """The interval of 95 % of a share (Wilson), in percent."""
    z, share = 1.96, points / games
    middle = (share + z * z / 2 / games) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / 4 / games / games) / (1 + z * z / games)
    return 100 * max(0, middle - half), 100 * min(1, middle + half)


def elo(share):
    """The difference in Elo of a share of the points."""
    return "" if share in (0, 1) else f"{round(-400 * math.log10(1 / share - 1)):+}"


def gains(file):
    return [gain for _, gain, _ in json.loads(file.read_text())["games"]]


def rows(pattern):
    """The matches with names of this form, each with its gains."""
    return [(file.stem, gains(file)) for file in sorted(RESULTS.glob(pattern)) if file.name != "dates.json"]


def row(label, all_gains, date):
    games, points = len(all_gains), sum(all_gains)
    low, high = interval(points, games)
    won, drawn = all_gains.count(1), all_gains.count(0.5)
    return (f"| {label} | {games} | {won} | {drawn} | {games - won - drawn} | {100 * points / games:.0f} | "
            f"{low:.0f} to {high:.0f} | {elo(points / games)} | {date} |")


HEAD = ("| match | games | won | drawn | lost | points, % | with 95 % | Elo | date |\n"
        "|---|---|---|---|---|---|---|---|---|")


def rivals():
    known = [(name, all_gains) for name, all_gains in rows("*.json")
             if name.split("-")[0] not in ("random", "greedy", "positions", "levels", "gnubg")]
    return [HEAD] + [row(name, all_gains, DATES.get(name, "")) for name, all_gains in known if all_gains]


def points():
    """The matches that are counted in points: the mean of a game, with its interval of 95 %."""
    lines = ["| match | games | won | points a game | with 95 % | date |", "|---|---|---|---|---|---|"]
    for name, all_gains in rows("gnubg-*.json"):
        games, mean = len(all_gains), statistics.fmean(all_gains)
        half = 1.96 * statistics.pstdev(all_gains) / math.sqrt(games)
        won = sum(gain > 0 for gain in all_gains)
        lines.append(f"| {name} | {games} | {won} | {mean:+.2f} | {mean - half:+.2f} to {mean + half:+.2f} | {DATES.get(name, '')} |")
    return lines


def against(kind, wanted):
    """What all games together say, and those below what is wanted."""
    known = [(name, all_gains) for name, all_gains in rows(f"{kind}-*.json") if all_gains]
    if not known:
        return []
    every = [gain for _, all_gains in known for gain in all_gains]
    date = max(DATES.get(name, "") for name, _ in known)
    short = [(name, g) for name, g in known if 100 * sum(g) / len(g) < wanted]
    return [HEAD, row(f"all {len(known)} games", every, date),
            *(row(name, g, DATES.get(name, "")) for name, g in short), "",
            f"{len(known) - len(short)} of {len(known)} games reach {wanted} %; the others are the rows below the first."]


def levels():
    """What each level gains against the one below, and the games in which it is not stronger for certain or even weaker."""
    lines = ["| level | games | points, % | with 95 % | Elo | at least 60 % in | certainly less in |", "|---|---|---|---|---|---|---|"]
    for level in range(2, 11):
        begin = f"levels-{level}-"
        known = [(name.removeprefix(begin), all_gains) for name, all_gains in rows(f"{begin}*.json") if all_gains]
        if not known:
            continue
        every = [gain for _, all_gains in known for gain in all_gains]
        low, high = interval(sum(every), len(every))
        reached = sum(sum(g) >= 0.6 * len(g) for _, g in known)
        below = [name for name, g in known if interval(sum(g), len(g))[1] < 60]
        lines.append(f"| {level} | {len(every)} | {100 * sum(every) / len(every):.0f} | {low:.0f} to {high:.0f} | {elo(sum(every) / len(every))} | "
                     f"{reached} of {len(known)} | {', '.join(below)} |")
    return lines


def main():
    readme = HERE / "README.md"
    text = readme.read_text()
    for name, lines in [("rivals", rivals()), ("points", points()), ("random", against("random", 98)), ("greedy", against("greedy", 90)),
                        ("positions", against("positions", 90)),
                        ("levels", levels())]:
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        head, rest = text.split(begin)
        text = head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    readme.write_text(text)


if __name__ == "__main__":
    main()
