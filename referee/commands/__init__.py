"""The commands of the command line, and the options that they share.

The module of a command has `add_arguments`, `run`, and its help text as docstring.

analyse          Prove who wins at every ply of recorded games
check            Check whether a bot follows the protocol
compare          Play two versions of a bot until a sequential test has decided
doctor           Show what this machine offers
games            List the ids of recorded games
human            Adapter that lets a person play as a bot
new              Make a starter bot
play             Play one game
position         Show a position
puzzles          Find positions with one winning move
replay           Step through a recorded game
report           Write the HTML report
run              Play a tournament
schema           Print the JSON Schema of the tournament file
serve            Show tournaments in a browser, and let visitors play
share            Write one game as a page or a picture
standings        Print the tables of a tournament
turn             Print the lines that a bot was sent
variants         List the games, or print the rules of one

cluster_options  Options of a run on a Dask cluster
engine_factory   Engines on this machine or a cluster, with all bots prepared
game_folder      The games of a results folder, to step through them
game_pages       A recorded game as pages
next_steps       Commands that are suggested after a run
parser           Argument parser whose errors are one sentence
play_browser     `play --browser`: a person plays in a browser
replay_screen    The screen of `replay`, redrawn in place
results_folder   Options and functions that read a results folder
sandbox_options  `--sandbox`, and isolation of a bot given by its command
serving          Address of a web server as a link, and in a browser
size_options     `--rows` and `--cols`
solution         The solution of a position as text and JSON
solver_options   `--nodes` and `--budget`
terminal         Width and encoding of the terminal, and lines on standard error
tournament       A run from its file to its tables
"""
