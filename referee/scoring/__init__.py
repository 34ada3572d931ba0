"""From summaries of games to standings and tables. Pure, but for reading a ledger.

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
tables           Tables as text, Markdown, CSV and JSON
overview         Standings for a terminal
rating_tables    Ratings as tables, sentences and JSON
round_tables     Rounds and brackets as text and JSON
analysis_tables  Summaries of analysed games, and one game ply by ply, as tables
render           All tables of a tournament
"""
