"""Games on a Dask cluster: the second engine. Imported only when somebody asks for it.

connect.py   finds the scheduler, or starts one here
engine.py    the coordinator's side: who plays what, and what becomes of it
crew.py      the workers as the coordinator knows them
packing.py   a bot's files as one archive that travels
station.py   a worker's side: makes bots ready, hands games to its player
player.py    the process beside a worker that plays: one game at a time, on a core of its own
"""
