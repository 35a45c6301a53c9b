"""All progress in one file, to keep, to hand in, or to go on with on another machine: written, and read again.

An exported file says its questions in full, so that it can be read without the course; `read` makes the flat table of
`attnlab.exercises.progress` of it, and takes a learner's own ``progress.json`` too.
"""

import json
import re
from pathlib import Path

from attnlab.exercises import progress
from attnlab.exercises.questions import QUESTIONS, WHEN, answers_in

EXERCISE = re.compile(r"\d\d\w?\.")  # how the name of an exercise begins, also of one that is no more
OURS = re.compile(rf"{EXERCISE.pattern}|{re.escape(progress.GUESS)}|({'|'.join(WHEN)})\.\d")
MOST_BYTES = 5_000_000
NO_PROGRESS = "it is JSON, but no progress file"


def export(file: str | Path = "attnlab-progress.json") -> Path:
    """Writes all progress into one JSON file, to keep or to hand in, and returns where it lies.

    It holds ``passed`` (exercise: day), ``questions`` (each with what was answered before and after the course, and the
    right answer) and ``guesses`` (question of a lesson: the first guess, with ✓ or ✗). Raises ValueError where the file
    cannot be written.
    """
    known, _ = progress.passed()
    told = {when: answers_in(known, when) for when in WHEN}
    content = {
        "passed": {name: day for name, day in known.items() if EXERCISE.match(name)},
        "questions": [
            {
                "question": question.text,
                **{when: told[when].get(number, "") for when in WHEN},
                "right": question.right or question.why,
            }
            for number, question in enumerate(QUESTIONS, 1)
        ],
        "guesses": progress.guesses_in(known),
    }
    try:
        Path(file).write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        another = f'name one in a folder of yours: export("{Path.home() / Path(file).name}")'
        raise ValueError(
            f"expected a file that can be written, got {str(file)!r}: {error.strerror}; {another}"
        ) from None
    return Path(file)


def read(file: Path) -> dict[str, str]:
    """What an exported file, or a ``progress.json``, holds, as the flat table of a ``progress.json``.

    ValueError says in half a sentence what is wrong with the file.
    """
    try:
        if file.exists() and not file.is_file():  # a pipe, or a device behind a link, may never end
            raise ValueError("it is no plain file")
        with file.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes are no progress file")
        content = json.loads(raw.decode("utf-8-sig"))  # some editors begin a text with a mark
    except OSError as error:
        raise ValueError(f"it cannot be opened ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError("it is no text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"its JSON breaks off or is damaged in line {error.lineno}") from None
    except RecursionError:
        raise ValueError(NO_PROGRESS) from None
    return _flat(content)


def _flat(content: object) -> dict[str, str]:
    if not isinstance(content, dict):
        raise ValueError(NO_PROGRESS)
    try:
        known = _from_export(content) if "questions" in content else content
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError(NO_PROGRESS) from None
    if not all(isinstance(text, str) for text in known.values()) or (known and not any(map(OURS.match, known))):
        raise ValueError(NO_PROGRESS)  # some other program's
    return known


def _from_export(content: dict) -> dict[str, str]:
    numbers = {question.text: number for number, question in enumerate(QUESTIONS, 1)}
    asked = [one for one in content["questions"] if one["question"] in numbers]
    said = {f"{when}.{numbers[one['question']]}": one[when] for one in asked for when in WHEN if one[when]}
    guesses = {f"{progress.GUESS}{question}": told for question, told in content.get("guesses", {}).items()}
    return dict(content["passed"]) | said | guesses
