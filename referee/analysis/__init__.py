"""Perfect play: what can be proven about a position, and about the games that were played. Pure.

verdict         Values of positions and moves, and how they combine
solver          Solver: a position in, a verdict out
methods         The search that fits a game, chosen by its rules
node_kayles     lockdown and crossfire: Grundy values of connected components
snort           standoff: negamax on contested cells
barricade       barricade: negamax
runner          runner: a win within d plies, whatever the history of the game
negamax         Any other game, through the methods of Rules
game_analysis   Every position of a game; decisions and errors
puzzles         Positions with one winning move, and what the wrong moves lead to
sentences       Sentences about analysed positions
bot_summary     Decisions and errors of each bot, and values of openings
budget          Nodes that may be visited, and a condition of the caller
position_table  Table of proven results, of fixed size
bitset          Sets of cells as machine words
"""
