"""You, as a bot for any referee that speaks the protocol: it asks you on the terminal.

The same as `referee human`. Our own referee needs no program for that: its `play` and its
tournament files take `human` where a bot's command would stand.
"""

from referee.cli import main

raise SystemExit(main(["human"]))
