"""The tournament file: read, check and resolve it, and find the bots that it names.

yaml_source      YAML with line and column of every value
fields           Validators of single values
tournament_file  Keys of the file: types, defaults, descriptions
cross_checks     Checks that involve several keys
json_schema      JSON Schema of the file
tournament       Tournament: a valid file, resolved
plan             Plain data for the workers: PortablePlan, Plan, BotSpec, PreparedBot
bot_command      Split and resolve a bot's command
bot_files        Find, hash and copy a bot's files
bot_archive      Archives of bots' files, and their cache on a cluster worker
variant_files    Files of variants that are sent to the workers of a cluster
ignore_file      Patterns of `.refereeignore`
"""
