"""The bot protocol and clocks. Pure, no I/O."""
