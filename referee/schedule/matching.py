"""Perfect matchings of a graph by preference. Pure.

Augmenting paths are found with Edmonds' blossom algorithm (J. Edmonds, "Paths, Trees, and Flowers",
1965). Pairs are fixed in order of preference if the rest keeps a perfect matching.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence

Allowed = Callable[[int, int], bool]
MeetingCounts = Mapping[tuple[int, int], int]
"""Number of meetings, under both orders of the pair; 0 may be omitted."""


def pair_by_preference(
    count: int, preferences: Callable[[int, Sequence[int]], list[int]], met: MeetingCounts
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


def _add_rematches(mates: list[int], met: MeetingCounts, allowed: Allowed) -> set[tuple[int, int]]:
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
            _Search(mates, rest, member, allowed).augment()
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
    if not _Search(mates, sorted(rest), first, possible).augment():
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
            _Search(mates, vertices, one, allowed).augment()
    return mates


class _Search:
    """A breadth-first search for an augmenting path from an unmatched root.

    Vertices of the alternating tree are outer, at an even distance from the root, or inner. An edge
    between two outer vertices closes a blossom, all of whose vertices become outer.
    """

    def __init__(
        self, mates: list[int], members: Sequence[int], root: int, allowed: Allowed
    ) -> None:
        self.mates = mates
        """Changed in place if a path is found."""
        self.members = members
        self.root = root
        self.allowed = allowed
        self.parent: dict[int, int] = {}
        """The outer vertex from which an inner vertex was reached."""
        self.base = {member: member for member in members}
        """The base of the outermost blossom of each vertex; without one, the vertex itself."""
        self.outer = {root}
        self.queue = deque([root])
        """Outer vertices whose edges have not been followed."""

    def augment(self) -> bool:
        """Find a path and flip it; return False if none exists."""
        mates, parent, base, allowed = self.mates, self.parent, self.base, self.allowed
        while self.queue:
            here = self.queue.popleft()
            for there in self.members:
                if there == here or base[there] == base[here] or mates[here] == there:
                    continue
                if not allowed(here, there):
                    continue
                if there == self.root or (mates[there] >= 0 and mates[there] in parent):
                    self._contract(here, there)
                elif there not in parent:
                    parent[there] = here
                    if mates[there] < 0:
                        self._flip(there)
                        return True
                    self.outer.add(mates[there])
                    self.queue.append(mates[there])
        return False

    def _contract(self, here: int, there: int) -> None:
        """Contract the blossom that an edge between two outer vertices closes."""
        stem = self._common_base(here, there)
        blossom = self._mark_path(here, stem, there) | self._mark_path(there, stem, here)
        for member, base in self.base.items():
            if base in blossom:
                self.base[member] = stem
                if member not in self.outer:
                    self.outer.add(member)
                    self.queue.append(member)

    def _common_base(self, one: int, two: int) -> int:
        """Find the last common base on the paths from two outer vertices to the root."""
        passed = set()
        while True:
            one = self.base[one]
            passed.add(one)
            if one == self.root or self.mates[one] < 0:
                break
            one = self.parent[self.mates[one]]
        while self.base[two] not in passed:
            two = self.parent[self.mates[self.base[two]]]
        return self.base[two]

    def _mark_path(self, vertex: int, stem: int, child: int) -> set[int]:
        """Set the parents on one side of a blossom; return the bases on this side."""
        bases: set[int] = set()
        while self.base[vertex] != stem:
            mate = self.mates[vertex]
            bases |= {self.base[vertex], self.base[mate]}
            self.parent[vertex] = child
            child, vertex = mate, self.parent[mate]
        return bases

    def _flip(self, vertex: int) -> None:
        """Exchange matched and unmatched edges on the path from a vertex to the root."""
        while vertex >= 0:
            before = self.parent[vertex]
            following = self.mates[before]
            self.mates[vertex], self.mates[before] = before, vertex
            vertex = following
