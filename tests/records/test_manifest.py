"""The manifest of a tournament: its form on disk, and forms of older versions."""

from typing import Any

import pytest

from referee.errors import InputError
from referee.records.manifest import Manifest, flat_settings, read_manifest

SETTINGS: dict[str, Any] = {"seed": 1, "rules of a": "0123456789abcdef", "bots": ["a", "b of a"]}
BOT_SETTINGS: dict[str, dict[str, Any]] = {
    "a": {"time": "1000ms per move", "command": "human", "build": None, "env": {}},
    "b of a": {"time": "no clock", "command": ["./b"], "build": "make", "env": {"X": "1"}},
}
MANIFEST = Manifest(
    "cup",
    ["a", "b of a"],
    {"standoff-5x5": "standoff"},
    settings=SETTINGS,
    bot_settings=BOT_SETTINGS,
)


def test_manifest_is_read_as_it_was_written() -> None:
    """Settings of bots are found by the bot and the key."""
    assert MANIFEST.to_json()["bot_settings"]["a"]["time"] == "1000ms per move"
    assert read_manifest(MANIFEST.to_json()) == MANIFEST


def test_older_manifest_has_the_settings_of_bots_among_the_others() -> None:
    """They are found by the bot, and compare equal to those of today."""
    older = MANIFEST.to_json()
    del older["bot_settings"]
    older["settings"] = flat_settings(SETTINGS, BOT_SETTINGS)
    assert older["settings"]["time of b of a"] == "no clock"
    assert read_manifest(older) == MANIFEST
    assert read_manifest(older).all_settings() == older["settings"]


@pytest.mark.parametrize("bot_settings", [[], {"a": 1}, {"a": {}, "b": [1]}, "text", None])
def test_wrong_settings_of_bots_are_rejected(bot_settings: Any) -> None:
    """A results folder may come from an untrusted source."""
    with pytest.raises(InputError, match="does not describe a tournament"):
        read_manifest({**MANIFEST.to_json(), "bot_settings": bot_settings})


@pytest.mark.parametrize("settings", [[], "text", 1, None])
def test_wrong_settings_of_an_older_manifest_are_rejected(settings: Any) -> None:
    """The same holds for the form of older versions."""
    older = {**MANIFEST.to_json(), "settings": settings}
    del older["bot_settings"]
    with pytest.raises(InputError, match="does not describe a tournament"):
        read_manifest(older)
