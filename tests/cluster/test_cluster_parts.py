"""The parts of a cluster that need none: packing, cores, addresses."""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from queue import SimpleQueue

import pytest

from referee.cluster import archive
from referee.cluster.archive import pack, unpack
from referee.cluster.dask_engine import DaskEngine
from referee.cluster.worker_pool import ClusterWorker, WorkerPool, WorkerState
from referee.cluster.worker_session import WorkerInfo
from referee.config.bot_files import BotFiles, find_files
from referee.config.tournament_file import BotEntry
from referee.errors import InputError, OutsideError
from referee.run.events import Event, GamesStarted
from tests.conftest import ROOT
from tests.support.tools import needs


def bot_files(folder: Path) -> BotFiles:
    """A bot with a program, a file in a folder, and a link."""
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "deep" / "er" / "data").write_bytes(bytes(range(256)) * 40)
    (folder / "link").symlink_to("run")
    return find_files(BotEntry(name="bot", command="./run", dir="."), folder)


def test_a_bot_arrives_as_it_was_packed(tmp_path: Path) -> None:
    """Contents, names and executable bits; so its fingerprint is the same there."""
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    unpack(pack("bot", found), found.hash, tmp_path / "there" / found.hash)
    there = tmp_path / "there" / found.hash
    again = find_files(BotEntry(name="bot", command="./run", dir="."), there)
    assert again.hash == found.hash
    assert [name for _, name in again.files] == ["deep/er/data", "link", "run"]
    assert os.access(there / "run", os.X_OK)
    assert not os.access(there / "deep" / "er" / "data", os.X_OK)


def test_a_link_has_the_executable_bit_of_its_target(tmp_path: Path) -> None:
    """A link to a plain file is not executable there, or the hash would differ."""
    (tmp_path / "bot").mkdir()
    bot_files(tmp_path / "bot")
    (tmp_path / "bot" / "words").symlink_to("deep/er/data")
    found = find_files(BotEntry(name="bot", command="./run", dir="."), tmp_path / "bot")
    unpack(pack("bot", found), found.hash, tmp_path / "there")
    assert not os.access(tmp_path / "there" / "words", os.X_OK)
    assert os.access(tmp_path / "there" / "link", os.X_OK)


def test_other_files_than_promised_are_refused(tmp_path: Path) -> None:
    """Somebody edited the bot just then: nothing is played with that."""
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    (tmp_path / "bot" / "run").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(InputError, match="changed while they were packed"):
        unpack(pack("bot", found), found.hash, tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("python", [sys.executable, "/usr/bin/python3"])
def test_a_bot_is_unpacked_by_every_python(tmp_path: Path, python: str) -> None:
    """Also by the one of Debian 12, whose `tarfile` lacks what came with Python 3.11.4."""
    needs(python)
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    program = (
        "import sys; from pathlib import Path; from referee.cluster.archive import unpack;"
        "unpack(sys.stdin.buffer.read(), sys.argv[1], Path(sys.argv[2]))"
    )
    subprocess.run(
        [python, "-c", program, found.hash, str(tmp_path / "there")],
        input=pack("bot", found),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    again = find_files(BotEntry(name="bot", command="./run", dir="."), tmp_path / "there")
    assert again.hash == found.hash


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../outside", tarfile.REGTYPE),
        ("/tmp/outside", tarfile.REGTYPE),
        ("deep/../../outside", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("link", tarfile.LNKTYPE),
        ("pipe", tarfile.FIFOTYPE),
        ("device", tarfile.CHRTYPE),
    ],
)
def test_only_files_below_the_folder_are_unpacked(tmp_path: Path, name: str, kind: bytes) -> None:
    """Whatever else an archive holds is refused, and nothing of it is written."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(InputError, match="an entry that is not a file"):
        unpack(out.getvalue(), "hash", tmp_path / "there")
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_a_bot_can_be_too_large_to_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names it and its largest files."""
    monkeypatch.setattr(archive, "MAX_PACKED", 100)
    with pytest.raises(InputError, match=r"the files of bot .* The largest are deep/er/data"):
        pack("bot", bot_files(tmp_path))


def worker(crew: WorkerPool, name: str, machine: str, cores: tuple[int, ...]) -> ClusterWorker:
    """One that joined, on that machine."""
    survey = WorkerInfo(name, machine, cores, frozenset())
    member = ClusterWorker(name, state=WorkerState.READY, info=survey)
    crew.workers[name] = member
    crew.reserve_core(member)
    return member


def test_every_worker_of_a_machine_has_a_core_of_its_own() -> None:
    """Also where each may use only some of them; other machines do not matter."""
    crew = WorkerPool(pin=True)
    first = worker(crew, "a", "one", (0, 2))
    second = worker(crew, "b", "one", (0, 2))
    other = worker(crew, "c", "two", (0,))
    assert [crew.core_of(member) for member in (first, second, other)] == [0, 2, 0]
    del crew.workers["a"]
    assert crew.core_of(worker(crew, "d", "one", (0, 2))) == 0


def test_more_workers_than_cores_are_not_pinned() -> None:
    """The system had better choose; the same if nothing is to be pinned."""
    crew = WorkerPool(pin=True)
    members = [worker(crew, name, "one", (4,)) for name in ("a", "b")]
    assert [crew.core_of(member) for member in members] == [None, None]
    assert crew.core_of(worker(WorkerPool(pin=False), "a", "one", (4,))) is None


def test_results_before_the_loss_of_the_scheduler_are_kept() -> None:
    """Also if both are noticed at the same time."""

    def scheduler_lost() -> list[Event]:
        raise OutsideError("the scheduler does not answer any more")

    engine, event = object.__new__(DaskEngine), GamesStarted([])
    engine._inbox = SimpleQueue()
    engine._inbox.put(lambda: [event])
    engine._inbox.put(scheduler_lost)
    events = engine._process_events()
    assert next(events) is event
    with pytest.raises(OutsideError):
        next(events)
