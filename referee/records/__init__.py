"""Games on disk: the games file is the only source of truth about a tournament.

A finished game is one JSON object on one line of `games.jsonl`. All tables are computed from
summaries of these records; `tournament.json` has what a record does not contain.

record         RecordWriter; parse a line and check the types of its values
summary        GameSummary: the values of a game that tables need
checks         RecordChecker: compare the values of a record with each other and with the tournament
games_file     GamesFile: read games.jsonl with several processes, in the order of the file
store          Store: lock the folder of a tournament, append games, replace files atomically
manifest       Manifest: tournament.json
plain_files    Open files of a folder that may come from an untrusted source
analysis_file  AnalysisIndex, AnalysisStore: analysis.jsonl
fixture_ids    FixtureIdSet: a compact set of fixture ids
columnar       ColumnarList: a list of named tuples that is pickled by column
"""
