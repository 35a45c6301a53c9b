"""Small tasks, real or generated, that show what attention does. Nothing is generated before it is used."""
from attnlab.tasks.base import BOS, EOS, PAD, Batch, Example, Task
from attnlab.tasks.dates import Dates
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.tasks.reverse import Reverse

TASKS = {
    "reverse": Reverse,
    "dates": Dates,
    "phrasebook": Phrasebook,
}

__all__ = ["BOS", "EOS", "PAD", "TASKS", "Batch", "Dates", "Example", "Phrasebook", "Reverse", "Task"]
