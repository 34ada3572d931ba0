"""Perfect matchings of a graph by preference. Pure.

Augmenting paths are found with Edmonds' blossom algorithm (J. Edmonds, "Paths, Trees, and Flowers",
1965). Pairs are fixed in order of preference if the rest keeps a perfect matching.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence

Allowed = Callable[[int, int], bool]
Met = Mapping[tuple[int, int], int]
"""Number of meetings, under both orders of the pair; 0 may be omitted."""


def pair_by_preference(
    count: int, preferences: Callable[[int, Sequence[int]], list[int]], met: Met
) -> list[tuple[int, int]]:
    """Pair 0..count-1 (an even number), in order, each with the first possible preference.

    A pair is possible if the rest keeps a perfect matching. As many pairs as possible have the
    fewest meetings of all; the others have as few as possible.
    """
    fewest = 0 if len(met) < count * (count - 1) else min(met.values(), default=0)

    def allowed(one: int, two: int) -> bool:
        return met.get((one, two), 0) == fewest

    mates = maximum_matching(count, allowed)
    needed = _add_rematches(mates, met, allowed)

    def possible(one: int, two: int) -> bool:
        return allowed(one, two) or (one, two) in needed

    free = set(range(count))
    pairs = []
    for one in range(count):
        if one not in free:
            continue
        others = sorted(free - {one})
        for two in preferences(one, others):
            if possible(one, two) and _try_pair(mates, free, one, two, possible):
                break
        else:
            two = mates[one]  # The current matching is perfect, so this pair is possible.
            free -= {one, two}
        pairs.append((one, two))
    return pairs


def _add_rematches(mates: list[int], met: Met, allowed: Allowed) -> set[tuple[int, int]]:
    """Complete a maximum matching by as few pairs as possible that are not allowed; return these.

    Pairs with fewer meetings are tried first, then those closer in rank. One pass is enough: a
    pair that cannot be fixed now cannot be fixed after others were.
    """
    unmatched = mates.count(-1)
    needed: set[tuple[int, int]] = set()
    if not unmatched:
        return needed
    members = set(range(len(mates)))
    rematches = [(one, two) for one, two in met if one < two and not allowed(one, two)]
    for one, two in sorted(rematches, key=lambda pair: (met[pair], pair[1] - pair[0], pair)):
        if {one, two} <= members and _fix_rematch(mates, members, one, two, allowed):
            members -= {one, two}
            needed |= {(one, two), (two, one)}
            unmatched -= 2
            if not unmatched:
                break
    return needed


def _fix_rematch(mates: list[int], members: set[int], one: int, two: int, allowed: Allowed) -> bool:
    """Fix a pair of members if that leaves two members fewer unmatched than before."""
    before = list(mates)
    unmatched = sum(mates[member] < 0 for member in members)
    for mate in (mates[one], mates[two]):
        if mate >= 0:
            mates[mate] = -1
    mates[one], mates[two] = two, one
    rest = sorted(members - {one, two})
    for member in rest:
        if mates[member] < 0:
            _augment(mates, rest, member, allowed)
    if sum(mates[member] < 0 for member in rest) == unmatched - 2:
        return True
    mates[:] = before
    return False


def _try_pair(mates: list[int], free: set[int], one: int, two: int, possible: Allowed) -> bool:
    """Fix a pair if their former mates can be paired otherwise."""
    first, second = mates[one], mates[two]
    if first == two:
        free -= {one, two}
        return True
    rest = free - {one, two}
    before = list(mates)
    mates[one], mates[two] = two, one
    mates[first] = mates[second] = -1
    if not _augment(mates, sorted(rest), first, possible):
        mates[:] = before
        return False
    free -= {one, two}
    return True


def maximum_matching(count: int, allowed: Allowed) -> list[int]:
    """Find a maximum matching: the mate of each vertex, or -1."""
    mates = [-1] * count
    for one in range(count):  # A greedy matching leaves few vertices to search for.
        if mates[one] < 0:
            for two in range(one + 1, count):
                if mates[two] < 0 and allowed(one, two):
                    mates[one], mates[two] = two, one
                    break
    vertices = list(range(count))
    for one in range(count):
        if mates[one] < 0:
            _augment(mates, vertices, one, allowed)
    return mates


def _augment(mates: list[int], members: Sequence[int], root: int, allowed: Allowed) -> bool:
    """Find an augmenting path from an unmatched root and flip it; return False if none exists."""
    parent: dict[int, int] = {}
    base = {member: member for member in members}
    outer = {root}
    queue = deque([root])
    while queue:
        here = queue.popleft()
        for there in members:
            if there == here or base[there] == base[here] or mates[here] == there:
                continue
            if not allowed(here, there):
                continue
            if there == root or (mates[there] >= 0 and mates[there] in parent):
                _shrink(here, there, root, mates, parent, base, outer, queue)
            elif there not in parent:
                parent[there] = here
                if mates[there] < 0:
                    _flip(mates, parent, there)
                    return True
                outer.add(mates[there])
                queue.append(mates[there])
    return False


def _shrink(
    here: int,
    there: int,
    root: int,
    mates: list[int],
    parent: dict[int, int],
    base: dict[int, int],
    outer: set[int],
    queue: deque[int],
) -> None:
    """Contract the odd cycle (blossom) that an edge between outer vertices closes."""
    stem = _common_base(here, there, root, mates, parent, base)
    blossom: set[int] = set()
    _mark(here, stem, there, mates, parent, base, blossom)
    _mark(there, stem, here, mates, parent, base, blossom)
    for member in base:
        if base[member] in blossom:
            base[member] = stem
            if member not in outer:
                outer.add(member)
                queue.append(member)


def _common_base(
    one: int, two: int, root: int, mates: list[int], parent: dict[int, int], base: dict[int, int]
) -> int:
    passed = set()
    while True:
        one = base[one]
        passed.add(one)
        if one == root or mates[one] < 0:
            break
        one = parent[mates[one]]
    while base[two] not in passed:
        two = parent[mates[base[two]]]
    return base[two]


def _mark(
    at: int,
    stem: int,
    child: int,
    mates: list[int],
    parent: dict[int, int],
    base: dict[int, int],
    blossom: set[int],
) -> None:
    while base[at] != stem:
        blossom |= {base[at], base[mates[at]]}
        parent[at] = child
        child = mates[at]
        at = parent[mates[at]]


def _flip(mates: list[int], parent: dict[int, int], at: int) -> None:
    while at >= 0:
        before = parent[at]
        following = mates[before]
        mates[at], mates[before] = before, at
        at = following
