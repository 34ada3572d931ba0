"""A valid tournament file, resolved: bots found, boards and openings computed."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.config.bot_command import parse_command
from referee.config.bot_files import BotFilesError, copy_bot, find_bot
from referee.config.plan import BoardPlan, BotSpec, PortablePlan
from referee.config.tournament_file import (
    BotEntry,
    TournamentFile,
    VariantEntry,
    parse_size,
    valid_entries,
    validate,
)
from referee.config.yaml_source import Key, YamlFile, read_yaml
from referee.errors import InputError
from referee.game.config import PlaySettings
from referee.protocol.time_control import TimeControl, human_time_control, parse_duration
from referee.records.checks import settings_changed_error
from referee.records.manifest import (
    DEFAULT_TIE_BREAKS,
    FORMATS_WITH_ROUNDS,
    OPENINGS_SETTING,
    SWISS_TIE_BREAKS,
    Manifest,
    flat_settings,
)
from referee.rules import Variant, find_variant, source_digest
from referee.rules.grid import Size
from referee.rules.registry import is_variant_file
from referee.sandbox.limits import ResourceLimits
from referee.schedule.fixtures import Board, Encounter, encounters_in_order
from referee.schedule.formats import Match
from referee.schedule.openings import MAX_LISTED, Opening, find_openings


@dataclass(frozen=True)
class Tournament:
    """A tournament file without errors, and what it refers to."""

    path: Path
    content: TournamentFile
    openings: dict[Board, tuple[Opening, ...]]
    board_plans: dict[str, BoardPlan]
    """The boards by name."""
    specs: dict[str, BotSpec]
    """The bots by name, in the order of the file."""
    names_openings: bool = True
    """Whether the file has the key `openings`."""
    has_old_openings: bool = False
    """Whether the results folder is from before that key existed."""

    @property
    def name(self) -> str:
        """The title."""
        return self.content.name or self.path.stem

    @property
    def bots(self) -> list[str]:
        """The names of all bots."""
        return list(self.specs)

    @property
    def has_people(self) -> bool:
        """Whether a person plays at the terminal, so that games cannot run concurrently."""
        return any(bot.command.is_human for bot in self.specs.values())

    @property
    def challengers(self) -> list[str]:
        """The challengers of a gauntlet: those named, or the first bot."""
        return self.content.challengers or self.bots[:1]

    def encounters(self, matches: Sequence[Match]) -> Iterator[Encounter]:
        """Yield all encounters of these matches, in the order of play."""
        return encounters_in_order(
            matches, self.openings, self.content.seed, _spread_over(self.content)
        )

    def resumed(self, before: Manifest) -> "Tournament":
        """Return this tournament with the openings of the results folder that it goes on in.

        A folder from before the key `openings` existed goes on with its own ones, which all
        pairings share; raise InputError if the file demands others.
        """
        if not before.settings or OPENINGS_SETTING in before.settings:
            return self
        if self.names_openings and self.content.openings != "shared":
            raise settings_changed_error([f"openings: shared before, {self.content.openings} now"])
        content = replace(self.content, openings="shared")
        openings = {
            plan.board: tuple(_list_openings(plan, content, symmetric_last=False))
            for plan in self.board_plans.values()
        }
        return replace(self, content=content, openings=openings, has_old_openings=True)

    def short_of_openings(self) -> list[str]:
        """Return a note for each board with fewer openings than encounters."""
        needed = _outline(self.content, len(self.openings)).schedule().planned_encounters
        return [
            f"{board.name} has only {len(openings)} different openings of"
            f" {self.content.opening_plies} plies for {needed} encounters:"
            " each is used again after all were used"
            for board, openings in self.openings.items()
            if len(openings) < needed
        ]

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings that records must share to be comparable, to report changes on resume."""
        content = self.content
        settings: dict[str, Any] = {
            "format": content.format,
            "rounds": content.rounds,
            "challengers": self.challengers if content.format == "gauntlet" else None,
            # The pairings of these formats depend on all bots and their order.
            "bots": self.bots if content.format in FORMATS_WITH_ROUNDS else None,
            "seed": content.seed,
            "opening_plies": content.opening_plies,
            "margin": parse_duration(content.margin),
            "startup": parse_duration(content.startup),
            "attempts": content.attempts,
            "restart": content.restart,
            "pondering": content.pondering,
        }
        if not self.has_old_openings:
            settings[OPENINGS_SETTING] = content.openings
        for plan in self.board_plans.values():
            if (digest := source_digest(plan.source)) is not None:
                settings[f"rules of {plan.board.variant}"] = digest
        return settings

    @cached_property
    def bot_settings(self) -> dict[str, dict[str, Any]]:
        """The same for the settings of each bot."""
        settings: dict[str, dict[str, Any]] = {}
        for entry in self.content.bots:
            bot = self.specs[entry.name]
            settings[bot.name] = {
                "time": str(bot.time),
                "command": entry.command,
                "build": entry.build,
                "env": entry.env,
            }
            if not bot.command.is_human:
                settings[bot.name]["limits"] = str(bot.limits)
        return settings

    def manifest(self, sandbox: str) -> Manifest:
        """Return the manifest, which is stored in the results folder."""
        content = self.content
        manifest = Manifest(
            name=self.name,
            bots=self.bots,
            boards={name: plan.source for name, plan in self.board_plans.items()},
            tie_breaks=self._tie_breaks(),
            anchor=asdict(content.anchor) if content.anchor else None,
            disqualify_after=content.disqualify_after,
            format=content.format,
            rounds=content.rounds or 0,
            challengers=self.challengers,
            encounters=content.encounters,
            notes=self.short_of_openings(),
            sandbox=sandbox,
            settings=self.settings,
            bot_settings=self.bot_settings,
        )
        return replace(manifest, games=manifest.schedule().match_count * manifest.games_per_match)

    def _tie_breaks(self) -> list[str]:
        """Return the tie-breaks of the file, or else those of its format."""
        if self.content.tie_breaks is not None:
            return [str(name) for name in self.content.tie_breaks]
        return list(SWISS_TIE_BREAKS if self.content.format == "swiss" else DEFAULT_TIE_BREAKS)

    def portable_plan(self) -> PortablePlan:
        """Return the plan that is sent to the machines that play."""
        content = self.content
        settings = flat_settings(self.settings, self.bot_settings)
        text = json.dumps(settings, sort_keys=True)
        return PortablePlan(
            bots=tuple(replace(bot, files=()) for bot in self.specs.values()),
            boards=self.board_plans,
            play=PlaySettings(
                attempts=content.attempts,
                startup_ms=parse_duration(content.startup),
                fresh_process=content.restart == "game",
                suspend_opponent=not content.pondering,
                pin_cores=content.pin and not content.pondering,
            ),
            settings=hashlib.sha256(text.encode()).hexdigest()[:16],
        )

    def origins(self) -> dict[str, list[Path]]:
        """Return the source folders of each bot without a `dir`; they may hold other files too."""
        return {
            bot.name: list(dict.fromkeys(path.parent for path, _ in self.specs[bot.name].files))
            for bot in self.content.bots
            if bot.dir is None
        }

    def foreign_variants(self) -> dict[str, Variant]:
        """Return the variants that are defined in files, by name."""
        plans = self.board_plans.values()
        return {
            plan.board.variant: find_variant(plan.source)
            for plan in plans
            if plan.source != plan.board.variant
        }

    def check_results_folder(self, folder: Path) -> None:
        """Raise InputError if results in this folder would become files of a bot.

        Results in a folder below that of a bot do not: they are skipped.
        """
        results = folder.resolve()
        base = self.path.resolve().parent
        for bot in self.content.bots:
            source = (base / bot.dir).resolve() if bot.dir else None
            if source is not None and (
                source == results
                or any(source.is_relative_to(results / name) for name in ("bots", "faults"))
            ):
                raise InputError(
                    f"results in {folder} would become files of {bot.name}, whose folder is"
                    f" {bot.dir}: name another folder (--out DIR)"
                )

    def copy_bots(self, folder: Path) -> dict[str, Path]:
        """Copy all bots below a folder; return the folder of each copy."""
        folder = folder.absolute()
        copies: dict[str, Path] = {}
        for bot in self.specs.values():
            place = folder / "bots" / bot.name / bot.hash
            copies[bot.name] = folder if bot.command.is_human else copy_bot(bot, place)
        return copies


def read_tournament(
    path: Path, most_games: int | None = None, *, bots_run_here: bool = True
) -> Tournament:
    """Read a tournament file; raise InputError with everything that is wrong with it.

    With `bots_run_here` the programs of the bots must exist on this machine.
    """
    file = read_yaml(path)
    content = validate(file)
    variants, bots = valid_entries(file, content)
    games = 0
    if content is not None:
        outline = _outline(content, len(variants))
        games = outline.schedule().match_count * outline.games_per_match
    too_many = most_games is not None and games > most_games
    base = path.resolve().parent
    openings: dict[Board, tuple[Opening, ...]] = {}
    plans: dict[str, BoardPlan] = {}
    for key, entry in variants:
        plan = _add_plan(file, key, entry, base, plans)
        # Finding openings for too many games takes long, and the number may be a typing error.
        if plan is not None and content is not None and not too_many:
            openings[plan.board] = _find_openings(file, plan, content)
    specs: dict[str, BotSpec] = {}
    for key, bot in bots:
        _add_bot(file, key, bot, base, specs, bots_run_here)
    for number, name in enumerate(content.sandbox_read if content else ()):
        if problem := _why_unreadable(base, name):
            file.add_problem(("sandbox_read", number), problem)
    if content is not None and not content.name:
        _check_stem(file, path)
    file.raise_if_problems()
    assert content is not None
    if too_many:
        raise InputError(f"the schedule has {games:,} games: confirm that with --yes")
    for bot in content.bots:
        is_human = specs[bot.name].command.is_human
        time, limits = _time_of(content, bot, is_human=is_human), _limits_of(content, bot, base)
        specs[bot.name] = replace(specs[bot.name], time=time, limits=limits)
    return Tournament(path, content, openings, plans, specs, "openings" in file.data)


def _why_unreadable(base: Path, name: str) -> str | None:
    """Return why bots cannot be shown a path of `sandbox_read`; None if they can."""
    if not (base / name).exists():
        return f"there is no file or folder {name!r}"
    if (base / name).resolve() == Path("/"):
        return "that is the whole machine, with the results: name the folders that bots need"
    return None


def _check_stem(file: YamlFile, path: Path) -> None:
    """Report a file name that cannot be the title of tables."""
    try:
        path.stem.encode()
    except UnicodeEncodeError:
        message = "the file's name is not UTF-8 and cannot be the title: write `name: …`"
        file.add_problem(("name",), message, at_key=True)


def _outline(content: TournamentFile, boards: int) -> Manifest:
    """Return a manifest that is sufficient for a schedule, without openings."""
    return Manifest(
        name="",
        bots=[bot.name for bot in content.bots],
        boards={str(number): "" for number in range(boards)},
        format=content.format,
        rounds=content.rounds or 1,  # if a Swiss tournament has none, that is reported elsewhere
        challengers=content.challengers or [bot.name for bot in content.bots[:1]],
        encounters=content.encounters,
    )


def _time_of(content: TournamentFile, bot: BotEntry, *, is_human: bool) -> TimeControl:
    """Return a bot's own time control or the common one, which does not apply to people."""
    margin = parse_duration(content.margin)
    for limits in (bot,) if is_human else (bot, content):
        if limits.time is not None:
            time = TimeControl.clock(limits.time, margin)
            return human_time_control(time) if is_human else time
        if limits.per_move is not None:
            return TimeControl.per_move(limits.per_move, margin)
    return human_time_control() if is_human else TimeControl.per_move("1s", margin)


def _limits_of(content: TournamentFile, bot: BotEntry, base: Path) -> ResourceLimits:
    """Return the limits of a bot: its own keys, then the common ones."""
    return ResourceLimits(
        memory=parse_size(bot.memory or content.memory),
        processes=bot.processes or content.processes,
        files=bot.files or content.files,
        scratch=parse_size(bot.scratch or content.scratch),
        network=content.network,
        read=tuple(os.path.normpath(base / path) for path in content.sandbox_read),
    )


def _spread_over(content: TournamentFile) -> int | None:
    """Return the number of pairings that openings are spread over; None if they are shared."""
    return _outline(content, 1).schedule().match_count if content.openings == "spread" else None


def _add_plan(
    file: YamlFile, key: Key, entry: VariantEntry, base: Path, plans: dict[str, BoardPlan]
) -> BoardPlan | None:
    source = str(base / entry.name) if is_variant_file(entry.name) else entry.name
    try:
        variant = find_variant(source)
        size = variant.size
        if entry.rows is not None and entry.cols is not None:
            size = Size(entry.rows, entry.cols)
        variant.on(size)
    except InputError as error:
        file.add_problem(key, str(error))
        return None
    board = Board(variant.name, size)
    if board.name in plans:
        file.add_problem(key, f"{variant.name} on {size} is in this list already")
        return None
    plans[board.name] = BoardPlan(board, source)
    return plans[board.name]


def _find_openings(file: YamlFile, plan: BoardPlan, content: TournamentFile) -> tuple[Opening, ...]:
    openings = _list_openings(plan, content)
    if not openings:
        plies, name = content.opening_plies, plan.board.name
        message = f"no opening of {plies} plies on {name} leaves a game to play"
        file.add_problem(("opening_plies",), message)
    return tuple(openings)


def _list_openings(
    plan: BoardPlan, content: TournamentFile, *, symmetric_last: bool = True
) -> list[Opening]:
    """Find as many openings as the tournament can use on a board."""
    most = _outline(content, 1).schedule().most_encounters
    if pairings := _spread_over(content):
        most = min(most * pairings, max(most, MAX_LISTED))
    seed = f"{content.seed} {plan.board.name}"
    plies = content.opening_plies
    return find_openings(plan.rules, plies, most, seed, symmetric_last=symmetric_last)


def _add_bot(
    file: YamlFile,
    key: Key,
    bot: BotEntry,
    base: Path,
    specs: dict[str, BotSpec],
    check_program: bool,
) -> None:
    try:
        spec = specs[bot.name] = find_bot(bot, base, file.path)
        if spec.command.is_human:
            for setting in ("dir", "build", "env"):
                if getattr(bot, setting):
                    file.add_problem((*key, setting), "a person has no files, build or environment")
        elif check_program and bot.build is None:
            # Programs that are built do not exist before the build.
            parse_command(bot.command, base / bot.dir if bot.dir else base)
    except BotFilesError as error:
        file.add_problem((*key, error.key), str(error))
    except InputError as error:
        file.add_problem((*key, "command"), str(error))
