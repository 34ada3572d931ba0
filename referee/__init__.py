"""Blockade Referee: run bots against each other and say who is better, and why."""

__version__ = "0.1.0"
