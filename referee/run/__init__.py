"""Play a tournament: engines, worker processes, progress and results; analyse its games.

An engine takes tasks (the fixtures of one encounter) and emits events. The arena draws tasks from
the schedule, gives them to an engine and stores what it emits.

engine          Engine: the interface of all engines
events          Events that an engine emits: games started, finished or void
arena           Play the fixtures that have no record, and store each game as it ends
local_engine    Engine on worker processes of this machine
human_engine    Engine on this process, for games in which a person plays
worker          Play games one after the other, with bots that stay alive between them
game_process    Process that plays the games of a worker of a cluster
preparation     Build and isolate the bots of a tournament, and check that they start
build           Run the build command of a bot
live_feed       Positions of running games, sent to the servers that watch a folder
live_table      Table of the live display: standings, ratings, bars of their intervals
progress        Progress on a terminal or as lines
write_results   Write the tables and the report of a tournament

analysis        Analyse the recorded games that have no analysis
analysis_pool   Worker processes that analyse games
analysis_task   The analysis of one game, as a task for another process
count_progress  Progress of work on many games
"""
