"""The live arena: a web server that shows tournaments while they are played, and offers games.

The server only reads results folders. It runs at a lower priority than the players.

results_folders   Results folders below the given ones, by a name for addresses
feed              A results folder that is read as it grows
live_socket       Positions of running games, received from the workers
snapshot          Standings, progress and news of a tournament as JSON values
tournament_state  State of one tournament for its viewers, updated from its folder
event_hub         Events for many viewers, with bounded queues
event_stream      Answer of a request for events
watcher           One tournament of the server: its state, live positions and events

browser_seat      A person in a browser as a player
tournament_seat   Seats of people in a tournament that is being run
table             One game of a person in a browser: its state, events and moves
table_process     Program that plays one game of a visitor
visitor_table     A table whose game has a process of its own
visitor_records   Records of the games of visitors, and a scoreboard
tables            All games of visitors: requests, limits and records

request_guard     Checks of hosts, origins, tokens, sizes and rates of requests
pages             HTML pages, their script and their style
site              Content of a server, from the arguments of a command
app               LiveArena: addresses and their answers
listener          The socket of a server, and its address
server            The server process, from its socket to its end
run_server        Program that serves the results folder of a run
"""
