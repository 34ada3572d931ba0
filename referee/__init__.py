"""Blockade Referee: run bots against each other, rank them, and explain every result."""

__version__ = "0.1.0"
