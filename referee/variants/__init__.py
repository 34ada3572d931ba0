"""The five built-in games, found by name with `referee.rules.find_variant`. Public, pure.

Each module defines VARIANT. The rules are in docs/rules/NAME.md, with the rulings where the rule
book leaves a question open; the code cites them by their reason, such as `shut-out`.

standoff   Place next to your own blocks, never next to your opponent's
lockdown   A mark blocks its empty neighbours for both players
crossfire  The same, in the four directions only
placing    Rules that these three share
barricade  Step, then blockade a neighbouring cell; reach the opponent's corner
runner     Step, or block a distant cell; reach the opponent's row

A state is a tuple of ints, and sets of cells are masks: see `referee.rules.grid`.
"""
