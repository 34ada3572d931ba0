"""The types of the launcher's requests."""

from dataclasses import fields
from typing import get_type_hints

from referee.bots.command import Confinement
from referee.launcher import request


def test_request_contains_all_fields_of_a_confinement() -> None:
    """The launcher reads a dictionary that is made of the referee's dataclass."""
    described = get_type_hints(Confinement)
    assert list(described) == [field.name for field in fields(Confinement)]
    assert get_type_hints(request.ConfinementFields) == {**described, "user": int}
