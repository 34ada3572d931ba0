"""Addresses of the server and their answers."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee.errors import OutsideError
from referee.web.event_hub import Subscription
from referee.web.event_stream import EventStream
from referee.web.pages import Asset, make_assets, make_html
from referee.web.request_guard import Access, RequestGuard
from referee.web.results_folders import find_results, is_regular_file
from referee.web.snapshot import game_value, standings_value
from referee.web.table import Table, TableRefused
from referee.web.tables import TableManager
from referee.web.tournament_seat import SEAT, TournamentSeat
from referee.web.watcher import TournamentWatcher

MAX_STREAMS = 1000
"""Viewers of all tournaments and tables together."""
READY_SECONDS = 60.0
"""How long a request waits for a folder that is read for the first time."""
MAX_GAMES_LISTED = 200
REPORT_POLICY = "sandbox allow-scripts allow-popups"
"""The report may come from an untrusted source: it gets an origin of its own."""


@dataclass(frozen=True)
class Site:
    """Content of a server."""

    roots: tuple[Path, ...]
    access: Access
    tables: TableManager | None = None
    seat: TournamentSeat | None = None
    """The seats of people in the tournament that is being run."""


class LiveArena:
    """The state of the server: a watcher for each tournament that was requested."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.streams = 0
        self.stop: Callable[[], None] = lambda: None
        """Function that ends the server."""
        self._watchers: dict[str, TournamentWatcher] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # One thread: each ledger is changed by one thread at a time, and players need the cores.
        self._executor = ThreadPoolExecutor(max_workers=1)

    def names(self) -> dict[str, Path]:
        """Find the results folders, by name."""
        return find_results(self.site.roots)

    async def watcher(self, name: str) -> TournamentWatcher:
        """Return the watcher of a tournament when its folder was read; 404 if there is none."""
        self._forget_if_gone(name)
        if name not in self._watchers:
            folders = await asyncio.to_thread(self.names)
            if name not in folders:
                raise HTTPException(404, f"there is no tournament {name!r}")
            if name not in self._watchers:
                watcher = TournamentWatcher(name, folders[name], self._executor)
                self._watchers[name] = watcher
                self._tasks[name] = asyncio.get_running_loop().create_task(watcher.run())
        watcher = self._watchers[name]
        with suppress(TimeoutError):
            await asyncio.wait_for(watcher.is_ready.wait(), READY_SECONDS)
        return watcher

    def _forget_if_gone(self, name: str) -> None:
        """End the watcher of a folder that was deleted, and the streams of its viewers."""
        watcher = self._watchers.get(name)
        if watcher is not None and not watcher.state.feed.folder.is_dir():
            del self._watchers[name]
            self._tasks.pop(name).cancel()
            watcher.hub.close()

    async def run_in_thread(self, function: Callable[[], Any]) -> Any:
        """Run a function in the thread that reads the ledgers."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, function)

    def close_streams(self) -> None:
        """End the streams of all viewers."""
        for watcher in self._watchers.values():
            watcher.hub.close()
        if self.site.seat is not None:
            self.site.seat.table.hub.close()
        if self.site.tables is not None:
            self.site.tables.close_streams()

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """End all tasks and games with the server, and the server with its run."""
        if self.site.seat is not None:
            following = self.site.seat.follow(lambda: self.stop())
            self._tasks[SEAT] = asyncio.get_running_loop().create_task(following)
        try:
            yield
        finally:
            for task in self._tasks.values():
                task.cancel()
            for task in self._tasks.values():
                with suppress(asyncio.CancelledError):
                    await task
            if self.site.tables is not None:
                await self.site.tables.close()
            self._executor.shutdown(wait=False, cancel_futures=True)


def make_app(arena: LiveArena) -> ASGIApp:
    """Make the application."""
    pages = _Pages(arena)
    api = _Api(arena)
    playing = _Playing(arena)
    routes = [
        Route("/", pages.index),
        Route("/play", pages.play),
        Route("/tables/{table}", pages.table),
        Route("/t/{name}", pages.tournament),
        Route("/t/{name}/report", pages.report),
        Route("/assets/{digest}/{name}", pages.asset),
        Route("/api/tournaments", api.tournaments),
        Route("/api/tournaments/{name}", api.tournament),
        Route("/api/tournaments/{name}/standings", api.standings),
        Route("/api/tournaments/{name}/games", api.games),
        Route("/api/tournaments/{name}/games/{game}", api.game),
        Route("/api/tournaments/{name}/events", api.events),
        Route("/api/play", playing.offers),
        Route("/api/tables", playing.open, methods=["POST"]),
        Route("/api/tables/{table}", playing.table),
        Route("/api/tables/{table}/events", playing.events),
        Route("/api/tables/{table}/move", playing.move, methods=["POST"]),
        Route("/api/tables/{table}/resign", playing.resign, methods=["POST"]),
    ]
    return Starlette(
        routes=routes,
        lifespan=arena.lifespan,
        middleware=[Middleware(RequestGuard, access=arena.site.access)],
        exception_handlers={HTTPException: _http_error, TableRefused: _refused},
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, status_code=error.status_code)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, TableRefused)
    return JSONResponse({"error": str(error)}, status_code=error.status)


class _Pages:
    """HTML pages, scripts and styles."""

    def __init__(self, arena: LiveArena) -> None:
        self._arena = arena
        self._assets = make_assets()

    async def index(self, request: Request) -> Response:
        return self._page("index", "Blockade Referee")

    async def tournament(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        return self._page("tournament", watcher.state.value["tournament"]["title"])

    async def play(self, request: Request) -> Response:
        _tables_of(self._arena)
        return self._page("play", "Play")

    async def table(self, request: Request) -> Response:
        table = _find_table(self._arena, request)
        return self._page("table", table.title)

    def _page(self, view: str, title: str) -> Response:
        has_tables = self._arena.site.tables is not None
        return Response(
            make_html(view, title, self._assets, has_tables=has_tables), media_type="text/html"
        )

    async def asset(self, request: Request) -> Response:
        name, digest = request.path_params["name"], request.path_params["digest"]
        found: Asset | None = self._assets.get(name)
        if found is None or found.digest != digest:
            raise HTTPException(404, "there is no such file")
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(found.text, media_type=found.media_type, headers=headers)

    async def report(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        path = watcher.state.feed.folder / "report.html"
        if not is_regular_file(path):
            raise HTTPException(404, "the report is written when the tournament ends")
        data = await asyncio.to_thread(path.read_bytes)
        headers = {"content-security-policy": REPORT_POLICY}
        return _tagged(request, data, "text/html; charset=utf-8", headers)


class _Api:
    """JSON about tournaments."""

    def __init__(self, arena: LiveArena) -> None:
        self._arena = arena

    async def tournaments(self, request: Request) -> Response:
        names = await asyncio.to_thread(self._arena.names)
        found = []
        for name in names:
            watcher = await self._arena.watcher(name)
            value = watcher.state.value
            found.append({**value["tournament"], "progress": value["progress"]})
        return _json(request, {"tournaments": found})

    async def tournament(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        return _json(request, watcher.snapshot())

    async def standings(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        state = watcher.state

        def make() -> list[dict[str, Any]]:
            ledger = state.feed.ledger
            return [] if ledger is None else standings_value(ledger.standings(), state.ratings)

        rows = await self._arena.run_in_thread(make)
        return _json(request, {"games": state.value["progress"].get("done", 0), "rows": rows})

    async def games(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        return _json(request, {"games": watcher.state.value.get("games", [])})

    async def game(self, request: Request) -> Response:
        watcher = await self._arena.watcher(request.path_params["name"])
        wanted = request.path_params["game"]
        feed = watcher.state.feed

        def make() -> dict[str, Any] | None:
            record = feed.find(wanted)
            return None if record is None else game_value(record, feed.folder)

        game = await asyncio.to_thread(make)
        if game is None:
            raise HTTPException(404, "there is no such game")
        return _json(request, game)

    async def events(self, request: Request) -> EventStream:
        watcher = await self._arena.watcher(request.path_params["name"])
        last_id = request.headers.get("last-event-id")
        return _stream(self._arena, watcher.hub.unsubscribe, lambda: watcher.subscribe(last_id))


class _Playing:
    """Games of visitors."""

    def __init__(self, arena: LiveArena) -> None:
        self._arena = arena

    async def offers(self, request: Request) -> Response:
        tables = _tables_of(self._arena)
        scoreboard = await asyncio.to_thread(tables.records.scoreboard)
        needs_token = self._arena.site.access.token is not None
        value = {**tables.offers(), "scoreboard": scoreboard, "needs_token": needs_token}
        return _json(request, value)

    async def open(self, request: Request) -> Response:
        tables = _tables_of(self._arena)
        try:
            table = tables.open(await _body(request))
        except OutsideError as error:
            raise HTTPException(503, str(error)) from error
        return JSONResponse({"id": table.id, "key": table.key}, status_code=201)

    async def table(self, request: Request) -> Response:
        return _json(request, _find_table(self._arena, request).value)

    async def events(self, request: Request) -> EventStream:
        table = _find_table(self._arena, request)
        last_id = request.headers.get("last-event-id")
        return _stream(self._arena, table.hub.unsubscribe, lambda: table.subscribe(last_id))

    async def move(self, request: Request) -> Response:
        table, body = _find_table(self._arena, request), await _body(request)
        ply = body.get("ply")
        if not isinstance(ply, int):
            raise HTTPException(400, "a move names the ply that it answers")
        table.move(str(body.get("key")), ply, str(body.get("move")))
        return JSONResponse({})

    async def resign(self, request: Request) -> Response:
        table, body = _find_table(self._arena, request), await _body(request)
        table.resign(str(body.get("key")))
        return JSONResponse({})


def _stream(
    arena: LiveArena,
    unsubscribe: Callable[[Subscription], None],
    subscribe: Callable[[], Subscription],
) -> EventStream:
    """Start a stream of events; 503 if there are too many viewers."""
    if arena.streams >= MAX_STREAMS:
        raise HTTPException(503, "too many viewers: try again later")
    arena.streams += 1

    def end(subscription: Subscription) -> None:
        arena.streams -= 1
        unsubscribe(subscription)

    return EventStream(subscribe(), end)


def _tables_of(arena: LiveArena) -> TableManager:
    if arena.site.tables is None:
        raise HTTPException(404, "no bots are offered here: start the server with --play BOT")
    return arena.site.tables


def _find_table(arena: LiveArena, request: Request) -> Table:
    wanted = request.path_params["table"]
    if wanted == SEAT and arena.site.seat is not None:
        return arena.site.seat.table
    table = _tables_of(arena).tables.get(wanted)
    if table is None:
        raise HTTPException(404, "there is no such game, or it ended a while ago")
    return table


async def _body(request: Request) -> dict[str, Any]:
    """Read a JSON object."""
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect) as error:
        raise HTTPException(400, "the request is not JSON") from error
    if not isinstance(value, dict):
        raise HTTPException(400, "the request is not a JSON object")
    return value


def _json(request: Request, value: Any) -> Response:
    data = json.dumps(value, separators=(",", ":")).encode()
    return _tagged(request, data, "application/json", {})


def _tagged(request: Request, data: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """Answer with an `ETag`: a client that has the same data gets 304."""
    tag = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    headers = {**headers, "etag": tag, "cache-control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media_type, headers=headers)
