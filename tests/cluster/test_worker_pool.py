"""Cores of the workers of a cluster, without a cluster."""

from referee.cluster.worker_pool import ClusterWorker, WorkerPool, WorkerState
from referee.cluster.worker_session import WorkerInfo


def add_worker(pool: WorkerPool, name: str, machine: str, cores: tuple[int, ...]) -> ClusterWorker:
    """Add a worker on that machine."""
    info = WorkerInfo(name, machine, cores, frozenset())
    added = pool.workers[name] = ClusterWorker(name, state=WorkerState.PREPARED, info=info)
    pool.accept_or_reject(added, frozenset())
    return added


def test_pool_reserves_one_core_for_each_worker_of_a_machine() -> None:
    """Also where each may use only some of them; other machines do not matter."""
    pool = WorkerPool(pin=True)
    first = add_worker(pool, "a", "one", (0, 2))
    second = add_worker(pool, "b", "one", (0, 2))
    other = add_worker(pool, "c", "two", (0,))
    assert [pool.core_of(worker) for worker in (first, second, other)] == [0, 2, 0]
    del pool.workers["a"]
    assert pool.core_of(add_worker(pool, "d", "one", (0, 2))) == 0


def test_pool_pins_no_worker_of_a_machine_with_too_few_cores() -> None:
    """The kernel places their games; the same without `pin`."""
    pool = WorkerPool(pin=True)
    workers = [add_worker(pool, name, "one", (4,)) for name in ("a", "b")]
    assert [pool.core_of(worker) for worker in workers] == [None, None]
    assert pool.core_of(add_worker(WorkerPool(pin=False), "a", "one", (4,))) is None
