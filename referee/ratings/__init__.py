"""Strengths of bots, estimated from games: ratings, and the sequential test of two bots. Pure.

Ratings are computed from games as columns of numbers, the test from counts of encounters.

game_columns     GameColumns: games as numeric columns, the input of ratings
encounter_table  EncounterTable: games by encounter, without replays, as arrays
design           Design: games by pairing and encounter, the input of a fit
bradley_terry    The Bradley-Terry fit with a prior
prior            The width of the prior, estimated from the games
covariance       The covariance of a fit
strengths        Strengths: of a variant, their mean over variants, and their zero
elo_scale        Logits and Elo
seat_advantages  The advantage of seat 1
maximum_likelihood  Ratings without a prior, as other programs have them
expected_scores  Scores that ratings expect of each two bots
rating_notes     Notes about ratings
ratings          Ratings: Elo, confidence intervals and notes
sprt             Sequential probability ratio test of two bots
stopping         Estimates after a test that its own results have stopped
"""
