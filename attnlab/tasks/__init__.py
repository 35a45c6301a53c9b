"""Small tasks, real or generated, that show what attention does. Nothing is read or generated before it is used."""
from attnlab.tasks.base import BOS, EOS, PAD, Batch, Example, Task
from attnlab.tasks.dates import Dates

TASKS = {"dates": Dates}

__all__ = ["BOS", "EOS", "PAD", "TASKS", "Batch", "Dates", "Example", "Task"]
