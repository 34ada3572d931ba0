"""The time before the first move, in counts: imported modules and started interpreters.

How long that takes is for benchmarks/run.py, which is no test.
"""

import gc
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import SupervisedRun, run_supervised
from referee.commands import run as run_command
from referee.commands import tournament
from referee.commands.parser import make_parser
from referee.errors import InputError
from referee.run.events import GameBatch
from referee.run.local_engine import LocalEngine
from referee.sandbox.probe import RungProbe, SandboxProbe, choose_rung
from referee.sandbox.rungs import LIMITS
from referee.system.cores import usable_cores
from referee.system.garbage_collection import gc_frozen
from tests.conftest import ROOT
from tests.run.test_worker import fixture, plan
from tests.support.processes import PATIENCE_SECONDS, wait_until
from tests.support.tools import skip

CUP = f"""
variant: lockdown
encounters: 1
bots:
  - {{name: one, command: '{ROOT / "bots" / "random_bot.sh"}'}}
  - {{name: two, command: '{ROOT / "bots" / "random_bot.sh"}'}}
"""
MODULES = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from referee.cli import main
main(sys.argv[1:])
"""
FOR_FILES = {"yaml", "referee.run.arena", "referee.run.engine", "referee.config.tournament"}
FOR_RESULTS = {
    "jinja2",
    "numpy",
    "rich",
    "tabulate",
    "referee.scoring.render",
    "referee.ratings.ratings",
}
FOR_OTHERS = {"distributed", "referee.human", "referee.config.json_schema", "referee.check"}


@cache
def bare() -> set[str]:
    """Return the modules that the interpreter itself imports, which depends on its installation."""
    program = "import sys; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", program], text=True).split())


def modules_after(*words: str, folder: Path = ROOT) -> set[str]:
    """Return all modules that a command line has imported."""
    command = [sys.executable, "-c", MODULES, *words]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(result.stderr.splitlines()[-1].split()) - bare()


def test_help_imports_few_modules() -> None:
    """Neither argparse nor a command."""
    modules = modules_after("--help")
    assert {name for name in modules if name.startswith("referee.")} == {
        "referee.cli",
        "referee.errors",
        "referee.system",
        "referee.system.signals",
        "referee.text",
    }
    assert not modules & {
        "argparse",
        "re",
        "shutil",
        "textwrap",
        "dataclasses",
        "json",
        "pathlib",
        "subprocess",
        "typing",
    }


def test_launcher_starts_before_the_file_reader_is_imported() -> None:
    """The arguments of `run` are parsed without it."""
    assert not modules_after("run", "--help") & (FOR_FILES | FOR_RESULTS | FOR_OTHERS)


def test_preparation_imports_no_tables_people_or_cluster(tmp_path: Path) -> None:
    """They are imported when needed."""
    (tmp_path / "cup.yaml").write_text(CUP)
    modules = modules_after("run", "cup.yaml", "--dry-run", "--sandbox", "none", folder=tmp_path)
    assert modules >= FOR_FILES
    assert not modules & (FOR_RESULTS | FOR_OTHERS)


def test_preparation_imports_the_standard_library_and_yaml_only(
    tmp_path: Path,
) -> None:
    """Every run waits for imports before its first move."""
    (tmp_path / "cup.yaml").write_text(CUP)
    modules = modules_after("run", "cup.yaml", "--dry-run", "--sandbox", "none", folder=tmp_path)
    packages = {name.partition(".")[0] for name in modules}
    installed = packages_distributions()
    found = {name for package in packages for name in installed.get(package, ())}
    assert found - {"blockade-referee"} == {"PyYAML"}


def test_launcher_imports_few_modules() -> None:
    """None of the rest of the package, and no large ones of the library."""
    program = "import referee.launcher.main; print(*sys.modules)"
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {program}"
    command = [sys.executable, "-I", "-S", "-c", program]
    modules = set(subprocess.check_output(command, text=True).split())
    ours = {name for name in modules if name.startswith("referee.")}
    assert {name.split(".")[1] for name in ours} == {"launcher"}
    large = {"dataclasses", "inspect", "pathlib", "platform", "shutil", "tempfile", "typing"}
    assert not modules & large


def test_run_starts_one_more_interpreter_for_any_number_of_workers(tmp_path: Path) -> None:
    """The launcher that tries rungs and bots is forked for the workers."""
    (tmp_path / "cup.yaml").write_text(CUP.replace("}", ", build: 'true'}"))
    program = (
        "import subprocess, sys\n"
        "from referee.cli import main\n"
        "class Popen(subprocess.Popen):\n"
        "    def __init__(self, command, *rest, **options):\n"
        "        if command[0] == sys.executable:\n"
        "            open('started', 'a').write('.')\n"
        "        super().__init__(command, *rest, **options)\n"
        "subprocess.Popen = Popen\n"
        "sys.exit(main(['run', 'cup.yaml', '--workers', '2', '--quiet']))\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "started").read_text() == "."
    assert len((tmp_path / "results" / "cup" / "games.jsonl").read_text().splitlines()) == 2


def test_worker_replaces_a_dead_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """For any reason of its end."""

    def lost(launcher: Launcher, core: int | None = None) -> Launcher:
        other = another(launcher, core)
        other.close()
        return other

    another = Launcher.fork_launcher
    monkeypatch.setattr(Launcher, "fork_launcher", lost)
    with Launcher() as launcher:
        engine = LocalEngine(plan(2), 1, launcher)
        tasks = [(fixture(0, 1),)]
        events = list(engine.play(lambda: tasks.pop() if tasks else None))
        engine.close()
    (game,) = (game for event in events if isinstance(event, GameBatch) for game in event.summaries)
    assert game.faults == ()


def test_forked_launcher_outlives_the_first_and_pins_bots() -> None:
    """To the core of its worker."""
    if not usable_cores():
        skip("needs a system that pins processes to cores")
    look = Command((sys.executable, "-S", "-c", "import os; print(os.sched_getaffinity(0))"), ROOT)
    core = max(os.sched_getaffinity(0))
    with Launcher() as first:
        second = first.fork_launcher(core)
    with second:
        assert run_supervised(look, 60, second).lines == [f"{{{core}}}"]


def test_gc_is_enabled_again_after_loading() -> None:
    """And never visits what was loaded."""
    with gc_frozen():
        assert not gc.isenabled()
        loaded: list[object] = [[]]
    assert gc.isenabled()
    assert all(found is not loaded for found in gc.get_objects())


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ((), ["begin", "read", "end"]),
        (("--sandbox", "bwrap"), ["begin", "read", "end"]),
        (("--sandbox", "none"), ["read"]),
        (("--cluster", "local:1"), ["read"]),
    ],
)
def test_sandbox_probe_runs_while_the_file_is_read(
    monkeypatch: pytest.MonkeyPatch, words: Sequence[str], steps: list[str]
) -> None:
    """It starts before, and nothing of it is left afterwards, also if the file is wrong."""
    done: list[str] = []

    def read_tournament(*words: object, **options: object) -> None:
        done.append("read")
        raise InputError("wrong")

    monkeypatch.setattr(SandboxProbe, "start", lambda *_: done.append("begin"))
    monkeypatch.setattr(SandboxProbe, "result", lambda *_: done.append("end"))
    monkeypatch.setattr(tournament, "read_tournament", read_tournament)
    with pytest.raises(InputError, match="wrong"):
        run_command.run(arguments("cup.yaml", *words))
    assert done == steps


def test_supervised_run_continues_in_the_background(tmp_path: Path) -> None:
    """Its output is kept until `finish`."""
    with Launcher() as launcher:
        words = ("/bin/sh", "-c", "echo done; echo so >it; mv it file")
        run = SupervisedRun(Command(words, tmp_path), launcher)
        wait_until((tmp_path / "file").exists)
        assert run.finish(PATIENCE_SECONDS).lines == ["done"]


def test_rung_is_probed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is kept."""
    probed: list[str] = []

    class CountedProbe(RungProbe):
        def __init__(self, name: str, launcher: Launcher) -> None:
            probed.append(name)
            super().__init__(name, launcher)

    monkeypatch.setattr("referee.sandbox.probe.RungProbe", CountedProbe)
    with Launcher() as launcher:
        probe = SandboxProbe(launcher)
        probe.start(LIMITS)
        assert probed == [LIMITS]
        probe.start(LIMITS)
        assert probe.result(LIMITS) == choose_rung(LIMITS, probe)
    assert probed == [LIMITS]
    assert choose_rung(LIMITS) == probe.result(LIMITS)
    assert probed == [LIMITS, LIMITS]


def arguments(*words: str) -> Namespace:
    parser = make_parser("referee run", "")
    run_command.add_arguments(parser)
    return parser.parse_args(words)
