"""The live arena: a web server that shows tournaments while they are played, and offers games.

The server only reads results folders. It runs at a lower priority than the players.

- `results_folders`: results folders below the given ones, by a name for addresses
- `feed`: a results folder that is read as it grows
- `live_socket`: positions of running games, received from the workers
- `snapshot`: standings, progress and news of a tournament as JSON values
- `tournament_state`: what viewers see of one tournament, updated from its folder
- `event_hub`: events for many viewers, with bounded queues
- `watcher`: one tournament of the server: its state, live positions and events
- `browser_seat`: a person in a browser as a player
- `table_process`: program that plays one game of a visitor
- `table`: one game of a visitor: its process, its state, the moves of the person
- `visitor_records`: records of the games of visitors, and a scoreboard
- `tables`: all games of visitors: requests, limits and records
- `request_guard`: checks of hosts, origins, tokens, sizes and rates of requests
- `pages`: HTML pages, their script and their style
- `event_stream`: answer of a request for events
- `site`: what a server shows and offers, from the arguments of a command
- `app`: addresses and their answers
- `server`: the server process, from its socket to its end
"""
