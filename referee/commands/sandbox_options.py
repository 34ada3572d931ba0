"""The option `--sandbox`, and the line that describes the isolation."""

import argparse

from referee.sandbox.probe import AUTO, CHOICES
from referee.sandbox.rungs import NONE, Rung


def add_sandbox_argument(parser: argparse.ArgumentParser, default: str | None = AUTO) -> None:
    """Add `--sandbox`."""
    parser.add_argument(
        "--sandbox",
        choices=CHOICES,
        default=default,
        help="isolation of bots (default: auto, the strongest that works here)",
    )


def isolation_text(rung: Rung) -> str:
    """Describe the isolation in one line."""
    return f"isolation: {rung.name}" + (", bots run with your rights" if rung.name == NONE else "")
