"""Bots that attack, one attack each, and otherwise play honestly.

    python3 -S -B -m bots MODULE.ATTACK MARKER [NAME=VALUE ...]

`honest` in place of an attack is none. MARKER only makes its processes easy to find; the other
words say what is to be attacked. Standard library only, and quick to start: they run many times.
Every one is bounded, so that it could not hurt a machine even if the isolation failed: processes,
memory, disk and time.
"""
