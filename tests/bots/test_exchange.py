"""Time that is not charged to the bot that was asked."""

from time import monotonic

import pytest

from referee.bots.exchange import Exchange
from referee.bots.player import Player
from referee.protocol.transcript import Transcript

LOST_SECONDS = 1_000.0


def test_time_in_which_the_opponent_ran_is_given_back() -> None:
    """Both the deadline and the start of the measured time move."""
    bot, opponent = Player(), Player()
    exchange = Exchange((bot, opponent), Transcript(0.0))
    exchange.sent_at = now = monotonic()
    opponent.ran_until = now + LOST_SECONDS
    assert exchange._extend_deadline(bot, now + 5) == pytest.approx(now + 5 + LOST_SECONDS)
    assert exchange.sent_at == pytest.approx(now + LOST_SECONDS)
    # It is given back once.
    assert exchange._extend_deadline(bot, now + 5) == pytest.approx(now + 5)


def test_time_of_a_slow_stop_is_given_back() -> None:
    """Not to a bot that keeps the machine busy itself."""
    bot, opponent = Player(), Player()
    exchange = Exchange((bot, opponent), Transcript(0.0))
    exchange.sent_at = now = monotonic()
    opponent.slow_stop_until = now + LOST_SECONDS
    bot.is_restless = True
    assert exchange._extend_deadline(bot, now + 5) == now + 5
    bot.is_restless = False
    assert exchange._extend_deadline(bot, now + 5) == pytest.approx(now + 5 + LOST_SECONDS)


def test_time_before_the_turn_is_not_given_back() -> None:
    bot, opponent = Player(), Player()
    exchange = Exchange((bot, opponent), Transcript(0.0))
    exchange.sent_at = now = monotonic()
    opponent.ran_until = now - LOST_SECONDS
    assert exchange._extend_deadline(bot, now + 5) == now + 5
