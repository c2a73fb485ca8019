"""Hus, written without the rule file: seed by seed, on two rings of holes.

    sowing_games.py perft HOLES CAPTURE DEPTH [SEEDS]

prints how many sequences of so many moves there are. CAPTURE is `inner` or `both`. A ring begins at the left end of its
owner's outer row; SEEDS are the numbers in both, south's first, with commas between them.
"""

import sys


def play(rings, me, start, holes, capture):
    """The rings after a move; None where none begins here."""
    rings = [list(ring) for ring in rings]
    mine, theirs = rings[me], rings[1 - me]
    size = 2 * holes
    if mine[start] < 2:
        return None
    hand, mine[start], at = mine[start], 0, start
    for lap in range(1, 101):
        while hand:
            at = (at + 1) % size
            mine[at] += 1
            hand -= 1
        if mine[at] == 1 or lap == 100:
            return rings
        # the inner row is the second half of a ring; the players count it from opposite ends
        front = size - 1 - (at - holes) if at >= holes else None
        back = None if front is None else size - 1 - front
        if front is not None and theirs[front] and (capture == "inner" or theirs[back]):
            hand, theirs[front], theirs[back] = theirs[front] + theirs[back], 0, 0
        else:
            hand, mine[at] = mine[at], 0
    return None



def count(rings, me, depth, holes, capture, seen):
    # a position that comes for the third time is the end
    if depth == 0:
        return 1
    if seen.count((rings, me)) >= 2:
        return 0
    total = 0
    for start in range(2 * holes):
        after = play(rings, me, start, holes, capture)
        if after:
            total += count(after, 1 - me, depth - 1, holes, capture, seen + [(rings, me)])
    return total


def main():
    holes, capture, depth = int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    ring = [2] * (holes + holes // 2) + [0] * (holes // 2)
    rings = [ring, list(ring)]
    if len(sys.argv) > 5:
        seeds = [int(number) for number in sys.argv[5].split(",")]
        rings = [seeds[: 2 * holes], seeds[2 * holes :]]
    print(count(rings, 0, depth, holes, capture, []))


main()
