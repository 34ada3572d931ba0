"""Play a tournament: engines, worker processes, progress and results.

An engine takes tasks (the fixtures of one encounter) and emits events. The arena draws tasks from
the schedule, gives them to an engine and stores what it emits.

engine         Engine: the interface of all engines
events         Events that an engine emits: games started, finished or void
arena          Play the fixtures that have no record, and store each game as it ends
local_engine   Engine on worker processes of this machine
human_engine   Engine on this process, for games in which a person plays
worker         Play games one after the other, with bots that stay alive between them
preparation    Build and isolate the bots of a tournament, and check that they start
build          Run the build command of a bot
progress       Progress on a terminal or as lines
write_results  Write the tables and the report of a tournament
"""
