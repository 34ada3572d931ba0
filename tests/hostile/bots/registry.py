"""The list of attacks: when each happens, and its expected result."""

PLAYS_ON = "plays on"
"""Its attack failed, and the game went on to its end."""
EVERYWHERE = ("bwrap", "limits", "none")
ISOLATED = ("bwrap", "limits")
ATTACKS = {}


class Attack:
    """One attack; what depends on the rung is kept by rung."""

    def __init__(self, deed, verdict, says, when, rungs, opponent_thinks=False, network=False):
        self.name = deed.__name__
        self.word = f"{deed.__module__.rpartition('.')[2]}.{deed.__name__}"
        self.deed = deed
        self.when = when
        self.rungs = rungs
        self.opponent_thinks = opponent_thinks
        self.network = network
        self._verdict = verdict
        self._says = says

    def verdict(self, rung):
        """Return the reason of its loss, or that it plays on."""
        return self._verdict[rung] if isinstance(self._verdict, dict) else self._verdict

    def says(self, rung):
        """Return a pattern for the text with which it reports how its attempt was refused."""
        return self._says[rung] if isinstance(self._says, dict) else self._says


def attack(verdict=PLAYS_ON, says=None, when="turn", rungs=ISOLATED, **terms):
    """Add a function to the list.

    It happens at `start` (before anything is read), at `game` (instead of `ready`), at the first
    `turn` (and then, unless it returns True, an honest move follows), right after that `move`, or
    when the game has come to its `end`. Its terms: `opponent_thinks`, and does not answer at once;
    it may use the `network`.
    """

    def register(deed):
        assert deed.__name__ not in ATTACKS
        ATTACKS[deed.__name__] = Attack(deed, verdict, says, when, rungs, **terms)
        return deed

    return register
