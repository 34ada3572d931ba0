"""Public library for bots in Python: `play` implements the protocol, the bot supplies `choose`.

    from referee.kit import play

    def choose(turn):
        return turn.legal[0]

    play(choose)

The code is in for_bots/, which is on the PYTHONPATH of every bot: a bot whose Python does not have
this package installed imports the same `referee.kit` from there.
"""

from referee.for_bots.referee.kit import Turn, play

__all__ = ["Turn", "play"]
