"""Bots that could reach services of the referee through the network."""

from tests.conftest import Referee

CUP = """
variant: lockdown
network: true
bots:
  - {name: one, command: /bin/cat}
  - {name: two, command: /bin/cat}
"""


def test_network_is_rejected_on_a_cluster(referee: Referee) -> None:
    """Bots could send commands to its scheduler: one sentence, and nothing is started."""
    (referee.folder / "cup.yaml").write_text(CUP)
    message = referee.refuse("run", "cup.yaml", "--cluster", "local:1")
    assert message.startswith("network: true is not possible on a cluster")
    assert not (referee.folder / "results").exists()
