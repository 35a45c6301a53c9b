"""Small tasks, real or generated, that show what attention does. Nothing is generated before it is used."""
from attnlab.tasks.base import BOS, EOS, PAD, Batch, Example, Task
from attnlab.tasks.copy import Copy
from attnlab.tasks.dates import Dates
from attnlab.tasks.lookup import Lookup
from attnlab.tasks.names import Names
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.tasks.reverse import Reverse
from attnlab.tasks.serbian import Serbian
from attnlab.tasks.sort import Sort

TASKS = {
    "reverse": Reverse,
    "copy": Copy,
    "sort": Sort,
    "lookup": Lookup,
    "dates": Dates,
    "phrasebook": Phrasebook,
    "names": Names,
    "serbian": Serbian,
}

__all__ = ["BOS", "EOS", "PAD", "TASKS", "Batch", "Copy", "Dates", "Example", "Lookup", "Phrasebook", "Reverse", "Sort",
           "Task"]
