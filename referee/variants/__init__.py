"""The five games, one file each; `referee.rules.find_variant` finds them by name."""
