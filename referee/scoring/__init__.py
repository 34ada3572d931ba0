"""From summaries of games to standings, ratings and tables. Pure, but for reading a ledger.

Games are added up once, in the ledger; all tables are computed from its counts.

ledger           Ledger: all games added up; checks before a tournament is resumed
tally            Tally: number of games by board, score and pair; faults
totals           BotTotals: points, games, wins and faults of each bot
meetings         Meetings: head-to-head results
tie_breaks       One function per tie-break
standings        Standings: points, ranks and tie-breaks
withdrawals      Withdrawals: bots that are withdrawn because of their faults
schedule_checks  Games that are not in the schedule of a Swiss tournament or a knockout
timing           Timing: thinking times of bots, latency of the referee
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
tables           Tables as text, Markdown, CSV and JSON
overview         Standings for a terminal
rating_tables    Ratings as tables, sentences and JSON
round_tables     Rounds and brackets as text and JSON
analysis_tables  Summaries of analysed games, and one game ply by ply, as tables
render           All tables of a tournament
"""
