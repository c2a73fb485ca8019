"""Variants of chess by Fairy-Stockfish: random games as PGN, and what it reads in ours.

    fairy_games.py random VARIANT SEED COUNT FILE   writes games; prints the board and the turn at their ends
    fairy_games.py read VARIANT FILE                prints the board and the turn at the end of a game
    fairy_games.py san VARIANT                      for each FEN on the standard input, its legal moves in SAN
"""

import random
import re
import sys

import pyffish


def told(fen):
    return " ".join(fen.split()[:2])


def named(variant, fen, word):
    """The move that SAN names. Only moves to its square are asked for their names, which takes long."""
    square = re.findall("[a-h][1-8]", word)[-1]
    moves = [move for move in pyffish.legal_moves(variant, fen, []) if move[2:4] == square]
    return next(move for move in moves if pyffish.get_san(variant, fen, move) == word)


def main():
    command, variant = sys.argv[1:3]
    fen = start = pyffish.start_fen(variant)
    if command == "random":
        lots = random.Random(int(sys.argv[3]))
        with open(sys.argv[5], "w") as file:
            for _ in range(int(sys.argv[4])):
                fen, words = start, []
                for ply in range(lots.randrange(10, 100)):
                    moves = pyffish.legal_moves(variant, fen, [])
                    if not moves:
                        break
                    if lots.random() < 0.2:
                        # captures lead to endings
                        moves = [move for move in moves if pyffish.is_capture(variant, fen, [], move)] or moves
                    move = lots.choice(moves)
                    word = pyffish.get_san(variant, fen, move)
                    words.append(f"{ply // 2 + 1}. {word}" if ply % 2 == 0 else word)
                    fen = pyffish.get_fen(variant, fen, [move])
                print(f'[Variant "{variant.capitalize()}"]\n', " ".join(words) + " *\n", sep="\n", file=file)
                print(told(fen))
    elif command == "read":
        with open(sys.argv[3]) as file:
            text = file.read().split("\n\n")[1]
        for word in text.split():
            if not word.endswith(".") and word not in ("1-0", "0-1", "1/2-1/2", "*"):
                fen = pyffish.get_fen(variant, fen, [named(variant, fen, word)])
        print(told(fen))
    elif command == "san":
        for line in sys.stdin:
            fen = line.strip()
            moves = pyffish.legal_moves(variant, fen, [])
            print(" ".join(sorted(pyffish.get_san(variant, fen, move) for move in moves)))


main()
