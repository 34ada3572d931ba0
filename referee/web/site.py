"""Content of a server, from the arguments of a command."""

import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.config.bot_command import MAX_NAME_LENGTH, NAME, bot_name, parse_command
from referee.errors import InputError
from referee.web.app import LiveArena, Site
from referee.web.request_guard import Access
from referee.web.tables import TableManager, TableSettings
from referee.web.visitor_records import VisitorRecords


def read_bots(texts: Sequence[str], folder: Path) -> dict[str, str]:
    """Read `--play` arguments: command lines by name; raise InputError for a wrong one."""
    bots: dict[str, str] = {}
    for text in texts:
        name, separator, command = text.partition("=")
        if not separator or not NAME.fullmatch(name):
            name, command = "", text
        words = parse_command(command, folder).arguments
        name = name or bot_name(words, folder)
        if name.lower() in {known.lower() for known in bots}:
            raise InputError(
                f"--play {text!r}: there is a bot {name} already; give it a name of up to"
                f" {MAX_NAME_LENGTH} characters, like --play 'other={command}'"
            )
        bots[name] = command
    return bots


def make_site(
    roots: Sequence[Path],
    listener: socket.socket,
    public: str | None,
    token: str | None,
    settings: TableSettings,
    records_folder: Path,
) -> Callable[[], LiveArena]:
    """Return a function that makes the arena; it is called in the event loop.

    Without bots in `settings` there are no games of visitors, and no records of them.
    """
    if public is not None and not public.startswith(("http://", "https://")):
        raise InputError(f"--public {public}: write an address like https://arena.example.org")
    host, port = listener.getsockname()[:2]
    access = Access(host, port, public, token)
    records = VisitorRecords(records_folder, settings.bots) if settings.bots else None

    def make() -> LiveArena:
        tables = None if records is None else TableManager(settings, records)
        return LiveArena(Site(tuple(roots), access, tables))

    return make
