"""Show tournaments in a browser while they are played, and let visitors play against bots.

Every results folder below the given ones is shown, finished or running. The server listens on this
machine only, unless --host names another address. Ctrl-C ends it.

examples:
  referee serve                           the tournaments below ./results
  referee serve results/cup --open        one of them, in a browser
  referee serve --play bots/greedy.py     visitors can play against this bot
  referee serve --play 'deep=./bot --depth 6' --tables 4
  referee serve --host 0.0.0.0 --token secret --play bots/greedy.py
"""

import argparse
import sys
from pathlib import Path

from referee.commands.sandbox_options import add_sandbox_argument
from referee.commands.serving import DEFAULT_HOST, DEFAULT_PORT, hyperlink, open_browser
from referee.errors import EXIT_INTERRUPTED, InputError
from referee.protocol.time_control import TimeControl
from referee.rules import BUILT_IN, find_installed

MAX_TABLES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "results",
        nargs="*",
        default=[],
        type=Path,
        metavar="RESULTS",
        help="folders with results (default: ./results)",
    )
    parser.add_argument(
        "--host", default=DEFAULT_HOST, help=f"address to listen on (default: {DEFAULT_HOST})"
    )
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help=f"(default: {DEFAULT_PORT}; 0: any free one)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--public", metavar="URL", help="address of a reverse proxy in front of this server"
    )
    parser.add_argument(
        "--token", help="what visitors enter before they play (required with --host and --play)"
    )
    parser.add_argument(
        "--play",
        action="append",
        default=[],
        metavar="BOT",
        help="a bot that visitors can play against: a command, or NAME=COMMAND; may be repeated",
    )
    parser.add_argument(
        "--tables", type=int, default=8, metavar="N", help="games of visitors at once (default: 8)"
    )
    parser.add_argument(
        "--per-move", default="1s", metavar="T", help="time per move of these bots (default: 1s)"
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("results/arena"),
        metavar="DIR",
        help="folder of the games of visitors (default: results/arena)",
    )
    add_sandbox_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from referee.web.listener import address_of, bind
    from referee.web.request_guard import check_access
    from referee.web.results_folders import check_roots
    from referee.web.server import lower_priority, serve
    from referee.web.site import make_site, read_bots
    from referee.web.tables import TableSettings

    roots = arguments.results or [Path("results")]
    bots = read_bots(arguments.play, Path.cwd())
    if arguments.results or not bots:
        check_roots(roots)
    if not 1 <= arguments.tables <= MAX_TABLES:
        raise InputError(f"--tables {arguments.tables}: from 1 to {MAX_TABLES}")
    check_access(arguments.host, arguments.token, offers_games=bool(bots))
    settings = TableSettings(
        bots=bots,
        folder=Path.cwd(),
        variants={name: find_installed(name) for name in BUILT_IN},
        most=arguments.tables,
        bot_time=TimeControl.per_move(arguments.per_move),
        sandbox=arguments.sandbox,
    )
    listener = bind(arguments.host, arguments.port)
    address = address_of(listener)
    factory = make_site(
        roots, listener, arguments.public, arguments.token, settings, arguments.records
    )

    def announce() -> None:
        print(f"the arena is at {hyperlink(address, sys.stdout)} (Ctrl-C ends it)", flush=True)
        if arguments.open:
            open_browser(address)

    lower_priority()
    serve(factory, listener, announce)
    print("the arena is closed", file=sys.stderr)
    return EXIT_INTERRUPTED
