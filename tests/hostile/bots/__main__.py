"""A bot that plays the first legal move, and makes one attack."""

import sys

from .registry import ATTACKS, Attack
from .tools import FACTS, LEGAL, burn, note_legal_moves, say


def main():
    attack = Attack(main, None, None, "never", ())
    module, _, name = sys.argv[1].partition(".")
    if name:
        __import__(f"{__package__}.{module}")  # alone, because it takes time
        attack = ATTACKS[name]
    FACTS.update(word.split("=", 1) for word in sys.argv[3:])
    pending = True

    def is_done(moment):
        nonlocal pending
        if not pending or moment != attack.when:
            return False
        pending = False
        return attack.deed()

    is_done("start")
    while line := sys.stdin.readline():
        verb = line.split()[0]
        if verb == "game" and not is_done("game"):
            say("ready\n")
        elif verb == "turn":
            note_legal_moves(line)
            burn(float(FACTS.get("thinks", 0)))
            if not is_done("turn"):
                say(f"move {LEGAL[0]}\n")
            is_done("move")
        elif verb == "end":
            is_done("end")
        elif verb == "quit":
            break


main()
