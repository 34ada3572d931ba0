"""Archives of bots' files, and their cache on a worker."""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from referee.bots.command import Command
from referee.config import bot_archive
from referee.config.bot_archive import BotCache, pack, pack_all, unpack
from referee.config.bot_files import find_bot
from referee.config.plan import BotSpec
from referee.config.tournament_file import BotEntry
from referee.errors import InputError
from tests.conftest import ROOT
from tests.support.tools import needs


def bot_files(folder: Path) -> BotSpec:
    """Create a bot with a program, a file in a folder, and a link."""
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "deep" / "er" / "data").write_bytes(bytes(range(256)) * 40)
    (folder / "link").symlink_to("run")
    return find_bot(BotEntry(name="bot", command="./run", dir="."), folder)


def test_archive_keeps_contents_names_and_executable_bits(tmp_path: Path) -> None:
    """So the hash is the same there."""
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    unpack(pack(found), found.hash, tmp_path / "there" / found.hash)
    there = tmp_path / "there" / found.hash
    again = find_bot(BotEntry(name="bot", command="./run", dir="."), there)
    assert again.hash == found.hash
    assert [name for _, name in again.files] == ["deep/er/data", "link", "run"]
    assert os.access(there / "run", os.X_OK)
    assert not os.access(there / "deep" / "er" / "data", os.X_OK)


def test_archive_gives_a_link_the_executable_bit_of_its_target(tmp_path: Path) -> None:
    """A link to a plain file is not executable there, or the hash would differ."""
    (tmp_path / "bot").mkdir()
    bot_files(tmp_path / "bot")
    (tmp_path / "bot" / "words").symlink_to("deep/er/data")
    found = find_bot(BotEntry(name="bot", command="./run", dir="."), tmp_path / "bot")
    unpack(pack(found), found.hash, tmp_path / "there")
    assert not os.access(tmp_path / "there" / "words", os.X_OK)
    assert os.access(tmp_path / "there" / "link", os.X_OK)


def test_archive_with_another_hash_is_rejected(tmp_path: Path) -> None:
    """The bot was edited while it was packed."""
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    (tmp_path / "bot" / "run").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(InputError, match="changed while they were packed"):
        unpack(pack(found), found.hash, tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("python", [sys.executable, "/usr/bin/python3"])
def test_archive_is_unpacked_by_every_supported_python(tmp_path: Path, python: str) -> None:
    """Also by that of Debian 12, whose `tarfile` has no extraction filters."""
    needs(python)
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    program = (
        "import sys; from pathlib import Path; from referee.config.bot_archive import unpack;"
        "unpack(sys.stdin.buffer.read(), sys.argv[1], Path(sys.argv[2]))"
    )
    subprocess.run(
        [python, "-c", program, found.hash, str(tmp_path / "there")],
        input=pack(found),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    again = find_bot(BotEntry(name="bot", command="./run", dir="."), tmp_path / "there")
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
def test_archive_with_other_entries_than_files_is_rejected(
    tmp_path: Path, name: str, kind: bytes
) -> None:
    """And nothing of it is written."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(InputError, match="an entry that is not a file"):
        unpack(out.getvalue(), "hash", tmp_path / "there")
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_archive_size_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the bot and its largest files."""
    monkeypatch.setattr(bot_archive, "MAX_PACKED", 100)
    with pytest.raises(InputError, match=r"the files of bot .* The largest are deep/er/data"):
        pack(bot_files(tmp_path))


def test_cache_names_files_by_hash_and_copies_them_for_each_build(tmp_path: Path) -> None:
    """What a build writes is neither in the unpacked files nor in the copy of another build."""
    (tmp_path / "bot").mkdir()
    found = bot_files(tmp_path / "bot")
    (archive,) = pack_all([found], tmp_path / "packed").values()
    cache = BotCache(tmp_path / "cache")
    assert cache.missing([found.hash, "other"]) == {found.hash, "other"}
    cache.add(found.hash, archive.read_bytes())
    assert cache.missing([found.hash, "other"]) == {"other"}
    plain, built, other = (
        cache.folder_of(spec(found.hash, build)) for build in (None, "make", "make all")
    )
    assert plain == tmp_path / "cache" / "files" / found.hash
    assert len({plain, built, other}) == 3
    (built / "made").touch()
    assert cache.folder_of(spec(found.hash, "make")) == built
    assert not (plain / "made").exists()
    assert not (other / "made").exists()


def spec(digest: str, build: str | None) -> BotSpec:
    return BotSpec("bot", Command(("./run",), Path()), digest, build=build)
