"""Go by sgfmill: random moves as SGF, and what it reads in ours.

    go_games.py random SIZE SEED FILE   writes a game; prints the points of its stones
    go_games.py set-up SIZE SEED FILE   the same, with stones that stand there before the first move
    go_games.py read FILE               prints size and komi, and the points of the stones after the game
"""

import random
import sys

from sgfmill import boards, sgf, sgf_moves


def name(row, column):
    return "abcdefghijklmnopqrstuvwxyz"[column] + str(row + 1)


def told(board):
    stones = sorted((name(row, column), colour) for colour, (row, column) in board.list_occupied_points())
    return " ".join(f"{point}{colour}" for point, colour in stones)


def main():
    command = sys.argv[1]
    if command in ("random", "set-up"):
        size, lots = int(sys.argv[2]), random.Random(int(sys.argv[3]))
        game = sgf.Sgf_game(size)
        game.root.set("KM", 6.5)
        board, seen = boards.Board(size), set()
        colour = "b"
        if command == "set-up":
            points = lots.sample([(r, c) for r in range(size) for c in range(size)], 8)
            # five black stones and one white one at least, which all have liberties on these boards
            board.apply_setup(points[:5], points[5:], [])
            colour = lots.choice("bw")
            game.root.set_setup_stones(points[:5], points[5:])
            if lots.random() < 0.5:
                game.root.set("PL", colour)
        for _ in range(60):
            points = [(r, c) for r in range(size) for c in range(size) if board.get(r, c) is None]
            move = None
            for row, column in lots.sample(points, len(points)):
                after = board.copy()
                after.play(row, column, colour)
                # neither suicide nor a board that was there before
                if after.get(row, column) == colour and told(after) not in seen:
                    move, board = (row, column), after
                    break
            if move is None:
                break
            seen.add(told(board))
            node = game.extend_main_sequence()
            node.set_move(colour, move)
            if lots.random() < 0.2:
                node.set("C", "a ] \\ remark")
            colour = "w" if colour == "b" else "b"
        with open(sys.argv[4], "wb") as file:
            file.write(game.serialise())
        print(told(board))
    elif command == "read":
        with open(sys.argv[2], "rb") as file:
            game = sgf.Sgf_game.from_bytes(file.read())
        print(game.get_size(), game.get_komi())
        board, plays = sgf_moves.get_setup_and_moves(game)
        for colour, move in plays:
            if move is not None:
                board.play(move[0], move[1], colour)
        print(told(board))


main()
