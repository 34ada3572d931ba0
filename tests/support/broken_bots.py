"""Bots that each make one mistake that occurs in practice.

    python broken_bots.py MISTAKE

A mistake is a class of this file: an honest bot (it plays the first legal move) with something
changed. Standard library only, and quick to start: they run many times.
"""

import os
import re
import signal
import sys


class Honest:
    """No mistake."""

    def main(self):
        for line in sys.stdin:
            verb, *words = line.split()
            fields = self.read(words)
            getattr(self, verb, self.unknown)(fields)
            if verb == "quit":
                break

    def read(self, words):
        return dict(word.split("=", 1) for word in words)

    def say(self, text):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def game(self, fields):
        self.say("ready")

    def turn(self, fields):
        self.say(f"move {self.choose(fields['legal'].split(';'))}")

    def choose(self, legal):
        return legal[0]

    def end(self, fields):
        pass

    def quit(self, fields):
        pass

    def unknown(self, fields):
        pass


# Correct bots that differ from most.


class Talkative(Honest):
    """`info` wherever it is allowed, with bytes that a terminal would interpret."""

    def say(self, text):
        super().say(f"info \x1b[31m{text}\r\n{text}\r\ninfo")

    def end(self, fields):
        super().say("info that was close")

    def quit(self, fields):
        super().say("info bye")
        sys.stderr.write("e" * 200_000)


class Resigner(Honest):
    """Resignation at the first turn."""

    def turn(self, fields):
        self.say("resign")


class DeclinesOne(Honest):
    """All variants but one, which it declines."""

    def game(self, fields):
        if fields["variant"] == "barricade":
            self.say("decline never heard of it")
            sys.exit()
        super().game(fields)


class OnlyLarge(Honest):
    """Large boards only, and so none of the default ones."""

    def game(self, fields):
        self.say("ready" if int(fields["rows"]) > 10 else "decline")


class SlowOnShortClock(Honest):
    """No regard for the clock."""

    def turn(self, fields):
        if int(fields["time_ms"]) <= 100:
            signal.pause()
        super().turn(fields)


class ExitStatus(Honest):
    """An exit status other than 0 after `quit`."""

    def main(self):
        super().main()
        sys.exit(3)


# Mistakes before the first move.


class RaisesAtStart(Honest):
    """A missing module."""

    def main(self):
        import no_such_module  # noqa: F401


class SegfaultsAtStart(Honest):
    """A native library that does not fit."""

    def main(self):
        os.kill(os.getpid(), signal.SIGSEGV)


class NeverFlushes(Honest):
    """Output that stays in the buffer."""

    def say(self, text):
        sys.stdout.write(f"{text}\n")


class PrintsBanner(Honest):
    """A coloured banner before the first answer."""

    def main(self):
        self.say("\x1b[1mSuperbot\x1b[0m 2.0 by Me")
        super().main()


class ForgetsNewline(Honest):
    """An answer without a line end."""

    def say(self, text):
        sys.stdout.write(text)
        sys.stdout.flush()


class UpperCase(Honest):
    """READY."""

    def say(self, text):
        super().say(text.upper())


class DeclinesEverything(Honest):
    """A variant that does not exist."""

    def game(self, fields):
        self.say(f"decline I only play chess, not {fields['variant']}")


class ReadyTwice(Honest):
    """One `ready` for the start and one for the game."""

    def game(self, fields):
        self.say("ready\nready")


# Mistakes in an answer.


class PrintsDebugging(Honest):
    """Debugging output on standard output."""

    def turn(self, fields):
        self.say("thinking about it...")
        super().turn(fields)


class OmitsMove(Honest):
    """The move without its verb."""

    def turn(self, fields):
        self.say(self.choose(fields["legal"].split(";")))


class ForgetsNewlineOfMove(Honest):
    """A move without a line end."""

    def turn(self, fields):
        sys.stdout.write(f"move {self.choose(fields['legal'].split(';'))}")
        sys.stdout.flush()


class AddsSpace(Honest):
    """A space after the move."""

    def choose(self, legal):
        return f"{legal[0]} "


class Floods(Honest):
    """The whole search tree on standard output."""

    def turn(self, fields):
        self.say("info node\n" * 200_000)


class ClosesOutput(Honest):
    """Standard output closed too early."""

    def turn(self, fields):
        os.close(1)
        signal.pause()


class RaisesOnTurn(Honest):
    """An exception at its first turn."""

    def choose(self, legal):
        raise ValueError("no idea what to play")


class SegfaultsOnTurn(Honest):
    """An invalid pointer."""

    def choose(self, legal):
        os.kill(os.getpid(), signal.SIGSEGV)


class PrintsTwoMoves(Honest):
    """Two moves in one answer."""

    def turn(self, fields):
        first, *others = fields["legal"].split(";")
        self.say(f"move {first}\nmove {others[0] if others else first}")


class AddsEmptyLine(Honest):
    """Two line ends for each answer."""

    def turn(self, fields):
        super().turn({"legal": fields["legal"] + "\n"})

    def choose(self, legal):
        return f"{legal[0].strip()}\n"


# Mistakes about what else may come.


class OnlySeat1(Honest):
    """The assumption that it always moves first."""

    def game(self, fields):
        assert fields["seat"] == "1"
        super().game(fields)


class DeclinesSeat2(Honest):
    """Games declined in seat 2, which is not allowed."""

    def game(self, fields):
        self.say("ready" if fields["seat"] == "1" else "decline after you")


class OnlyOwnMoves(Honest):
    """The assumption that it made all moves of its seat itself."""

    def __init__(self):
        self.turns = 0

    def game(self, fields):
        self.turns = 0
        super().game(fields)

    def turn(self, fields):
        self.turns += 1
        assert (int(fields["ply"]) + 1) // 2 == self.turns
        super().turn(fields)


class TalksAfterEnd(Honest):
    """Output after the end."""

    def end(self, fields):
        self.say("good game")


class AnswersEverything(Honest):
    """`ready` after every line that is no turn, `end` included."""

    def end(self, fields):
        self.say("ready")


class RaisesInSecondGame(Honest):
    """State of the first game in the second."""

    games = 0

    def game(self, fields):
        self.games += 1
        assert self.games == 1
        super().game(fields)


class ExitsAfterOneGame(Honest):
    """An exit after `end`."""

    def end(self, fields):
        sys.exit()


class StaleLegal(Honest):
    """Moves from the first list of legal moves."""

    legal = None

    def choose(self, legal):
        self.legal = self.legal or legal
        return self.legal[0]


class CountsFromOne(Honest):
    """The assumption that rows and columns are always counted from 1."""

    origin = 1

    def game(self, fields):
        self.origin = int(fields["origin"])
        super().game(fields)

    def choose(self, legal):
        return re.sub("[0-9]+", lambda number: str(int(number[0]) + 1 - self.origin), legal[0])


class FixedBoard(Honest):
    """The assumption that there are five rows of five cells."""

    def turn(self, fields):
        rows = fields["board"].split("/")
        self.cells = [rows[row][col] for row in range(5) for col in range(5)]
        super().turn(fields)


class SmallArrays(Honest):
    """Arrays of ten rows and columns."""

    def game(self, fields):
        self.say("ready" if int(fields["rows"]) <= 10 else "out of memory")


class LargeBoards(Honest):
    """Access to a cell that small boards do not have."""

    def turn(self, fields):
        self.cell = fields["board"].split("/")[3][3]
        super().turn(fields)


class OneDigit(Honest):
    """Numbers written as one digit."""

    def choose(self, legal):
        return re.sub("[0-9]+", lambda number: chr(ord("0") + int(number[0])), legal[-1])


class SquareBoards(Honest):
    """Rows and columns exchanged."""

    def turn(self, fields):
        rows = fields["board"].split("/")
        self.cells = [rows[col] for col in range(int(self.cols))]
        super().turn(fields)

    def game(self, fields):
        self.cols = fields["cols"]
        super().game(fields)


class NeedsChoice(Honest):
    """A comparison of the first two moves."""

    def choose(self, legal):
        return min(legal[0], legal[1])


class KnowsAllKeys(Honest):
    """An error at unknown keys."""

    keys = (
        "protocol id variant rows cols origin seat seed time_ms inc_ms move_ms"
        " ply opp_ms moves board legal result reason"
    )

    def read(self, words):
        fields = super().read(words)
        for key in fields:
            assert key in self.keys.split(" "), key
        return fields


class CountsFields(Honest):
    """The sixth field of a turn taken for the legal moves."""

    def read(self, words):
        fields = super().read(words)
        if "ply" in fields:
            fields["legal"] = words[5].split("=")[1]
        return fields


class RaisesOnUnknownVerb(Honest):
    """An error at unknown verbs."""

    def unknown(self, fields):
        raise ValueError("unknown command")


class AnswersUnknownVerb(Honest):
    """An answer to unknown verbs."""

    def unknown(self, fields):
        self.say("error: unknown command")


class MovesOnUnknownVerb(Honest):
    """Unknown verbs taken for a turn."""

    def unknown(self, fields):
        self.say("move 1,1")


# Mistakes at the end.


class IgnoresQuit(Honest):
    """An exit at the end of input only."""

    def main(self):
        while line := sys.stdin.readline():
            verb, *words = line.split()
            getattr(self, verb, self.unknown)(self.read(words))


class IgnoresEndOfInput(Honest):
    """An exit at `quit` only."""

    quitted = False

    def main(self):
        super().main()
        if not self.quitted:
            signal.pause()

    def quit(self, fields):
        self.quitted = True


class SaysGoodbye(Honest):
    """A line after `quit`."""

    def quit(self, fields):
        self.say("goodbye")


class SaysHalfGoodbye(Honest):
    """A line without its end after `quit`."""

    def quit(self, fields):
        sys.stdout.write("goodbye")


if __name__ == "__main__":
    globals()[sys.argv[1]]().main()
