"""One recorded game for a page or a picture of its own."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import Any

from referee.outcome import Outcome
from referee.records.analysis_file import AnalysisIndex, analysed_games
from referee.records.record import Record
from referee.records.summary import board_of, faults_of
from referee.report.analyses import encode_game
from referee.report.board_diffs import board_changes, find_foreign_rules
from referee.report.collect import clock_numbers, describe_extras
from referee.report.dossiers import parse_dossier, read_dossier
from referee.report.encoding import MAX_MOVE_LENGTH
from referee.report.page import make_share_page
from referee.report.page_data import why_template
from referee.report.rules_pages import built_in_rules
from referee.report.svg_game import draw_game
from referee.rules import BUILT_IN, Rules, Variant, find_variant
from referee.rules.grid import Size
from referee.text import printable, short_label


def share_page(record: Record, folder: Path, variants: Mapping[str, Variant]) -> str:
    """Render a page that plays the game."""
    board = board_of(record)
    rules = find_foreign_rules([board], variants).get(board)
    title, sentence = _title(record), _sentence(record)
    game = describe_game(record, folder, rules)
    if (analysis := _analysis(record, folder)) is not None:
        game["analysis"] = analysis
    data = {
        "game": game,
        "rules": built_in_rules([board]).get(record["variant"]),
    }
    return make_share_page(data, title, short_label(board), sentence)


def share_svg(record: Record, variants: Mapping[str, Variant]) -> str:
    """Draw the game as an animated picture; a game whose rules are not known has no boards."""
    rules = _rules(record, variants)
    return draw_game(
        boards=_boards(record, rules),
        marks=_marks(rules),
        variant=record["variant"] if record["variant"] in BUILT_IN else "",
        origin=rules.origin if rules else 1,
        names=_names(record),
        moves=_moves(record),
        title=_title(record),
        ending=_sentence(record),
        winner=Outcome(_score(record), record["reason"]).winner,
    )


def describe_game(record: Record, folder: Path | None, rules: Rules[Any] | None) -> dict[str, Any]:
    """Describe the game as js/replay.js expects it; without a folder there is no dossier."""
    faults = faults_of(record)
    extras = describe_extras(record, faults)
    dossier = read_dossier(folder, record["id"]) if faults and folder else None
    clocks = [short_label(text) for text in record.get("clocks", ["", ""])]
    return {
        "id": printable(record["id"], 200),
        "board": {
            "variant": short_label(record["variant"]),
            "rows": record["rows"],
            "cols": record["cols"],
            "origin": rules.origin if rules else 1,
            "marks": _marks(rules),
        },
        "bots": _names(record),
        "opening": record["opening"],
        "moves": _moves(record),
        "times": [
            round(ms, 2) if isinstance(ms, int | float) and isfinite(ms) else None
            for ms in record["ms"]
        ],
        "score": record["score"],
        "reason": short_label(record["reason"]),
        "why": why_template(short_label(record["reason"])),
        "clocks": [[text, *clock_numbers(text)] for text in clocks],
        "faults": extras.get("faults", []),
        "info": extras.get("info", []),
        "values": extras.get("values", []),
        "infoLeftOut": extras.get("info_left_out", 0),
        "dossier": None if dossier is None else parse_dossier(dossier),
        "boards": board_changes(rules, record["moves"]) if rules else None,
    }


def _analysis(record: Record, folder: Path) -> dict[str, Any] | None:
    """Describe the analysis of the game; None if there is none."""
    with closing(AnalysisIndex(folder)) as index:
        for game in analysed_games([record], index):
            return encode_game(game, _printable_moves)
    return None


def _score(record: Record) -> tuple[float, float]:
    first, second = record["score"]
    return first, second


def _names(record: Record) -> list[str]:
    return [short_label(name) for name in record["bots"]]


def _moves(record: Record) -> list[str]:
    return _printable_moves(record["moves"])


def _printable_moves(moves: Sequence[object]) -> list[str]:
    return [printable(str(move), MAX_MOVE_LENGTH) for move in moves]


def _title(record: Record) -> str:
    return " against ".join(_names(record))


def _sentence(record: Record) -> str:
    one, two = _names(record)
    outcome = Outcome(_score(record), short_label(record["reason"]))
    plies = len(record["moves"])
    return f"{outcome.sentence((one, two))}, after {plies} {'ply' if plies == 1 else 'plies'}"


def _rules(record: Record, variants: Mapping[str, Variant]) -> Rules[Any] | None:
    if record["variant"] in BUILT_IN:
        return find_variant(record["variant"]).on(Size(record["rows"], record["cols"]))
    return find_foreign_rules([board_of(record)], variants).get(board_of(record))


def _marks(rules: Rules[Any] | None) -> list[str]:
    return [short_label(mark) for mark in rules.marks] if rules else ["1", "2"]


def _boards(record: Record, rules: Rules[Any] | None) -> Sequence[str]:
    """Return the board before the first move and after each legal one."""
    boards: list[str] = []
    text = ""
    for head, end, middle in board_changes(rules, record["moves"]) if rules else ():
        text = text[:head] + middle + text[len(text) - end :]
        boards.append(text)
    return boards
