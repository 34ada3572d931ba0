"""Abilities of a terminal, from its environment."""

import pytest

from referee.system.terminal import file_link, has_links


@pytest.mark.parametrize(
    ("environment", "links"),
    [
        ({}, False),
        ({"TERM": "xterm"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7006"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4601"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "new"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "foot-extra"}, True),
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"WT_SESSION": "8f6c"}, True),
        ({"TERM": "screen.xterm-256color", "VTE_VERSION": "7006"}, False),
        ({"TERM": "screen-256color", "VTE_VERSION": "7006", "TMUX": "/tmp/tmux"}, True),
        ({"TERM": "xterm", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
    ],
)
def test_links_are_for_terminals_that_are_known_to_have_them(
    environment: dict[str, str], links: bool
) -> None:
    """Others get the plain path; a variable decides for the rest."""
    assert has_links(environment) is links


def test_the_address_of_a_link_has_no_blanks() -> None:
    """Nor anything else that could end it."""
    text = file_link("/a b/\x1b%/c", "c")
    assert text.startswith("\x1b]8;;file://")
    assert "/a%20b/%1B%25/c\x1b\\c\x1b]8;;\x1b\\" in text
