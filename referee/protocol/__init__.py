"""The bot protocol: lines to and from a bot, faults, and clocks. Pure, no I/O.

Bytes and numbers go in, messages and faults come out; the callers own the pipes and read the time.

messages      Lines that are sent to a bot: `game`, `turn`, `end`, `quit`
answers       Lines that a bot sends, and which of them are allowed when
info_values   Tags and numbers in `info` lines
line_buffer   The bytes of a bot, split into lines within limits
phase         Phase: the request that a bot has to answer
faults        FaultKind; BotFault, the exception; Fault, the same as data with its context
time_control  Time of the players, and the notation for it
clock         The remaining time of one player in one game
transcript    The lines of one game with their times, within a memory limit
"""
