"""A bot that plays the first or last legal move, and waits while a file `hold` exists.

    python patient_bot.py first|last FOLDER

While it waits, a file in the folder tells on which worker, and has its process number; another one,
`game`, has the id of its game.
"""

import os
import sys
import time
from pathlib import Path

choice, folder = sys.argv[1], Path(sys.argv[2])
for line in sys.stdin:
    verb, *fields = line.split()
    if verb == "game":
        game = next(field for field in fields if field.startswith("id=")).removeprefix("id=")
        print("ready", flush=True)
    elif verb == "turn":
        if (folder / "hold").exists():
            mark = folder / f"playing-{os.environ.get('WORKER', 'here')}"
            (folder / "game").write_text(game)
            unfinished = folder / f"{os.getpid()}.part"
            unfinished.write_text(str(os.getpid()))
            unfinished.replace(mark)
            while (folder / "hold").exists():
                time.sleep(0.01)
        legal = fields[-1].removeprefix("legal=").split(";")
        print("move", legal[0 if choice == "first" else -1], flush=True)
    elif verb == "quit":
        break
