"""A bot that rolls dice: any legal move will do. It needs no rules at all.

The weakest bot here, and the smallest complete one: a good place to start your own. Its dice come
from the game's seed and the ply, so the same fixture always gives the same game.
"""

import random
import sys

for line in sys.stdin:
    verb, *words = line.split() or [""]
    fields = dict(word.split("=", 1) for word in words if "=" in word)
    if verb == "game":
        seed = fields["seed"]
        print("ready", flush=True)
    elif verb == "turn":
        dice = random.Random(f"{seed} {fields['ply']}")
        print("move", dice.choice(fields["legal"].split(";")), flush=True)
    elif verb == "quit":
        break
