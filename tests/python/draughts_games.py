"""Draughts by pydraughts: random games as PDN, and what it reads in ours.

    draughts_games.py random VARIANT SEED COUNT FILE   writes games; prints their last FENs
    draughts_games.py read VARIANT FILE                prints the last FEN of each game
"""

import os
import random
import sys
import warnings

warnings.simplefilter("ignore")

from draughts import Board, Move  # noqa: E402
from draughts.PDN import PDNReader, PDNWriter  # noqa: E402


def main():
    command, variant = sys.argv[1:3]
    if command == "random":
        lots = random.Random(int(sys.argv[3]))
        count, path = int(sys.argv[4]), sys.argv[5]
        if os.path.exists(path):
            os.remove(path)
        for _ in range(count):
            board = Board(variant)
            for _ in range(lots.randrange(2, 60)):
                moves = board.legal_moves()
                if not moves or board.is_over():
                    break
                # pydraughts lets kings of Turkish draughts pass over their own pieces
                if variant == "turkish" and "K" in board.fen:
                    break
                board.push(lots.choice(moves))
            PDNWriter(path, board)
            print(board.fen)
    elif command == "read":
        for game in PDNReader(filename=sys.argv[3]).games:
            board = Board(variant, game.tags["FEN"]) if "FEN" in game.tags else Board(variant)
            for word in game.moves:
                board.push(Move(board, pdn_move=word))
            print(board.fen)


main()
