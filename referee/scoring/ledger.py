"""The ledger: all games of a tournament, added up one by one."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from referee.errors import InputError
from referee.ratings.game_columns import GameColumns
from referee.records.checks import settings_changed_error
from referee.records.columnar import ColumnarList
from referee.records.fixture_ids import FixtureIdSet
from referee.records.games_file import GamesFile, RecordedGame
from referee.records.manifest import Manifest
from referee.records.summary import GameSummary
from referee.schedule.formats import Round, Schedule, ordered_pair
from referee.schedule.knockout import Knockout
from referee.scoring.schedule_checks import EncounterKey, check_schedule, redo_options
from referee.scoring.standings import Standings, make_standings
from referee.scoring.tally import Tally
from referee.scoring.timing import Timing
from referee.scoring.withdrawals import Withdrawals


class Ledger:
    """All games of a tournament so far, added up."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.tally = Tally()
        self.timing = Timing()
        self.game_columns = GameColumns()
        self.withdrawals = Withdrawals(manifest)
        self.done = FixtureIdSet()
        """The ids of fixtures that have a record."""
        self.scores: dict[EncounterKey, tuple[float, float]] = {}
        """Points of each pair in each encounter; only kept if pairings depend on results."""
        self._encounter_games: Counter[EncounterKey] = Counter()
        self._keeps_scores = manifest.has_rounds
        self.hashes: defaultdict[str, set[str]] = defaultdict(set)
        """Hashes of the files with which each bot has played."""
        # Caches by board, valid until the next game: several tables use the same values.
        self._standings: dict[str | None, Standings] = {}
        self._repeated: dict[str | None, int] = {}

    def add(self, game: GameSummary) -> bool:
        """Add a game; return False if it was added before."""
        if not self.done.add(game.id):
            return False
        self._standings.clear()
        self._repeated.clear()
        self.tally.add(game)
        self.timing.add(game)
        self.withdrawals.add(game)
        first, second = game.bots
        self.game_columns.add(
            first,
            second,
            game.board,
            game.encounter,
            game.score,
            game.moves_key,
            game.opening_key,
        )
        if self._keeps_scores:
            self._add_score(game)
        first_hash, second_hash = game.hashes
        self.hashes[first].add(first_hash)
        self.hashes[second].add(second_hash)
        return True

    def add_all(self, games: Iterable[GameSummary], file: GamesFile) -> None:
        """Add games of a file; raise RecordError if one of them has two records."""
        for game in games:
            if not self.add(game):
                raise file.duplicate(game.id)

    def _add_score(self, game: GameSummary) -> None:
        first, second = game.bots
        pair = ordered_pair(first, second)
        one, two = game.score if pair[0] == first else reversed(game.score)
        key = (pair, game.encounter)
        before = self.scores.get(key, (0.0, 0.0))
        self.scores[key] = (before[0] + one, before[1] + two)
        self._encounter_games[key] += 1

    def schedule(self) -> Schedule:
        """Make the schedule with its rounds up to the first that is not complete."""
        schedule = self.manifest.schedule()
        for current in schedule.play(lambda: self.scores):
            if self._keeps_scores and not self.is_complete(current):
                break
        return schedule

    def encounter_games(self, key: EncounterKey) -> int:
        """Count the games of an encounter on all boards."""
        return self._encounter_games[key]

    def is_complete(self, played: Round) -> bool:
        """Check that all games of a round have been played."""
        games = 2 * len(self.manifest.boards)
        return all(
            self._encounter_games[match.pair, number] == games
            for match in played.matches
            for number in match.numbers
        )

    def is_over(self) -> bool:
        """Check that every game has a record; a knockout is over when it has a champion."""
        if not self._keeps_scores:
            return len(self.done) == self.manifest.games
        schedule = self.schedule()
        if isinstance(schedule, Knockout):
            return schedule.champion is not None
        return all(self.is_complete(games) for games in schedule.rounds)

    @property
    def withdrawn(self) -> list[str]:
        """Bots whose games do not count, because of their number of faults."""
        gone = {bot for _, bot in self.withdrawals.found}
        return [bot for bot in self.manifest.bots if bot in gone] if gone else []

    def standings(self, board: str | None = None) -> Standings:
        """Compute the standings of one board, or of all."""
        if len(self.manifest.boards) == 1:
            board = None  # the same games
        if board not in self._standings:
            self._standings[board] = self._make_standings(board)
        return self._standings[board]

    def repeated(self, board: str | None = None) -> int:
        """Count games of one board, or of all, that have the moves of an earlier one."""
        from referee.ratings.encounter_table import count_repeated  # imports numpy

        if len(self.manifest.boards) == 1:
            board = None  # the same games
        if board not in self._repeated:
            self._repeated[board] = count_repeated(self.game_columns, self.withdrawn, board)
        return self._repeated[board]

    def _make_standings(self, board: str | None) -> Standings:
        manifest = self.manifest
        schedule = self.schedule() if self._keeps_scores else None
        byes = schedule.byes if schedule else {}
        # Matches of a bracket are played on all boards, so it ranks no single board.
        bracket = schedule.ranking if isinstance(schedule, Knockout) and board is None else ()
        worth = manifest.games_per_match // (len(manifest.boards) if board else 1)
        return make_standings(
            self.tally,
            manifest.bots,
            manifest.tie_breaks,
            self.withdrawn,
            board,
            {bot: float(worth * count) for bot, count in byes.items()},
            bracket,
            worth,
        )


def count_games(manifest: Manifest, games: GamesFile) -> Ledger:
    """Add up all games of a file, without a check against the schedule."""
    ledger = Ledger(manifest)
    games.read(manifest, _summaries, lambda summaries: ledger.add_all(summaries, games))
    return ledger


def read_ledger(manifest: Manifest, games: GamesFile) -> Ledger:
    """Add up all games of a file; raise InputError if one is not part of this tournament."""
    ledger = count_games(manifest, games)
    check_schedule(ledger, games)
    return ledger


def _summaries(number: int, games: Iterable[RecordedGame]) -> ColumnarList[GameSummary]:
    return ColumnarList([summary for _, summary in games])


def check_settings(manifest: Manifest, before: Manifest) -> None:
    """Raise InputError if old and new records would have different settings."""
    now = json.loads(json.dumps(manifest.all_settings()))
    changes = _schedule_changes(manifest, before) if manifest.has_rounds else []
    changes += [
        f"{key}: {_setting_text(old)} before, {_setting_text(now[key])} now"
        for key, old in before.all_settings().items()
        if key in now and now[key] != old
    ]
    if changes:
        raise settings_changed_error(changes)


def _schedule_changes(manifest: Manifest, before: Manifest) -> list[str]:
    """List changes of a schedule whose pairings depend on results; others may be extended."""
    changes = []
    if before.encounters is not None and before.encounters != manifest.encounters:
        changes.append(f"encounters: {before.encounters} before, {manifest.encounters} now")
    if before.boards.keys() != manifest.boards.keys():
        names = [", ".join(sorted(boards)) for boards in (before.boards, manifest.boards)]
        changes.append(f"variants: {names[0]} before, {names[1]} now")
    return changes


def _setting_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def check_hashes(ledger: Ledger, hashes: dict[str, str]) -> None:
    """Raise InputError if the files of a bot changed since it played."""
    changed = [
        bot for bot, current in hashes.items() if not ledger.hashes.get(bot, set()) <= {current}
    ]
    if changed:
        bots = " and ".join(changed)
        raise InputError(
            f"the files of {bots} have changed since games were played: {redo_options(changed)}"
            f" plays the games of {bots} again, --fresh starts again (the old folder is moved"
            " aside), --out DIR starts in another one"
        )
