"""Options of the solver: the budget of each position."""

import argparse
from typing import NamedTuple

from referee.analysis.budget import DEFAULT_NODES
from referee.errors import InputError
from referee.protocol.time_control import parse_duration


class SolverBudget(NamedTuple):
    """The budget of each position."""

    nodes: int
    budget_ms: int | None
    """Limit of the time, if there is one."""


def add_budget_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--nodes` and `--budget`."""
    parser.add_argument(
        "--nodes",
        type=int,
        metavar="N",
        help=f"budget of a position, in nodes of the search (default: {DEFAULT_NODES:,})",
    )
    parser.add_argument(
        "--budget", metavar="TIME", help="limit of the time for a position as well, like 2s"
    )


def read_budget(arguments: argparse.Namespace) -> SolverBudget:
    """Return the budget that the arguments give; InputError if one is invalid."""
    nodes = DEFAULT_NODES if arguments.nodes is None else arguments.nodes
    if nodes < 1:
        raise InputError(f"--nodes {nodes}: at least one is needed")
    if arguments.budget is None:
        return SolverBudget(nodes, None)
    return SolverBudget(nodes, parse_duration(arguments.budget, "--budget", least_ms=1))
