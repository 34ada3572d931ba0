"""Games and analyses on a Dask cluster. Imported only if a command has `--cluster`.

connection      Connect to a scheduler, or start a local cluster
task_client     Shared by games and analyses: submit tasks, handle results and workers
dask_engine     The engine, on the coordinator: assign batches, collect results
dispatch        Selection of the next batch of a worker; quarantine; pure
worker_pool     State of the workers, on the coordinator
analysis        Analyse games: each is one task of Dask
worker_session  Functions that run on a worker: prepare the bots, play batches
"""
