"""Isolation of bots: rungs, resource limits, and what works on this machine."""
