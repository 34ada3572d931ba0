"""Types of the requests that the referee sends to the launcher, as marshalled dictionaries.

Imported for type checking only: at run time the launcher does without `typing`.
"""

from typing import TypedDict, final


@final
class ConfinementFields(TypedDict):
    """The fields of `bots.command.Confinement`, where they are documented, and the bot's user."""

    drops_root: bool
    memory: int
    processes: int
    files: int
    file_size: int
    scratch: int
    network: bool
    filters_calls: bool
    write: tuple[str, ...]
    wrapper: tuple[str, ...]
    inside: tuple[str, ...]
    reports: bool
    scratch_in: str
    private_root: bool
    reads_closed: bool
    landlock: bool
    read: tuple[str, ...]
    user: int
    """The user id that the supervisor chose for the bot; 0: that of the launcher."""


@final
class BotRequest(TypedDict):
    """A request to start a bot; its descriptors are the bot's streams and the status socket."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    confinement: ConfinementFields | None


@final
class LauncherRequest(TypedDict):
    """A request to fork another launcher; its descriptor is the socket for requests."""

    core: int | None
    """The processor core that its bots run on; None: any."""


Request = BotRequest | LauncherRequest
