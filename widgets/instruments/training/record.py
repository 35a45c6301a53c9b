"""Record: what a training has shown, and how what is new of it goes to the page."""

import math

import numpy as np

from widgets.base.instrument import numpy_of


class Record:
    """What a training has shown: the loss of every step, the metrics of some, the frames of the film."""

    def __init__(self) -> None:
        self.steps, self.measured, self.frames = [], [], []  # Step; Step with metrics; (step, [panels, queries, keys])

    def names(self) -> list[str]:
        """The metrics' names in the order in which they first came."""
        return list(dict.fromkeys(name for step in self.measured for name in step.metrics))

    def sizes(self) -> list[int]:
        """How many steps, measurements and frames there are."""
        return [len(self.steps), len(self.measured), len(self.frames)]

    def add(self, step) -> None:
        """One more step. Raises ValueError where its loss is no number to go on with."""
        if not math.isfinite(step.loss):
            loss = "NaN" if math.isnan(step.loss) else "infinite"
            raise ValueError(f"the loss is {loss} at step {step.step}: a smaller rate or a smaller clip may help")
        self.steps.append(step)
        if step.metrics:
            self.measured.append(step)

    def add_frame(self, weights) -> None:
        """Weights [queries, keys] or [panels, queries, keys] after the latest step. All frames have one shape."""
        frame = np.array(numpy_of(weights), np.float32)
        frame = frame[None] if frame.ndim == 2 else frame
        first = self.frames[0][1] if self.frames else frame
        if frame.ndim != 3 or frame.shape != first.shape:
            expected = "[queries, keys] or [panels, queries, keys]" if frame.ndim != 3 else f"the shape {first.shape}"
            raise ValueError(f"watch: expected {expected}, got shape {frame.shape}")
        self.frames.append((len(self.steps), frame))

    def since(self, sizes: list[int]) -> tuple[dict, list[bytes]]:
        """What came after `sizes`, for the page: a message, and its numbers as three buffers of float32."""
        steps, measured, frames = self.steps[sizes[0] :], self.measured[sizes[1] :], self.frames[sizes[2] :]
        names = self.names()
        rows = [[step.step, *(step.metrics.get(name, math.nan) for name in names)] for step in measured]
        message = {
            "kind": "news",
            "at": list(sizes),
            "names": names,
            "frames": [step for step, _ in frames],
            "shape": list(frames[0][1].shape) if frames else [],
        }
        numbers = ([step.loss for step in steps], rows, [frame for _, frame in frames])
        return message, [np.asarray(n, np.float32).tobytes() for n in numbers]
