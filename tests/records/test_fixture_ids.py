"""Compact sets of fixture ids."""

from hypothesis import given
from hypothesis import strategies as st

from referee.records.fixture_ids import FixtureIdSet

IDS = st.one_of(
    st.builds(
        "{}.{}.{}.{}{}".format,
        st.sampled_from(["standoff-5x5", "my.game-3x3"]),
        st.sampled_from(["alpha", "beta"]),
        st.sampled_from(["alpha", "beta"]),
        st.one_of(st.integers(0, 9), st.sampled_from(["01", "+1", "", "10" * 9, "٣"])),
        st.sampled_from(["a", "b", "c", "ab", ""]),
    ),
    st.sampled_from(["", ".", "1a", "beta.1a", ".beta.1a", "alpha.beta.1a\n"]),
)


@given(st.lists(IDS), st.lists(IDS))
def test_fixture_id_set_behaves_like_a_set(added: list[str], others: list[str]) -> None:
    """For ids of any form, added in any number."""
    ids = FixtureIdSet()
    for id in added:
        ids.add(id)
    assert len(ids) == len(set(added))
    assert [id in ids for id in (*added, *others)] == [id in set(added) for id in (*added, *others)]
