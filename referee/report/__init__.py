"""The HTML report: one file that shows a whole tournament, computed from its records.

The records are read once, reduced to what a page can hold, and written into a template together
with the scripts and the style sheets of this folder. Single games and puzzles are written as pages
of their own. No page loads anything from a network.

collect         Data of the page, collected in one pass over the records
selection       Which games a page contains, within a bound
analyses        Winner at each ply of a game, and errors per bot
encoding        Moves and thinking times as short strings
tables          Standings, crosstable and ratings, for all games and for each board
rounds          Rounds of a Swiss tournament, and the bracket of a knockout
bot_pages       Results, times and faults of each bot
score_history   Points of each bot over its games, at a bounded number of points
number_history  Numbers that bots sent, as means over their games
board_diffs     Boards of games whose rules the page's script does not contain
dossiers        Dossiers of faulted games, shortened
rules_pages     Pages of rules, for the page and for `referee variants`
header          Summary, settings and warnings at the top of the page
page_data       Everything above as one JSON object
page            The HTML file from its template, style and scripts
write           From a ledger and collected games to report.html

shared_game     One recorded game as a page or a picture of its own
svg_game        A whole game as one animated SVG
svg_board       Marks of a board as SVG
puzzle_page     Positions with one winning move, to be solved

js, css         The scripts and style sheets of the pages
"""
