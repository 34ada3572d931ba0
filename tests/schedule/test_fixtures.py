"""The schedule before any game: openings, pairings, ids and seeds."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.config.tournament import Tournament, read_tournament
from referee.errors import InputError
from referee.outcome import Outcome, win
from referee.rules import BUILT_IN, Rules, Size, canonical_board, find_variant, play_moves
from referee.schedule.fixtures import (
    Board,
    Encounter,
    Fixture,
    bots_of_id,
    encounters_in_order,
    fixture_id,
    fixture_seed,
    make_encounter,
)
from referee.schedule.formats import RoundRobin
from referee.schedule.openings import MAX_LISTED, Opening, find_openings

NAMES = st.lists(
    st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True),
    min_size=2,
    max_size=6,
    unique_by=str.casefold,
)


def rules_of(variant: str, rows: int = 5, cols: int = 5) -> Rules[Any]:
    return find_variant(variant).on(Size(rows, cols))


def position(rules: Rules[Any], moves: tuple[str, ...]) -> tuple[str, int]:
    """Return what is equal for equal openings."""
    state = play_moves(rules, moves)
    return rules.board(state), rules.to_move(state)


@pytest.mark.parametrize("variant", BUILT_IN)
@pytest.mark.parametrize("plies", [0, 1, 2, 3, 5])
def test_openings_are_legal_unfinished_and_distinct(variant: str, plies: int) -> None:
    """Of the requested length, odd ones too."""
    rules = rules_of(variant, 5, 6)
    openings = find_openings(rules, plies, 60, "1")
    assert openings
    assert {len(moves) for moves in openings} == {plies}
    assert len({position(rules, moves) for moves in openings}) == len(openings)
    states = [play_moves(rules, moves) for moves in openings]
    assert all(rules.outcome(state) is None for state in states)
    assert {rules.to_move(state) for state in states} == {1 + plies % 2}


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (3, 16), (16, 3), (16, 16)])
@pytest.mark.parametrize("variant", BUILT_IN)
def test_every_board_has_openings(variant: str, rows: int, cols: int) -> None:
    """From the smallest to the largest, at the default length."""
    rules = rules_of(variant, rows, cols)
    openings = find_openings(rules, 2, 5, "1")
    assert openings
    assert all(rules.outcome(play_moves(rules, moves)) is None for moves in openings)


@pytest.mark.parametrize(
    ("variant", "plies"), [*((variant, 2) for variant in BUILT_IN), ("barricade", 5)]
)
def test_opening_does_not_depend_on_their_number(variant: str, plies: int) -> None:
    """Whether they are enumerated or drawn."""
    rules = rules_of(variant)
    many = find_openings(rules, plies, 40, "7 board")
    assert len(many) == 40
    for count in (1, 17):
        assert find_openings(rules, plies, count, "7 board") == many[:count]
    assert find_openings(rules, plies, 40, "8 board") != many


def test_openings_are_enumerated_if_few_and_drawn_if_many() -> None:
    """Both cases occur in the test above."""
    assert len(find_openings(rules_of("crossfire"), 2, 10**6, "1")) < MAX_LISTED
    listed = find_openings(rules_of("barricade"), 4, MAX_LISTED, "1")
    assert len(listed) < MAX_LISTED
    assert len(listed) * 8 > MAX_LISTED  # one ply more, and there are too many


def sequences(rules: Rules[Any], plies: int, moves: tuple[str, ...] = ()) -> Iterator[tuple]:
    """Return all sequences of this many plies that do not end the game."""
    state = play_moves(rules, moves)
    if rules.outcome(state) is None:
        if len(moves) == plies:
            yield moves
        else:
            for move in rules.legal_moves(state):
                yield from sequences(rules, plies, (*moves, move))


def test_openings_of_a_small_board_are_complete() -> None:
    """On 4x4 every game of lockdown has four plies: three can be an opening, four cannot."""
    rules = rules_of("lockdown", 4, 4)
    assert len(find_openings(rules, 1, 1000, "1")) == 16
    openings = find_openings(rules, 3, 1000, "1")
    everything = list(sequences(rules, 3))
    assert set(openings) < set(everything)  # the others lead to one of the same positions
    assert len(openings) == len({position(rules, moves) for moves in everything}) == 420
    assert find_openings(rules, 4, 1000, "1") == []
    assert find_openings(rules_of("lockdown"), 100, 10, "1") == []


class Stairs(Rules[tuple[int, ...]]):
    """A game of three steps, up to nine ways each; a step of 0 ends the game."""

    def __init__(self, ways: int) -> None:
        self.ways = ways

    def start(self) -> tuple[int, ...]:
        return ()

    def to_move(self, state: tuple[int, ...]) -> int:
        assert self.outcome(state) is None, "asked after the end"
        return 1 + len(state) % 2

    def legal_moves(self, state: tuple[int, ...]) -> list[str]:
        assert self.outcome(state) is None, "asked after the end"
        return [str(way) for way in range(self.ways)]

    def apply(self, state: tuple[int, ...], move: str) -> tuple[int, ...]:
        return (*state, int(move))

    def outcome(self, state: tuple[int, ...]) -> Outcome | None:
        return win(1, "stairs") if 0 in state or len(state) == 3 else None

    def board(self, state: tuple[int, ...]) -> str:
        return "".join(map(str, state)) or "."


@pytest.mark.parametrize(("ways", "plies", "count"), [(2, 1, 1), (3, 2, 4), (9, 2, 64), (1, 1, 0)])
def test_openings_do_not_query_rules_after_the_end(ways: int, plies: int, count: int) -> None:
    """Openings that end a game are left out."""
    assert len(find_openings(Stairs(ways), plies, 1000, "1")) == count


@pytest.mark.parametrize(("ways", "count"), [(1000, 50), (200, 300)])
def test_drawn_openings_never_end_the_game(ways: int, count: int) -> None:
    """Where there are too many to enumerate."""
    openings = find_openings(Stairs(ways), 2, count, "1")
    assert len(set(openings)) == count
    assert not any("0" in moves for moves in openings)


def boards(*counts: int) -> dict[Board, list[Opening]]:
    """Return boards with this number of openings each."""
    return {
        Board(variant, Size(5, 5)): [(f"{variant}{i}",) for i in range(count)]
        for variant, count in zip(BUILT_IN, counts, strict=False)
    }


def round_robin(
    names: list[str],
    openings: dict[Board, list[Opening]],
    encounters: int,
    seed: int,
    *,
    spread: bool = False,
) -> Iterator[Encounter]:
    """Return all encounters of a round robin, in the order of play."""
    (round,) = RoundRobin(names, encounters).play(dict)
    return encounters_in_order(
        round.matches, openings, seed, len(round.matches) if spread else None
    )


def encounters_of(cup: Tournament) -> list[Encounter]:
    """Return all encounters of a tournament file."""
    (round,) = cup.manifest("none").schedule().play(dict)
    return list(cup.encounters(round.matches))


def fixtures_of(encounters: list[Encounter]) -> list[Fixture]:
    return [fixture for encounter in encounters for fixture in encounter.fixtures]


@pytest.mark.parametrize("variant", ["runner", "my-game", "a-2x3"])
def test_board_is_found_from_its_name(variant: str) -> None:
    """The name of a variant may contain hyphens."""
    board = Board(variant, Size(3, 16))
    assert Board.parse(board.name) == board


@pytest.mark.parametrize("name", ["runner", "runner-5", "runner-5x", "runner-5x5x5", "runner 5x5"])
def test_text_that_is_no_name_of_a_board_is_rejected(name: str) -> None:
    """It has no variant, or no size."""
    with pytest.raises(ValueError, match=r"values to unpack|invalid literal"):
        Board.parse(name)


@given(NAMES, st.integers(1, 4), st.integers(1, 3), st.integers(0, 9))
def test_every_pair_meets_equally_from_both_seats(
    names: list[str], encounters: int, count: int, seed: int
) -> None:
    """On every board and with each opening."""
    played = fixtures_of(list(round_robin(names, boards(*[2] * count), encounters, seed)))
    seats = Counter((fixture.board, fixture.bots) for fixture in played)
    pairs = [(one, two) for one in names for two in names if one != two]
    assert seats == {(b.name, pair): encounters for b in boards(*[2] * count) for pair in pairs}
    assert len({fixture.id for fixture in played}) == len(played)
    by_opening = Counter((f.board, f.bots, f.opening, f.encounter) for f in played)
    assert all(by_opening[b, bots[::-1], o, e] == n for (b, bots, o, e), n in by_opening.items())


@given(NAMES, st.randoms(use_true_random=False))
def test_fixtures_do_not_depend_on_the_order_of_bots(names: list[str], dice: random.Random) -> None:
    """Ids, openings and seeds."""
    shuffled = dice.sample(names, len(names))
    one = list(round_robin(names, boards(3, 3), 3, 1))
    assert list(round_robin(shuffled, boards(3, 3), 3, 1)) == one


@given(NAMES, st.integers(1, 3), st.integers(1, 3))
def test_more_bots_encounters_or_boards_only_add_fixtures(
    names: list[str], more: int, boards_: int
) -> None:
    """The old ones stay as they are."""
    few = fixtures_of(list(round_robin(names[:2], boards(4), 1, 5)))
    many = fixtures_of(list(round_robin(names, boards(*[4] * boards_), more, 5)))
    assert set(few) <= set(many)


def test_fixtures_play_one_encounter_of_all_pairs_before_the_next() -> None:
    """So an interrupted tournament is balanced."""
    order = [
        (encounter.fixtures[0].encounter, encounter.fixtures[0].board, encounter.fixtures[0].bots)
        for encounter in round_robin(["b", "C", "a"], boards(2, 2), 2, 1)
    ]
    pairs = [("a", "b"), ("a", "C"), ("b", "C")]
    assert order == [
        (number, board, pair)
        for number in (1, 2)
        for board in ("standoff-5x5", "barricade-5x5")
        for pair in pairs
    ]


def test_encounter_has_two_games_with_exchanged_seats() -> None:
    """Letter a has the first name in seat 1, letter b the second; the opening is the same."""
    board, openings = Board("runner", Size(5, 7)), [("2,3",), ("2,2",)]
    first, second = make_encounter(("alpha", "beta"), board, openings, 2, 9).fixtures
    assert first.id == "runner-5x7.alpha.beta.2a"
    assert second.id == "runner-5x7.beta.alpha.2b"
    assert (first.bots, second.bots) == (("alpha", "beta"), ("beta", "alpha"))
    assert first.opening == second.opening == ("2,2",)
    assert first.encounter == second.encounter == 2


def test_openings_are_used_again_only_after_all_were_used() -> None:
    """Seven encounters on three openings: each twice before any is used a third time."""
    played = list(round_robin(["a", "b", "c"], boards(3), 7, 1))
    for pair in combinations("abc", 2):
        own = [e.fixtures[0].opening[0] for e in played if e.fixtures[0].bots == pair]
        assert own == [f"standoff{i % 3}" for i in range(7)]


@pytest.mark.parametrize("count", [1, 3, 10, 12, 14, 15, 16, 40])
@pytest.mark.parametrize("encounters", [1, 2, 5, 12])
def test_spread_openings_are_as_many_as_there_are(encounters: int, count: int) -> None:
    """All are played before one is played again, by all pairings together and by each of them."""
    played = list(round_robin(list("abcdef"), boards(count), encounters, 1, spread=True))
    used = [encounter.fixtures[0].opening for encounter in played]
    assert len(used) == 15 * encounters
    assert len(set(used)) == min(count, len(used))
    assert set(used) == {(f"standoff{number}",) for number in range(min(count, len(used)))}
    for pair in combinations("abcdef", 2):
        own = [e.fixtures[0].opening for e in played if e.fixtures[0].bots == pair]
        assert len(set(own)) == min(count, encounters)


def test_spread_openings_stay_when_encounters_are_added() -> None:
    """A tournament that goes on for longer keeps the fixtures that it had."""
    few = list(round_robin(list("abcd"), boards(40, 40), 2, 1, spread=True))
    many = list(round_robin(list("abcd"), boards(40, 40), 5, 1, spread=True))
    assert set(few) < set(many)


@pytest.mark.parametrize(
    ("variant", "rows", "cols", "plies"),
    [
        ("standoff", 5, 5, 2),
        ("crossfire", 6, 6, 2),
        ("lockdown", 4, 4, 2),
        ("barricade", 5, 5, 2),
        ("runner", 5, 5, 2),
        ("standoff", 9, 9, 3),  # too many to list
    ],
)
def test_openings_that_are_symmetric_to_others_come_last(
    variant: str, rows: int, cols: int, plies: int
) -> None:
    """First one of each kind, in the order in which they were drawn, then the rest."""
    rules = rules_of(variant, rows, cols)
    openings = find_openings(rules, plies, 600, "1")
    before = find_openings(rules, plies, 10_000, "1", symmetric_last=False)
    kinds = [
        canonical_board(position(rules, opening)[0], rules.symmetries()) for opening in openings
    ]
    new = [kind not in kinds[:number] for number, kind in enumerate(kinds)]
    assert new == sorted(new, reverse=True)
    first = openings[: sum(new)]
    assert first == [opening for opening in before if opening in set(first)]
    assert new.count(False) > 0 or len(openings) == 600


def test_a_game_without_symmetries_keeps_the_order_of_its_openings() -> None:
    """The order is that of the dice alone."""
    rules = rules_of("barricade", 4, 5)
    assert not rules.symmetries()
    before = find_openings(rules, 2, 100, "1", symmetric_last=False)
    assert find_openings(rules, 2, 100, "1") == before


def test_seeds_are_stable_and_differ() -> None:
    """A number for each fixture, the same for ever; it fits into every language's integers."""
    assert fixture_seed(1, "standoff-5x5.alpha.beta.1a") == 816_447_572
    fixtures = fixtures_of(list(round_robin(list("abcdefgh"), boards(3, 3), 5, 1)))
    seeds = [fixture.seed for fixture in fixtures]
    assert len(set(seeds)) == len(seeds) == 560
    assert all(0 <= seed < 2**31 for seed in seeds)
    again = fixtures_of(list(round_robin(list("abcdefgh"), boards(3, 3), 5, 2)))
    assert [fixture.id for fixture in again] == [fixture.id for fixture in fixtures]
    assert not {fixture.seed for fixture in again} & set(seeds)


def test_id_of_a_fixture_names_its_bots_by_seat() -> None:
    board = Board("standoff", Size(5, 5))
    for fixture in make_encounter(("alpha", "beta-2"), board, [()], 12, 1).fixtures:
        assert fixture.id == fixture_id(board.name, *fixture.bots, 12, fixture.id[-1])
        assert bots_of_id(fixture.id) == fixture.bots
    with pytest.raises(ValueError, match="unpack"):
        bots_of_id("standoff-5x5.1a")


def tournament(folder: Path, **changes: object) -> Tournament:
    """Read a tournament of three bots from a file."""
    (folder / "bot.py").write_text("")
    bots = changes.pop("bots", ["alpha", "beta", "gamma"])
    assert isinstance(bots, list)
    lines = [f"{key}: {value}" for key, value in {"variants": "[standoff]", **changes}.items()]
    lines += ["bots:", *(f"- {{name: {name}, command: python3 bot.py}}" for name in bots)]
    path = folder / "cup.yaml"
    path.write_text("\n".join(lines))
    return read_tournament(path)


def test_a_file_makes_its_fixtures(tmp_path: Path) -> None:
    """As many as it computes; shared openings are the same for every pairing."""
    cup = tournament(tmp_path, variants="[standoff, lockdown]", encounters=3, openings="shared")
    played = fixtures_of(encounters_of(cup))
    assert len(played) == cup.manifest("none").games == 36
    used: dict[tuple[str, int], set[tuple[str, ...]]] = {}
    for fixture in played:
        used.setdefault((fixture.board, fixture.encounter), set()).add(fixture.opening)
    assert all(len(openings) == 1 for openings in used.values())
    assert len(set().union(*used.values())) == 6


@pytest.mark.parametrize(
    "changes",
    [
        {"encounters": 9},
        {"variants": "[runner, standoff]"},
        {"variants": "[{name: standoff, rows: 6, cols: 6}, standoff]"},
        {"bots": ["gamma", "beta", "alpha"]},
        {"bots": ["delta", "gamma", "beta", "alpha"], "openings": "shared"},
        {"time": "5s"},
        {"name": "Another"},
    ],
)
def test_openings_depend_on_seed_variant_size_and_number_alone(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    """With any other changes of the file, a fixture that was there is there, with its opening."""
    same = {"encounters": 4, "openings": changes.get("openings", "spread")}
    before = fixtures_of(encounters_of(tournament(tmp_path, **same)))
    after = fixtures_of(encounters_of(tournament(tmp_path, **same | changes)))
    assert set(before) <= set(after)


def test_a_further_bot_changes_which_openings_are_spread_where(tmp_path: Path) -> None:
    """The list of openings stays; ids and seeds of the old fixtures stay, too."""
    small = tournament(tmp_path, encounters=2)
    large = tournament(tmp_path, encounters=2, bots=["alpha", "beta", "delta", "gamma"])
    ((board, few),) = small.openings.items()
    assert large.openings[board][: len(few)] == few
    after = {fixture.id: fixture for fixture in fixtures_of(encounters_of(large))}
    for fixture in fixtures_of(encounters_of(small)):
        assert after[fixture.id].seed == fixture.seed
    assert len({fixture.opening for fixture in after.values()}) == 12


@pytest.mark.parametrize("changes", [{"seed": 2}, {"opening_plies": 3}])
def test_another_seed_gives_other_openings(tmp_path: Path, changes: dict[str, object]) -> None:
    """With the same ids."""
    before = fixtures_of(encounters_of(tournament(tmp_path)))
    after = fixtures_of(encounters_of(tournament(tmp_path, **changes)))
    assert [fixture.id for fixture in before] == [fixture.id for fixture in after]
    assert [fixture.opening for fixture in before] != [fixture.opening for fixture in after]


def test_other_sizes_have_other_openings(tmp_path: Path) -> None:
    """Two boards of one variant use different random numbers."""
    cup = tournament(
        tmp_path, variants="[standoff, {name: standoff, rows: 5, cols: 6}]", encounters=9
    )
    small, large = cup.openings.values()
    assert small != large


def test_swiss_rematches_have_other_openings(tmp_path: Path) -> None:
    """As long as there are others."""
    cup = tournament(tmp_path, format="swiss", rounds=5, encounters=2)
    schedule = cup.manifest("none").schedule()
    played = [e for round in schedule.play(dict) for e in cup.encounters(round.matches)]
    assert max(encounter.fixtures[0].encounter for encounter in played) > 2
    assert len({encounter.fixtures[0].opening for encounter in played}) == len(played) == 10
    few = tournament(
        tmp_path, variants="[lockdown]", opening_plies=1, format="swiss", rounds=5, encounters=9
    )
    assert "16 different openings of 1 plies for 27 encounters" in few.short_of_openings()[0]


def test_a_round_of_a_swiss_tournament_has_many_openings(tmp_path: Path) -> None:
    """With one encounter per match, the matches of a round start from different openings."""
    bots = [f"bot{number}" for number in range(8)]
    cup = tournament(tmp_path, format="swiss", rounds=3, encounters=1, bots=bots)
    rounds = list(cup.manifest("none").schedule().play(dict))
    used = [
        {encounter.fixtures[0].opening for encounter in cup.encounters(round.matches)}
        for round in rounds
    ]
    assert [len(openings) for openings in used] == [4, 4, 4]
    assert len(set().union(*used)) == 12


def test_matches_of_a_knockout_have_openings_of_their_own(tmp_path: Path) -> None:
    """With play-offs: all matches are level here, and all openings are different."""
    bots = [f"bot{number}" for number in range(8)]
    cup = tournament(tmp_path, format="knockout", encounters=2, bots=bots)
    rounds = cup.manifest("none").schedule().play(dict)
    used = [
        encounter.fixtures[0].opening
        for round in rounds
        for encounter in cup.encounters(round.matches)
    ]
    assert len(set(used)) == len(used) == 8 * 4


def test_too_few_openings_are_reported(tmp_path: Path) -> None:
    """The run prints the number of each such board."""
    cup = tournament(tmp_path, variants="[standoff, lockdown]", opening_plies=1, encounters=20)
    assert [len(openings) for openings in cup.openings.values()] == [25, 16]
    assert cup.short_of_openings() == [
        "lockdown-4x4 has only 16 different openings of 1 plies for 20 encounters:"
        " each is used again after all were used"
    ]
    lockdown = [e.fixtures[0] for e in encounters_of(cup) if e.fixtures[0].board == "lockdown-4x4"]
    own = [fixture.opening for fixture in lockdown if fixture.bots == ("alpha", "beta")]
    assert len(set(own[:16])) == 16
    assert own[16:] == own[:4]


def test_results_from_before_openings_could_be_spread_go_on_as_they_were(tmp_path: Path) -> None:
    """Their manifest lacks the setting: all pairings share the openings, in the old order."""
    cup = tournament(tmp_path, encounters=9)
    rules = rules_of("standoff")
    before = find_openings(rules, 2, 9, "1 standoff-5x5", symmetric_last=False)
    settings = {key: value for key, value in cup.settings.items() if key != "openings"}
    manifest = replace(cup.manifest("none"), settings=settings)
    resumed = cup.resumed(manifest)
    assert resumed.settings == settings
    for encounter in encounters_of(resumed):
        fixture = encounter.fixtures[0]
        assert fixture.opening == before[fixture.encounter - 1]
    assert tournament(tmp_path, encounters=9, openings="shared").resumed(manifest) != cup
    with pytest.raises(InputError, match="openings: shared before, spread now"):
        tournament(tmp_path, encounters=9, openings="spread").resumed(manifest)
    assert cup.resumed(cup.manifest("none")) == cup
