"""Chess by python-chess: random games as PGN, and what it reads in ours.

    chess_games.py random SEED COUNT FILE   writes games with comments, variations and glyphs; prints their last FENs
    chess_games.py read FILE                prints for each game its last FEN and its moves in SAN
    chess_games.py san                      for each FEN on the standard input, its legal moves in SAN
    chess_games.py positions VARIANT SEED COUNT
                                            prints positions of random games: the FEN (in Chess960 with the columns of
                                            the rooks), the FEN as most programs write it, and the legal moves in SAN
"""

import random
import sys

import chess
import chess.pgn
import chess.variant


def fen(board):
    if board.chess960:
        return board.shredder_fen(en_passant="legal")
    # as the rules have it: the square is told where a pawn stands ready to capture there
    return board.fen(en_passant="xfen")


def san(board):
    return " ".join(sorted(board.san(move) for move in board.legal_moves))


def positions(variant, lots, count):
    for _ in range(count):
        if variant == "chess960":
            board = chess.Board.from_chess960_pos(lots.randrange(960))
        else:
            board = chess.variant.find_variant(variant)()
        for _ in range(lots.randrange(120)):
            moves = list(board.legal_moves)
            # captures, castling, promotion and drops are rare at random
            rare = [m for m in moves if m.promotion or m.drop or board.is_castling(m) or board.is_capture(m)]
            if not moves or board.is_insufficient_material():
                break
            board.push(lots.choice(rare if rare and lots.random() < 0.3 else moves))
        first = board.shredder_fen(en_passant="legal") if board.chess960 else board.fen(en_passant="legal")
        print(first, board.fen(en_passant="legal"), san(board), sep="\t")


def random_game(lots):
    board = chess.Board()
    game = chess.pgn.Game()
    game.headers["White"] = "Ann"
    node = game
    for _ in range(lots.randrange(1, 120)):
        if board.is_game_over(claim_draw=True):
            break
        moves = list(board.legal_moves)
        # captures, promotions and castling are rare at random
        rare = [m for m in moves if board.is_capture(m) or m.promotion or board.is_castling(m)]
        move = lots.choice(rare if rare and lots.random() < 0.4 else moves)
        child = node.add_variation(move)
        if lots.random() < 0.1:
            child.comment = "well; (so) } so".replace("}", "]")
        if lots.random() < 0.1:
            child.nags.add(lots.choice([1, 2, 6, 146]))
        other = lots.choice(moves)
        if lots.random() < 0.1 and other != move:
            node.add_variation(other).comment = "or this"
        board.push(move)
        node = child
    game.headers["Result"] = board.result() if board.is_game_over() else "*"
    return game, board


def main():
    command = sys.argv[1]
    if command == "random":
        lots = random.Random(int(sys.argv[2]))
        with open(sys.argv[4], "w") as file:
            for _ in range(int(sys.argv[3])):
                game, board = random_game(lots)
                print(game, file=file, end="\n\n")
                print(fen(board))
    elif command == "read":
        with open(sys.argv[2]) as file:
            while (game := chess.pgn.read_game(file)) is not None:
                if game.errors:
                    sys.exit(f"errors: {game.errors}")
                board = game.board()
                words = []
                for move in game.mainline_moves():
                    words.append(board.san(move))
                    board.push(move)
                print(fen(board))
                print(" ".join(words))
    elif command == "san":
        for line in sys.stdin:
            board = chess.Board(line.strip())
            print(san(board))
    elif command == "positions":
        positions(sys.argv[2], random.Random(int(sys.argv[3])), int(sys.argv[4]))


main()
