"""Small tasks, real or generated, that show what attention does. Nothing is generated before it is used.

From text to text, by name in ``TASKS``: see ``Task``; ``Progressives`` is small enough for a model that is drawn number
by number. A letter at every place: ``TAGGINGS``, see ``Tagging``. To be continued, token by token: ``Text``,
``Repeated`` and ``FixedPeriod``, ``LetterMapping`` and ``Votes``. ``word_vectors``, where no vectors are trained. And
pictures: handwritten ``digits``. ``reactions`` are chemical ones, whose every atom has a known source.
"""

from attnlab.checks import PAD
from attnlab.registry import Table
from attnlab.tasks.base import BOS, EOS, Batch, Example, Task
from attnlab.tasks.copy import Copy
from attnlab.tasks.dates import Dates
from attnlab.tasks.few_shot import LetterMapping, Votes
from attnlab.tasks.induction import FixedPeriod, Repeated
from attnlab.tasks.lookup import Lookup
from attnlab.tasks.names import Names
from attnlab.tasks.phrasebook import Phrasebook, Progressives
from attnlab.tasks.reverse import Reverse
from attnlab.tasks.serbian import Serbian
from attnlab.tasks.sort import Sort
from attnlab.tasks.tagging import Back, LastLetters, Mirrored
from attnlab.tasks.text import BytePairs, Characters, Text
from attnlab.tasks.word_vectors import word_vectors

TASKS = Table({
    "reverse": Reverse,
    "copy": Copy,
    "sort": Sort,
    "lookup": Lookup,
    "dates": Dates,
    "phrasebook": Phrasebook,
    "names": Names,
    "serbian": Serbian,
})

TAGGINGS = Table({
    "back": Back,
    "mirrored": Mirrored,
    "last letters": LastLetters,
})

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "TAGGINGS",
    "TASKS",
    "Back",
    "Batch",
    "BytePairs",
    "Characters",
    "Copy",
    "Dates",
    "Example",
    "FixedPeriod",
    "LastLetters",
    "LetterMapping",
    "Lookup",
    "Mirrored",
    "Names",
    "Phrasebook",
    "Progressives",
    "Repeated",
    "Reverse",
    "Serbian",
    "Sort",
    "Task",
    "Text",
    "Votes",
    "word_vectors",
]
