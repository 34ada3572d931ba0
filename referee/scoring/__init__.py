"""From summaries of games to standings, ratings and tables."""
