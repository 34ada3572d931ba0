"""A summary at the end of the hostile tests: per rung and user, what was tried and what came of it.

Each test reports its numbers as a property, which also reaches the process that prints them when
pytest-xdist runs the tests in several.
"""

from collections import Counter

import pytest

PROPERTY = "hostile"
COLUMNS = ("attacks", "right verdicts", "breaches", "left-overs")


def print_summary(terminalreporter: pytest.TerminalReporter) -> None:
    sums: dict[tuple[str, str], Counter[str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for name, value in report.user_properties:
                    if name == PROPERTY:
                        key = value["rung"], value["user"]
                        sums.setdefault(key, Counter()).update(value["counts"])
    if not sums:
        return
    terminalreporter.section("hostile bots")
    terminalreporter.write_line("".join(f"{name:>16}" for name in ("rung", "user", *COLUMNS)))
    for (rung, user), counts in sorted(sums.items()):
        numbers = (str(counts[column]) for column in COLUMNS)
        terminalreporter.write_line("".join(f"{text:>16}" for text in (rung, user, *numbers)))
