"""Pairings of bots and openings of their games. Pure.

A schedule is built from names alone, or round by round from names and results. Its matches become
encounters, which are two fixtures each: the same opening with the seats swapped.

formats   Schedule, Round, Match; RoundRobin and Gauntlet
swiss     Swiss: pair bots of equal score that have not met
knockout  Knockout: bracket, play-offs and placings
matching  Perfect matching by preference (blossom algorithm)
fixtures  Board, Fixture, Encounter: from matches to games
openings  Random distinct openings
"""
