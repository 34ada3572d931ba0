"""Make a starter bot: a small, complete program that plays any legal move.

It comes with a README (how to build, check and play) and an entry for a tournament file.

examples:
  referee new python my_bot
  referee new c++ bots/second --name deep-thought
  referee new --list
"""

import argparse
import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from referee.config.bot_command import MAX_NAME_LENGTH, NAME
from referee.errors import InputError, unknown_name_message, write_error

STARTERS = Path(__file__).parents[1] / "starters"


@dataclass(frozen=True)
class Language:
    """A programming language of starter bots; commands run in the bot's folder, without a shell."""

    title: str
    folder: str
    """Folder of its template, below STARTERS."""
    needs: tuple[str, ...]
    """Programs that building and running require."""
    source: str
    command: str
    build: str | None = None
    aliases: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        """Return the required programs that are not installed."""
        return [program for program in self.needs if not shutil.which(program)]


LANGUAGES = {
    "python": Language(
        "Python", "python", ("python3",), "bot.py", "python3 bot.py", aliases=("py", "python3")
    ),
    "c": Language("C", "c", ("make", "cc"), "bot.c", "./bot", "make", ("gcc",)),
    "c++": Language(
        "C++", "cpp", ("make", "g++"), "bot.cpp", "./bot", "make", ("cpp", "cxx", "g++")
    ),
    "rust": Language(
        "Rust",
        "rust",
        ("cargo",),
        "src/main.rs",
        "./target/release/bot",
        "cargo build --release",
        ("rs",),
    ),
    # With a file name Go does not run git in the folder, which can fail.
    "go": Language("Go", "go", ("go",), "bot.go", "./bot", "go build bot.go", ("golang",)),
    # Other collectors start one or more threads per core, which is slow and counts as processes.
    "java": Language(
        "Java",
        "java",
        ("javac", "java"),
        "Bot.java",
        "java -XX:+UseSerialGC -cp . Bot",
        "javac -Xlint Bot.java",
    ),
    "javascript": Language(
        "JavaScript",
        "javascript",
        ("node",),
        "bot.js",
        "node bot.js",
        aliases=("js", "node", "nodejs", "node.js"),
    ),
    "bash": Language("Bash", "bash", ("bash",), "bot.sh", "bash bot.sh", aliases=("sh", "shell")),
    "perl": Language("Perl", "perl", ("perl",), "bot.pl", "perl bot.pl", aliases=("pl",)),
    "tcl": Language("Tcl", "tcl", ("tclsh",), "bot.tcl", "tclsh bot.tcl", aliases=("tclsh",)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("language", nargs="?", help="programming language (see --list)")
    parser.add_argument("dir", nargs="?", metavar="DIR", help="a new or an empty folder")
    parser.add_argument("--name", help="name of the bot (default: name of the folder)")
    parser.add_argument(
        "--list", action="store_true", help="show the languages, and whether they are installed"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if arguments.list:
        if arguments.language or arguments.name:
            raise InputError("--list takes no other arguments: it shows the languages")
        _print_list()
        return 0
    if not arguments.language or not arguments.dir:
        raise InputError(
            "name a language and a folder, like `referee new python my_bot`"
            " (`referee new --list` shows the languages)"
        )
    language = find_language(arguments.language)
    folder = Path(arguments.dir)
    if not str(folder).isprintable():
        raise InputError(f"the folder {str(folder)!r} has characters in it that cannot be printed")
    name = _check_name(arguments.name, folder)
    _check_free(folder)
    try:
        _write(language, folder, name)
    except OSError as error:
        raise write_error("the bot", error) from error
    _print_next(language, folder, name)
    return 0


def find_language(name: str) -> Language:
    """Find a language by its name or an alias."""
    for title, language in LANGUAGES.items():
        if name.lower() in (title, *language.aliases):
            return language
    raise InputError(unknown_name_message("language", name, LANGUAGES))


def _check_name(name: str | None, folder: Path) -> str:
    chosen = folder.resolve().name if name is None else name
    if not NAME.fullmatch(chosen):
        hint = "; give it one with --name" if name is None else ""
        raise InputError(
            f"{chosen!r} cannot be a bot's name: that is 1 to {MAX_NAME_LENGTH} of"
            f" A-Z a-z 0-9 _ -{hint}"
        )
    return chosen


def _check_free(folder: Path) -> None:
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            what = "is not empty" if folder.is_dir() else "is no folder"
            raise InputError(f"{folder} exists and {what}: name a new or an empty folder")
    except OSError as error:
        raise InputError(f"the folder cannot be read: {error}") from error


def _write(language: Language, folder: Path, name: str) -> None:
    template = STARTERS / language.folder
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(template.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":  # compiled by pip at installation
            text = path.read_text(encoding="utf-8").replace("@NAME@", name)
            _write_new(folder / path.relative_to(template), text)
    _write_new(folder / "README.md", _readme(language, name))
    _write_new(
        folder / "entry.yaml",
        "# Put this under `bots:` in a tournament file; `dir` is as seen from that file.\n"
        + entry(language, folder, name),
    )


def _write_new(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    if text.startswith("#!"):
        path.chmod(path.stat().st_mode | 0o111)


def _readme(language: Language, name: str) -> str:
    text = (STARTERS / "README.md").read_text(encoding="utf-8")
    values = {
        "NAME": name,
        "LANGUAGE": language.title,
        "SOURCE": language.source,
        "BUILD": f"`{language.build}`" if language.build else "nothing to do",
        "COMMAND": shlex.quote(language.command),
    }
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def entry(language: Language, folder: Path, name: str) -> str:
    """Return the entry of this bot for a tournament file."""
    lines = [f"name: {json.dumps(name)}", f"command: {language.command}"]
    if language.build:
        lines.append(f"build: {language.build}")
    lines.append(f"dir: {json.dumps(str(folder), ensure_ascii=False)}")
    return "  - " + "\n    ".join(lines) + "\n"


def _print_next(language: Language, folder: Path, name: str) -> None:
    command = shlex.quote(language.command)
    shown = f"./{folder}" if str(folder).startswith("-") else str(folder)
    steps = [
        f"cd {shlex.quote(shown)}",
        *([language.build] if language.build else []),
        f"referee check {command}",
        f"referee play standoff {command} {command}",
    ]
    print(f"{name} plays random legal moves; your own code goes into `choose` in")
    print(f"{folder / language.source}. Try it:\n")
    print("".join(f"  {step}\n" for step in steps))
    print("To enter it, put this under `bots:` in a tournament file in the folder you are in now")
    print(f"(it is in {folder / 'entry.yaml'}, too):\n")
    print(entry(language, folder, name), end="", flush=True)
    missing = language.missing()
    if missing:
        print(f"referee: it needs {' and '.join(missing)}: not found here", file=sys.stderr)


def _print_list() -> None:
    from tabulate import tabulate

    rows = []
    for name, language in LANGUAGES.items():
        missing = language.missing()
        found = f"no: {' and '.join(missing)}" if missing else "yes"
        rows.append((name, ", ".join(language.needs), found, ", ".join(language.aliases)))
    print(tabulate(rows, headers=("language", "needs", "found here", "also called")))
