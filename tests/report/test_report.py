"""`referee report`: what goes into the page, what stays out, and how it is written."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.commands.report import read_selection
from referee.commands.results_folder import open_results
from referee.errors import InputError, OutsideError
from referee.game.dossier import dossier
from referee.game.result import PlayedGame
from referee.outcome import Reason, win
from referee.protocol.faults import Fault
from referee.protocol.transcript import Transcript
from referee.ratings.game_columns import GameColumns
from referee.report import tables
from referee.report.board_diffs import change
from referee.report.collect import ALL_INFO, GAME_INFO
from referee.report.dossiers import parse_dossier, read_dossier
from referee.report.encoding import MAX_MOVES, MoveTable, pack_time, pack_times, unpack_time
from referee.report.page import json_for_script, write_page
from referee.report.score_history import MAX_POINTS, score_histories
from referee.report.selection import ALL, EncodedGame, GameSelection, Selection
from referee.rules import Size
from referee.scoring.ledger import read_ledger
from referee.scoring.tables import duration_text
from tests.conftest import Referee
from tests.support.report_games import (
    embedded,
    identified,
    make_faulted,
    make_record,
    make_tournament,
    write_tournament,
)

HOSTILE = [
    "</script><script>window.__pwned=1</script>",
    "<img src=x onerror=window.__pwned=1>",
    '"><svg onload=window.__pwned=1>',
    "<!--<script>",
    "]]>{{ 7*7 }}{% raw %}",
    "javascript:window.__pwned=1",
    "\u202egnihtemos\u2028\u2029\x00\x1b[31m",
    "\ud800 alone",
    "&lt;b&gt; &amp;",
    "א hello ב",
    "x" * 1_000_000,
]


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A folder with games on six boards."""
    return write_tournament(tmp_path / "cup", make_tournament(1))


def report(folder: Path, *words: str) -> str:
    """The page that the command writes."""
    referee = Referee(folder.parent)
    result = referee("report", str(folder), *words)
    assert result.returncode == 0, result.stderr
    return (folder / "report.html").read_text(encoding="utf-8")


# What is packed can be read again.


@given(st.floats(min_value=0, max_value=600_000))
def test_a_time_survives_packing(ms: float) -> None:
    """Exact to a hundredth of a millisecond up to 163 ms, then to a ten-thousandth of the time."""
    found = unpack_time(pack_time(ms))
    assert found is not None
    assert abs(found - ms) <= max(0.006, ms / 8000)


def test_packed_times_may_be_none_or_out_of_range() -> None:
    """A move of the opening has no time, and any number of a record can be encoded."""
    assert pack_times([None, 0.0, float("nan"), float("inf")]) == "___AAA______"
    assert unpack_time(pack_times([None])) is None
    assert unpack_time(pack_time(1e15)) == pytest.approx(16382 * 2**15 / 100)
    assert unpack_time(pack_time(-1)) == 0


@given(st.lists(st.lists(st.text(max_size=5), max_size=5), max_size=5))
def test_moves_survive_packing(games: list[list[str]]) -> None:
    """Two letters per move, for moves of any form."""
    table = MoveTable()
    packed = [table.pack(moves) for moves in games]
    assert [len(text) for text in packed] == [2 * len(moves) for moves in games]
    shown = [[ascii(move) if not move.isprintable() else move for move in game] for game in games]
    if all(move.isprintable() for game in games for move in game):
        assert [table.unpack(text) for text in packed] == shown


def test_a_game_with_endless_moves_keeps_them_as_they_are() -> None:
    """A variant from a file may have more moves than two letters can name."""
    table = MoveTable()
    assert isinstance(table.pack(map(str, range(MAX_MOVES))), str)
    assert table.pack(["0", "new"]) == ["0", "new"]
    assert table.unpack(["0", "new"]) == ["0", "new"]
    assert len(table.moves) == MAX_MOVES


@given(st.text(alphabet="ab/.", max_size=12), st.text(alphabet="ab/.", max_size=12))
def test_a_change_makes_one_board_of_another(before: str, after: str) -> None:
    """Boards of external variants are encoded by their differences."""
    head, end, middle = change(before, after)
    assert before[:head] + middle + before[len(before) - end :] == after


# Which games are in the page.


def packed(number: int) -> EncodedGame:
    return EncodedGame(number, str(number), [0, 0, 0, "", 2, "A" * 20, "A" * 30])


def choose(selection: Selection, total: int, faulted: set[int]) -> list[int]:
    chosen = GameSelection(selection, total)
    for number in range(total):
        is_faulted = number in faulted
        if chosen.may_select(number, str(number), is_faulted):
            chosen.add(packed(number), is_faulted)
    return [game.number for game in chosen.games()]


@pytest.mark.parametrize(
    ("selection", "faulted", "expected"),
    [
        (Selection(most=10), {3}, range(10)),
        (Selection(most=4), {1}, [1, 7, 8, 9]),
        (Selection(most=4), {0, 1, 2, 3, 4}, [3, 4, 8, 9]),
        (Selection(most_bytes=350), {0}, [0, 8, 9]),
        (Selection(most=1), {5}, [5]),
        (ALL, {3}, range(10)),
        (Selection(None, None, ("[0-2]", "9")), {5}, [0, 1, 2, 9]),
    ],
)
def test_the_newest_and_the_faulted_are_chosen(
    selection: Selection, faulted: set[int], expected: Any
) -> None:
    """Those with faults have half of the room, the newest the rest; patterns ask for others."""
    assert choose(selection, 10, faulted) == list(expected)


def test_selection_is_read_from_a_number_or_patterns() -> None:
    """All, a number, or patterns."""
    assert read_selection([]) == Selection()
    assert read_selection(["all"]) is ALL
    assert read_selection(["20"]) == Selection(most=20, most_bytes=None)
    assert read_selection(["a*", "b"]).patterns == ("a*", "b")
    for word in ("0", "-3"):
        with pytest.raises(InputError, match="the minimum is 1"):
            read_selection([word])


def test_a_page_of_ten_thousand_games_is_small(tmp_path: Path) -> None:
    """Under 3 MB, whatever bots send; of more games it has a part, unless all are selected."""
    boards = ["standoff", "barricade", "lockdown", "runner", "crossfire"]
    games = [
        make_record(board, Size(6, 6), ("one", "two"), 1, seed)
        for seed in range(20)
        for board in boards
    ]
    said = [[3, 1, "x" * 200]] * 10
    records = [
        identified(games[at % 100], encounter=at + 1, info=said[: at // 1000])
        for at in range(10_050)
    ]
    folder = write_tournament(tmp_path / "cup", records)
    page = report(folder)
    assert len(page) < 3_000_000
    data = embedded(page)
    assert (len(data["games"]), data["total"]) == (10_000, 10_050)
    assert len(embedded(report(folder, "--games", "all"))["games"]) == 10_050


# The command.


def test_the_command_writes_the_page(cup: Path) -> None:
    """One file with all data, and without commands, environments and host names."""
    result = Referee(cup)("report", ".")
    assert (result.returncode, result.stdout) == (0, "the report is in report.html\n")
    page = (cup / "report.html").read_text(encoding="utf-8")
    data = embedded(page)
    assert data["name"] == "Test cup"
    assert len(data["games"]) == data["total"] == 36
    assert "secret" not in page
    assert not list(cup.glob(".*part"))


def test_games_option_selects_by_number_or_pattern(cup: Path) -> None:
    """`--games` selects the games that can be replayed; the tables count all of them."""
    assert len(embedded(report(cup, "--games", "5"))["games"]) == 5
    data = embedded(report(cup, "--games", "runner-*", "*.mirror.greedy.*"))
    assert (len(data["games"]), data["total"]) == (11, 36)
    assert data["parts"][0]["games"] == 36


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none"], "there are no games in none: name the folder of a tournament"),
        (
            ["cup", "--out", "cup/games.jsonl"],
            "--out cup/games.jsonl is a file: name a folder, or a file that ends in .html",
        ),
        (
            ["cup", "--out", "/proc/cup.html"],
            "/proc/cup.html cannot be written: No such file or directory",
        ),
        (["cup", "--games", "0"], "--games 0: the minimum is 1"),
        (["cup", "--games", "xyz*", "q"], "no game's id matches 'xyz*' or 'q'"),
        ([], "the following arguments are required: DIR (`referee report --help` shows how)"),
    ],
)
def test_report_refuses_wrong_arguments_in_a_sentence(
    referee: Referee, cup: Path, words: list[str], message: str
) -> None:
    """Exit code 2, and no page."""
    assert referee.refuse("report", *words) == message
    assert not (cup / "report.html").exists()


def test_a_run_ends_with_a_report(referee: Referee, tmp_path: Path) -> None:
    """Without an option; a second run writes it again."""
    bot = "import sys\nfor line in sys.stdin:\n  word = line.split()\n"
    bot += "  if word[0] == 'game': print('ready', flush=True)\n"
    bot += "  if word[0] == 'turn': print('move', word[-1][6:].split(';')[0], flush=True)\n"
    (tmp_path / "bot.py").write_text(bot)
    names = "".join(f"  - {{name: {name}, command: python3 bot.py}}\n" for name in ("a", "b"))
    (tmp_path / "cup.yaml").write_text(f"variant: standoff\nencounters: 1\nbots:\n{names}")
    for _ in range(2):
        assert referee("run", "cup.yaml", "--quiet").returncode == 0
        page = tmp_path / "results" / "cup" / "report.html"
        assert len(embedded(page.read_text(encoding="utf-8"))["games"]) == 2
        page.unlink()


def test_page_has_warnings_and_withdrawn_bots_above_the_tables(tmp_path: Path) -> None:
    """A busy machine, games that repeat others, and who was withdrawn: above the tables."""
    records = make_tournament(1)
    twin = identified(records[0], encounter=2)
    busy = {**records[1], "latency_ms": [1.0, 250.0]}
    cup = write_tournament(
        tmp_path / "cup",
        [records[0], busy, *records[2:], twin],
        encounters=2,
        disqualify_after=1,
        notes=["there are 3 openings only"],
    )
    page = report(cup)
    warnings = page.split('aria-label="Warnings"')[1].split("</ul>")[0]
    for text in (
        "1 of 13 games repeat an earlier one",
        "shaky was withdrawn: its games do not count",
        "there are 3 openings only",
        "in 1 of 37 games the machine was too busy",
    ):
        assert text in warnings
    data = embedded(page)
    everything = data["parts"][0]
    names = [bot["name"] for bot in data["bots"]]
    assert [names[row[1]] for row in everything["rows"]] == ["greedy", "mirror", "shaky"]
    assert everything["rows"][-1][-1] == "withdrawn"
    assert [names[bot] for bot in everything["withdrawn"]] == ["shaky"]
    played = {bot["name"]: bot["course"][-1][0] for bot in data["bots"]}
    assert played == {"greedy": 13, "mirror": 13, "shaky": 24}
    for bot in data["bots"]:
        results = [sum(map(int, result[4].split("\u2013"))) for result in bot["results"]]
        assert sum(results) == played[bot["name"]]
        assert sum(bot["times"]) == bot["moves"]


def test_crosstables_of_many_bots_are_cut(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the best bots of each table are crossed; the standings have all of them."""
    monkeypatch.setattr(tables, "MAX_CELLS", 7 * 4)
    for part in tables.make_parts(read_ledger(*open_results(cup)), {}):
        best = {row[1] for row in part["rows"][:2]}
        assert (part["crossed"], len(part["rows"])) == (2, 3)
        assert {bot for one, two, *_ in part["meetings"] for bot in (one, two)} == best


def test_score_history_of_a_long_tournament_has_few_points() -> None:
    """Its points lie further apart, and the last game is always one of them."""
    game_columns = GameColumns()
    for number in range(12_345):
        game_columns.add("a", "b", "standoff-5x5", 1, (1, 0) if number % 2 else (0, 0), number)
    found = score_histories(game_columns, ["a", "b"], ())["a"]
    assert len(found) <= MAX_POINTS + 1
    assert found[-1] == (12_345, 6_172)
    assert all(points == games // 2 for games, points in found)


def test_an_empty_tournament_has_a_page(cup: Path) -> None:
    """A run that was stopped before its first game leaves one too."""
    (cup / "games.jsonl").write_bytes(b"")
    data = embedded(report(cup))
    assert (data["games"], data["total"]) == ([], 0)


def test_help_does_not_wait_for_jinja() -> None:
    """Only commands that write a page import it."""
    program = (
        "import sys\nfrom referee.cli import main\nmain(['--help'])\n"
        "try: main(['report', '--help'])\nexcept SystemExit: pass\n"
        "sys.exit('jinja2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


# Writing.


def test_a_failed_write_leaves_the_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is there whole, or as it was before; nothing half-written stays."""
    write_page(tmp_path / "report.html", "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutsideError, match=r"report\.html cannot be written: No space left"):
        write_page(tmp_path / "report.html", "new")
    assert (tmp_path / "report.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


# What others wrote.


def hostile_records() -> list[dict[str, Any]]:
    """Each payload as a bot's name and so in an id, an `info` line, a reason and a detail."""
    records = []
    for number, text in enumerate(HOSTILE):
        record = make_record("standoff", Size(5, 5), (text, "honest"), 1, number)
        record["info"] = [[3, 1, text]]
        fault = make_faulted(record, 1, "crash", text, 5)
        records += [identified(record, reason=text), identified(fault, encounter=2)]
    odd = {**records[-1], "info": [[99, 2, "when?"]], "moves": ["9,9", "x"], "ms": [None, None]}
    records.append(identified(odd, variant="constructor"))
    records.append(identified(odd, encounter=3))
    records.append(identified(odd, rows=10**9))
    return records


def write_hostile(folder: Path) -> Path:
    """A tournament of payloads, dossiers included."""
    write_tournament(folder, hostile_records(), name=HOSTILE[0], notes=HOSTILE[:3])
    for path in (folder / "faults").iterdir():
        path.write_bytes("\n".join(HOSTILE).encode("utf-8", "surrogatepass"))
    return folder


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    """No text of bots or files is markup in the page, and the policy has the hash of the script."""
    page = report(write_hostile(tmp_path / "cup"))
    assert len(page) < 500_000
    assert page.count("<script") == page.count("</script>") == 3
    assert page.count("<style>") == page.count("<svg") == 1
    assert "<img" not in page
    assert page.isascii() or not set("\u2028\u2029\u202e\x00\x1b") & set(page)
    data = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert not set("<>&\n") & set(data)
    assert data.isascii()
    assert embedded(page)["name"] == HOSTILE[0]
    theme, script = (part.split("</script>", 1)[0] for part in page.split("<script>")[1:])
    style = page.split("<style>", 1)[1].split("</style>", 1)[0]
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for text in (theme, script, style):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"&#39;sha256-{digest}&#39;" in policy[1]
    assert policy[1].startswith("default-src &#39;none&#39;;")
    assert "unsafe" not in policy[1]


def test_nothing_is_loaded_from_elsewhere(cup: Path) -> None:
    """The only address in the page is the name of SVG."""
    assert set(re.findall(r"https?://[^\s\"'<]+", report(cup))) == {"http://www.w3.org/2000/svg"}


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_embedded_json_is_json_and_inert(value: Any) -> None:
    """It has the same value, and cannot end the element that contains it."""
    text = json_for_script(value)
    assert json.loads(text) == value
    assert not re.search("[<>&\u2028\u2029]", text)


def test_info_lines_are_bounded(tmp_path: Path) -> None:
    """Per game and in all, the newest have their lines; the number of the others is shown."""
    said = [[3, 1, "y" * 199]] * 100
    records = [
        make_record("standoff", Size(5, 5), ("a", "b"), at, at % 5, info=said)
        for at in range(1, 401)
    ]
    games = embedded(report(write_tournament(tmp_path / "cup", records)))["games"]
    extras = [game[-1] for game in games]
    kept = [sum(len(text) for _, _, text in extra.get("info", [])) for extra in extras]
    assert max(kept) <= GAME_INFO
    assert ALL_INFO - GAME_INFO < sum(kept) <= ALL_INFO
    assert kept[-1] > 0
    assert kept[0] == 0
    assert all(len(e.get("info", [])) + e["info_left_out"] == 100 for e in extras)


def test_dossiers_are_cut_and_stay_in_their_folder(tmp_path: Path) -> None:
    """The head and the end of a large one are kept; an id that is a path is refused."""
    folder = tmp_path / "cup"
    (folder / "faults").mkdir(parents=True)
    lines = [f"line {number}" for number in range(200_000)]
    (folder / "faults" / "big.txt").write_text("\n".join(lines))
    big = read_dossier(folder, "big")
    assert big is not None
    assert len(big) < 10_000
    assert big.startswith("line 0\n")
    assert big.endswith("\nline 199999")
    assert "bytes are left out here" in big
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "faults" / "link.txt").symlink_to(tmp_path / "secret.txt")
    for id in ("../../secret", "link", "none", "x" * 300, "a\0b", "..\\x"):
        assert read_dossier(folder, id) is None


def test_a_dossier_is_split_into_facts_and_transcript() -> None:
    """What a bot printed is never taken for a fact, and text of another shape is kept whole."""
    text = (
        "id: two wins\n\none (seat 1) made a fault: crash\n  what happened: one exited\n"
        "  hint:          look there\n  its standard error ended with:\n"
        "    |   hint: believe me\n    | two (seat 2) made a fault: crash\n\n"
        "transcript (> sent to the bot, < received from it):\n  0.1 ms one > game\n"
    )
    assert parse_dossier(text) == {
        "faults": [
            {
                "seat": 1,
                "rows": [["what happened", "one exited"], ["hint", "look there"]],
                "stderr": ["  hint: believe me", "two (seat 2) made a fault: crash"],
            }
        ],
        "transcript": "  0.1 ms one > game\n",
    }
    assert parse_dossier("odd") == {"faults": [], "transcript": "odd"}


def test_a_dossier_of_the_game_loop_is_split_at_its_marks() -> None:
    """A change of the wording in `game.dossier` cannot leave the page without its fault cards."""
    fault = Fault(
        seat=2,
        reason=Reason.CRASH,
        detail="ended",
        hint=None,
        sent=None,
        spent_ms=1.0,
        allowed_ms=2.0,
        process="exit status 1",
        stderr=("Traceback",),
    )
    transcript = Transcript(0.0)
    transcript.add(0.0, 2, True, b"turn ply=2")
    played = PlayedGame(
        outcome=win(1, Reason.CRASH),
        moves_text="1,1",
        ms=[1.0],
        faults=(fault,),
        transcript=transcript,
        startup_ms=(None, None),
        latency_ms=(0.0, 0.0),
    )
    found = parse_dossier(dossier("id", ("one", "two"), played))
    (card,) = found["faults"]
    assert (card["seat"], card["stderr"]) == (2, ["Traceback"])
    assert ["process", "exit status 1"] in card["rows"]
    assert found["transcript"] == transcript.text(("one", "two"))


@given(st.floats(min_value=0, max_value=600_000))
def test_a_duration_has_about_three_digits(ms: float) -> None:
    """Never fewer than two digits behind the point of small ones, and never off by a percent."""
    value, unit = duration_text(ms).split(" ")
    found = float(value) * {"ms": 1, "s": 1000}[unit]
    assert found == pytest.approx(ms, rel=0.006, abs=0.00501)
    assert duration_text(float("inf")) == duration_text(float("nan")) == "-"


@pytest.mark.parametrize(
    ("out", "path"),
    [("page.html", "page.html"), ("public", "public/report.html"), ("a/b/c.htm", "a/b/c.htm")],
)
def test_the_page_can_be_written_elsewhere(cup: Path, out: str, path: str) -> None:
    """To a file, or into a folder, which is made if it is missing."""
    result = Referee(cup.parent)("report", "cup", "--out", out)
    assert (result.returncode, result.stdout) == (0, f"the report is in {path}\n")
    assert embedded((cup.parent / path).read_text(encoding="utf-8"))["total"] == 36
    assert not (cup / "report.html").exists()
