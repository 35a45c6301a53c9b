"""What a model writes while it learns: after its first step, a little later, and now, side by side."""

import torch
from torch import nn

from attnlab.analysis.words.known_words import known_share, pieces, words_in
from attnlab.checks import Size, checked
from attnlab.decoding import draw, temperature, without_cache, write
from attnlab.tasks.text import Text

WARMTH = 0.7


@checked
class Samples:
    """Texts that a GPT writes while it is trained: after step 1, after the first `every` steps, and the latest.

        samples = Samples(model, text)
        for step in fit(model, loss, 200):
            samples.after(step.step)

    model: a GPT. text: encodes and decodes for it; the words of its training part count as known. begin: what is
    continued, by `tokens` tokens. All are drawn with the same random numbers, so that only the model differs.
    Raises ValueError for a beginning of no token.
    """

    def __init__(self, model: nn.Module, text: Text, begin: str = "The", tokens: Size = 60, every: Size = 25) -> None:
        self.model, self.text, self.begin, self.tokens, self.every = model, text, begin, tokens, every
        self.known = words_in(text.decode(text.training))
        self.written: dict[str, str] = {}

    def after(self, step: Size) -> dict[str, list]:
        """All there is after this step; at step 1 and at every `every`-th one a new text is written first.

        "titles"; "texts", of each its runs [text, mark], where the mark is "word" or ""; "shares": how much of each
        stands in known words.
        """
        if step == 1:
            self.written.clear()
        if step == 1 or step % self.every == 0:
            title = {self.every: f"after {self.every} steps", 1: "after 1 step"}.get(step, "the latest")
            self.written[title] = self._write()
        texts = self.written.values()
        return {
            "titles": list(self.written),
            "texts": [[[run, "word" if known else ""] for run, known in pieces(text, self.known)] for text in texts],
            "shares": [known_share(text, self.known) for text in texts],
        }

    def _write(self) -> str:
        generator = torch.Generator().manual_seed(0)

        def choose(logits: torch.Tensor) -> int:
            return draw(temperature(logits, WARMTH), generator)

        steps = write(self.model, self.text.encode(self.begin), self.tokens, choose, without_cache)
        return self.begin + self.text.decode([step.token for step in steps])
