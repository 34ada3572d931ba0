"""Games on a Dask cluster: the second engine. Imported only by runs with `--cluster`.

connection      Connect to a scheduler, or start a local cluster
dask_engine     The engine, on the coordinator: assign batches, collect results
dispatch        Queues of tasks that are new, returned or quarantined; pure
worker_pool     State of the workers, on the coordinator
archive         Pack a bot's files into one archive, and unpack it
worker_session  Functions that run on a worker: prepare the bots, play batches
game_process    The process beside a worker that plays one game at a time
"""
