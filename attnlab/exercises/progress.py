"""Which exercises are passed, and what was answered, kept in a small JSON file of the learner's own folder.

One flat table of texts, so that files of older and newer lessons can be read: ``"02.context": "2026-02-28"`` for an
exercise, ``"before.1": "..."`` for an answer to the six questions, ``"guess.Which one?": "✓ ..."`` for what was guessed
before a picture. What nobody asks for any more stays in it.
"""

import json
import os
import tempfile
from datetime import date
from pathlib import Path

from filelock import FileLock
from platformdirs import user_data_path

GUESS = "guess."  # how the name of a question begins that was guessed


def home() -> Path:
    """The folder of the learner's progress: ``ATTNLAB_HOME``, else where this system keeps a user's data."""
    return Path(os.environ.get("ATTNLAB_HOME") or user_data_path("attnlab", appauthor=False))


def passed() -> tuple[dict[str, str], str]:
    """Names of passed exercises with the day they were first passed, answers, and a message when they were not to be
    read.

    A damaged file is set aside beside its old place, so that nothing is lost.
    """
    try:
        return _read(_file())
    except OSError as error:
        return {}, f"Your progress cannot be read: {error}."


def remember(name: str) -> str:
    """Notes an exercise as passed today, unless it was before. Returns a message when that was not possible, or ""."""
    return _note({name: date.today().isoformat()}, replace=False)


def keep(name: str, text: str) -> str:
    """Notes a text under this name, in place of an older one. Returns a message when that was not possible, or ""."""
    return _note({name: text}, replace=True)


def guessed(question: str, guess: str) -> str:
    """Notes what was guessed before a picture, unless an earlier guess is known: that one was the prediction.

    Returns a message when that was not possible, or "".
    """
    return _note({f"{GUESS}{question}": guess}, replace=False)


def guesses_in(known: dict[str, str]) -> dict[str, str]:
    """{question: guess} of what a progress file holds."""
    return {name.removeprefix(GUESS): told for name, told in known.items() if name.startswith(GUESS)}


def add(known: dict[str, str]) -> str:
    """Notes all that is missing here of another table. Returns a message when that was not possible, or ""."""
    return _note(known, replace=False)


def _note(texts: dict[str, str], replace: bool) -> str:
    file = _file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{file}.lock", timeout=10):  # each open notebook is a process, and all write here
            known, message = _read(file)  # where that fails nothing may be written, or what is there would be lost
            changed = known | texts if replace else texts | known
            if changed != known:
                _write(file, changed)
    except OSError as error:
        return (
            f"Your progress cannot be kept in {file.parent}: {error.strerror or error}. Make room there, or name "
            'another folder, os.environ["ATTNLAB_HOME"] = "...", and try again.'
        )
    return message


def _file() -> Path:
    return home() / "progress.json"


def _read(file: Path) -> tuple[dict[str, str], str]:
    """What the file holds, and a message when it was damaged. OSError when it cannot be read, or not set aside."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, ""
    except ValueError:
        return {}, _set_aside(file)
    if not isinstance(content, dict) or not all(isinstance(day, str) for day in content.values()):
        return {}, _set_aside(file)
    return content, ""


def _write(file: Path, content: dict[str, str]) -> None:
    """All or nothing: a program that is stopped here leaves the old file."""
    handle, unfinished = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(content, stream, indent=1, sort_keys=True)
        os.replace(unfinished, file)
    except BaseException:
        os.unlink(unfinished)
        raise


def _set_aside(file: Path) -> str:
    names = (f"{file.name}.damaged{number}" for number in ("", *map(str, range(2, 1000))))
    aside = next(place for place in map(file.with_name, names) if not place.exists())
    try:
        os.replace(file, aside)
    except OSError as error:
        raise OSError(f"your progress file {file} is damaged and cannot be set aside: {error}") from None
    return f"Your progress file was damaged; it is set aside as {aside}, and counting starts anew."
