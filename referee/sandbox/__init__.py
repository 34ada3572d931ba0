"""Isolation of bots: the rungs, their resource limits, and which of them work on this machine.

bubblewrap    Arguments of bubblewrap for one bot
dependencies  Find the files outside the system's folders that a command needs
limits        Resource limits of a bot
probe         Find out which rungs work, and choose one
rungs         Turn a command into a confined one
"""
