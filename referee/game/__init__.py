"""One game between two players, from the first `game` line to `end`.

The only place where a fault of a bot becomes an outcome. An exception that leaves `play_game` is a
failure of the referee or of its environment: the game is void, and no bot loses by it.

config     GameConfig and GameSetup: rules, clocks, opening, seed
handshake  Both players get ready, at the same time
latency    LatencyMeter: the time that the referee itself takes
loop       play_game: the turns, and the outcome
result     PlayedGame: moves, times, faults, transcript
diagnosis  A fault with what its author needs to find the cause
hints      Likely causes of faults
dossier    Faults and transcript of a game as text
"""
