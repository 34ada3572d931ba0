"""`python -m referee` is the command `referee`."""

from referee.program import start

start()
