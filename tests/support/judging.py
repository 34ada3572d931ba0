"""One game and its verdict in one word, without other tests' helpers: for any Python and user."""

from referee.bots.bot import Bot
from referee.errors import OutsideError
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.loop import play_game
from referee.protocol.time_control import TimeControl
from referee.rules import find_variant


def setup() -> GameSetup:
    """Return the setup of a game with long limits."""
    game, time = find_variant("lockdown"), TimeControl.per_move("60s")
    play = PlaySettings(startup_ms=60_000)
    return GameSetup("test", GameConfig(game.name, game.size, game.on(), (time, time), play))


def judge(bots: tuple[Bot, Bot]) -> str:
    """Play a game; return `played` if no bot committed a fault, or why it is void."""
    try:
        played = play_game(setup(), bots)
    except OutsideError as error:
        return str(error)
    return "played" if not played.faults else f"fault: {played.faults}"
