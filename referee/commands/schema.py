"""Print the JSON Schema of the tournament file, for editors that check and complete YAML.

examples:
  referee schema > tournament.schema.json

Begin a tournament file with this line, and the editor completes and checks its keys:

  # yaml-language-server: $schema=tournament.schema.json
"""

import argparse
import json

from referee.config.json_schema import json_schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments: the command takes none."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    print(json.dumps(json_schema(), indent=2))
    return 0
