"""Swiss, knockout and gauntlet tournaments with real bots: play, resume, tables."""

import json
import random

import pytest

from tests.conftest import Referee
from tests.end_to_end.test_run import PYTHON, Cup, cup, killed_after, results_of

__all__ = ["cup"]  # the fixture

FORMATS = [
    {"format": "gauntlet", "challengers": ["b2", "b4"]},
    {"format": "gauntlet"},
    {"format": "swiss", "rounds": 3},
    {"format": "knockout"},
]


def field(cup: Cup, count: int, **settings: object) -> None:
    """Write a tournament of this many random bots."""
    cup.bring("random_bot.py", "bot.py")
    bots = [{"name": f"b{n}", "command": f"{PYTHON} bot.py"} for n in range(1, count + 1)]
    cup.write(bots=bots, encounters=1, **settings)


@pytest.mark.parametrize("settings", FORMATS, ids=lambda s: "-".join(map(str, s.values())))
def test_formats_resume_after_kills(cup: Cup, settings: dict) -> None:
    """Killed repeatedly, every format ends with the games and tables of an undisturbed run."""
    field(cup, 5, **settings)
    cup.run("--workers", "2", "--out", "calm")
    dice = random.Random(1)
    for _ in range(2):
        killed_after(cup, "2", dice.randrange(1, 8))
    cup.run("--workers", "1", "--out", "wild")
    assert results_of(cup.records("wild")) == results_of(cup.records("calm"))
    assert cup.tables("wild") == cup.tables("calm")
    if settings["format"] in ("swiss", "knockout"):
        assert view(cup, "wild") == view(cup, "calm")
    assert "games were played before" in cup.run("--out", "wild").stderr


def view(cup: Cup, out: str) -> str:
    return (cup.folder / out / "rounds.md").read_text()


def test_gauntlet_has_only_games_of_challengers(cup: Cup) -> None:
    """And none between challengers."""
    field(cup, 5, format="gauntlet", challengers=["b2", "b4"])
    cup.run()
    pairs = {frozenset(record["bots"]) for record in cup.records()}
    assert pairs == {frozenset({a, b}) for a in ("b2", "b4") for b in ("b1", "b3", "b5")}


def test_swiss_byes_count_as_won_matches(cup: Cup) -> None:
    """With five bots each round has a bye; it gives points, shown in a column, but no games."""
    field(cup, 5, format="swiss", rounds=3)
    result = cup.run()
    rows = json.loads((cup.folder / "results/cup/standings.json").read_text())["overall"]["rows"]
    assert sum(row["byes"] for row in rows) == 3
    assert max(row["byes"] for row in rows) == 1
    assert {row["bye_points"] for row in rows} == {0, 4}
    assert sum(row["points"] for row in rows) == len(cup.records()) + 12
    assert " byes " in result.stdout
    assert view(cup, "results/cup").count("has a bye") == 3
    shown = cup.referee("standings", "results/cup").stdout
    assert " byes " in shown


def test_knockout_ends_with_a_champion(cup: Cup) -> None:
    """The bracket names the champion, who lost no match; there is a match for the third place."""
    field(cup, 6, format="knockout")
    result = cup.run()
    text = view(cup, "results/cup")
    assert "Quarter-finals" in text
    assert "Final and third place" in text
    for place in ("Champion: b", "Second: b", "Third: b"):
        assert place in text
        assert place in result.stdout
    data = json.loads((cup.folder / "results/cup/standings.json").read_text())
    titles = [round["title"] for round in data["rounds"]]
    assert all(f"{title}\n" in text for title in titles)
    ranked = {row["bot"]: row["rank"] for row in data["overall"]["rows"]}
    assert [ranked[data["places"][place]] for place in ("champion", "second", "third")] == [1, 2, 3]
    assert sorted(ranked.values()) == [1, 2, 3, 4, 5, 5]
    note = "- ranks follow the bracket, not points: rounds.md has every match and play-off\n"
    assert note in result.stdout
    assert note in (cup.folder / "results/cup/standings.md").read_text()
    # The command that prints the tables later shows the rounds, too.
    rounds = text.partition("```\n")[2].partition("```")[0]
    shown = cup.referee("standings", "results/cup").stdout
    assert shown.endswith(f"\n{rounds}")
    assert shown.startswith(cup.referee("standings", "results/cup", "--format", "simple").stdout)


@pytest.mark.parametrize(("format", "key"), [("knockout", "bots"), ("gauntlet", "challengers")])
def test_change_of_seeds_is_rejected(cup: Cup, format: str, key: str) -> None:
    """Where pairings follow from the order of the file."""
    field(cup, 4, format=format)
    cup.run()
    cup.write(bots=list(reversed(cup.settings["bots"])))
    assert f"{key}: [" in cup.run(code=2).stderr


def test_change_of_format_rounds_or_challengers_is_rejected(cup: Cup) -> None:
    """The message names the change."""
    field(cup, 4, format="swiss", rounds=1)
    cup.run()
    cup.write(rounds=2)
    assert "rounds: 1 before, 2 now" in cup.run(code=2).stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "swiss"}, "format: a Swiss tournament needs the number of its `rounds`"),
        ({"rounds": 3}, "rounds: this belongs to `format: swiss`"),
        ({"challengers": ["alpha"]}, "challengers: this belongs to `format: gauntlet`"),
        (
            {"format": "gauntlet", "challengers": ["alfa"]},
            "challengers[1]: there is no bot 'alfa': did you mean alpha?",
        ),
        (
            {"format": "gauntlet", "challengers": ["alpha", "beta", "gamma"]},
            "challengers: no opponent is left",
        ),
        (
            {"format": "knockout", "disqualify_after": 3},
            "disqualify_after: this works with fixed pairings only",
        ),
        ({"format": "swiss", "rounds": 0}, "rounds: it is `0`: expected 1 or more"),
    ],
)
def test_keys_of_another_format_are_explained(cup: Cup, settings: dict, message: str) -> None:
    """Each key belongs to its format."""
    cup.write(**settings)
    assert message in cup.run(code=2).stderr


def test_dry_run_counts_the_games_of_a_format(cup: Cup) -> None:
    """By the schedule of the format."""
    field(cup, 6, format="knockout", variants=["standoff"])
    result = cup.run("--dry-run")
    assert "format:      knockout" in result.stdout
    assert "pairings:    6" in result.stdout
    assert "games:       12" in result.stdout


def test_run_writes_ratings_beside_the_standings(cup: Cup, referee: Referee) -> None:
    """Elo, interval and superiority, printed, written and in JSON."""
    cup.write(encounters=10)
    result = cup.run()
    assert "Ratings: All games" in result.stdout
    assert "better than next" in result.stdout
    text = (cup.folder / "results/cup/ratings.md").read_text()
    assert "Ratings: standoff-5x5" in text
    assert "Moving first in lockdown-5x6 is worth" in text
    data = json.loads((cup.folder / "results/cup/standings.json").read_text())
    for part in (data["overall"], *data["boards"].values()):
        rows = part["ratings"]["rows"]
        assert len(rows) == 3
        known = [row for row in rows if row["elo"] is not None]
        assert all(row["low"] < row["elo"] < row["high"] for row in known)
        assert abs(sum(row["elo"] for row in known)) < 1
        assert all(row["low"] or row["high"] for row in rows)
    shown = referee("standings", "results/cup", "--ratings", "--variant", "standoff").stdout
    assert "Ratings: standoff-5x5" in shown


def program(cup: Cup, name: str, at: int) -> None:
    """Write a bot that always plays the legal move at this index."""
    text = (
        "for line in open(0):\n"
        "    if line.startswith('game'): print('ready', flush=True)\n"
        f"    if line.startswith('turn'): print('move', line.split()[-1][6:].split(';')[{at}],"
        " flush=True)\n"
    )
    (cup.folder / f"{name}.py").write_text(text)


@pytest.fixture
def edited(cup: Cup) -> Cup:
    """Play a Swiss tournament and change its first bot afterwards."""
    for number in range(1, 7):
        program(cup, f"b{number}", 0)
    bots = [{"name": f"b{n}", "command": f"{PYTHON} b{n}.py"} for n in range(1, 7)]
    cup.write(bots=bots, encounters=1, variants=["standoff"], format="swiss", rounds=3)
    cup.run()
    program(cup, "b1", -1)
    return cup


def test_redo_that_changes_later_rounds_needs_consent(edited: Cup) -> None:
    """Without it nothing is dropped; with it, all later rounds are played again, and kept aside."""
    cup = edited
    before = (cup.folder / "results/cup/games.jsonl").read_bytes()
    error = cup.run("--redo", "b1", code=2).stderr
    assert "the pairings after the first games of b1 depend on them" in error
    assert "games of other bots would have to be played again" in error
    assert "--redo b1 --reschedule" in error
    assert (cup.folder / "results/cup/games.jsonl").read_bytes() == before
    cup.run("--redo", "b1", "--reschedule")
    assert (cup.folder / "results/cup/games-before-redo-1.jsonl").read_bytes() == before
    cup.run("--out", "fresh")
    assert results_of(cup.records()) == results_of(cup.records("fresh"))
    assert cup.tables() == cup.tables("fresh")
    assert view(cup, "results/cup") == view(cup, "fresh")


def test_record_outside_of_the_schedule_is_named(edited: Cup) -> None:
    """By file, line and id; --reschedule removes it and continues."""
    cup = edited
    program(cup, "b1", 0)
    calm = cup.tables()
    path = cup.folder / "results/cup/games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[1:]))
    later = json.loads(lines[6])
    place = f"results/cup/games.jsonl: line 6: {later['id']} is not in the schedule: "
    for words in (("run", "cup.yaml"), ("standings", "results/cup"), ("report", "results/cup")):
        assert place in cup.referee.refuse(*words)
    assert "--reschedule is for tournaments of" in reschedule_of_a_round_robin(cup)
    cup.run("--reschedule")
    assert cup.tables() == calm
    assert len((path.parent / "games-before-redo-1.jsonl").read_bytes().splitlines()) == 17


def reschedule_of_a_round_robin(cup: Cup) -> str:
    settings = {key: value for key, value in cup.settings.items() if key != "rounds"}
    text = json.dumps(settings | {"format": "round-robin"})
    (cup.folder / "other.yaml").write_text(text)
    return cup.referee.refuse("run", "other.yaml", "--reschedule")


@pytest.mark.parametrize("format", [{"format": "knockout"}, {"format": "swiss", "rounds": 2}])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"encounters": 2}, "encounters: 1 before, 2 now"),
        (
            {"variants": ["standoff", "runner"]},
            "variants: standoff-5x5 before, runner-5x5, standoff-5x5 now",
        ),
    ],
)
def test_change_of_encounters_or_boards_is_rejected(
    cup: Cup, format: dict, changes: dict, message: str
) -> None:
    """Where results decide the pairings."""
    field(cup, 4, variants=["standoff"], **format)
    cup.run()
    cup.write(**changes)
    assert message in cup.run(code=2).stderr
