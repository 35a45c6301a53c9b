"""A trained model that names the letters before each place, head by head: which answers fall with a head?"""

import torch
from torch import Tensor

from attnlab.analysis import without
from attnlab.tasks.tagging import accuracy
from widgets.base.controls import text
from widgets.base.typed import letters_in
from widgets.base.words import context, percent, say
from widgets.explorers.l08_many_heads.head_ablation import Ablation, HeadAblationExplorer
from widgets.instruments.chart.chart import Chart, bars, figure


class LetterHeadAblationExplorer(HeadAblationExplorer):
    """Which of the letters before each place are still named right when heads are off.

    model: letters [batch, tokens] -> logits [batch, tokens, wanted, symbols], with one attention.
    task, test: a `LastLetters` and a batch of it. patterns: see `attnlab.analysis.describe`.
    `measured`: the share of right answers for each wanted letter, from 0 to 1.
    """

    text = text("", label="letters", width=16, help="letters that the model reads")

    def __init__(self, model, task, test, patterns, text, lock=None, **state) -> None:
        self.model, self.task, self.test, self.length = model, task, test, len(text)
        self.answers = [f"{steps} before" for steps in range(1, task.count + 1)]
        self.all_on = self.right_shares([])
        super().__init__(model, test, patterns, lock=lock, text=text, **state)

    def chart(self) -> Chart:
        nothing = [0.0] * len(self.answers)
        return Chart(
            figure(
                bars(self.all_on, self.answers, "all heads on", "key", opacity=0.35),
                bars(nothing, self.answers, "now", "context", texttemplate="%{y:.2f}", textposition="outside"),
                x="letter that is named",
                y="right answers; pale: with all heads on",
                y_range=[0, 1.18],
                height=220,
                barmode="overlay",
                showlegend=False,
            )
        )

    @torch.no_grad()
    def right_shares(self, heads: list[tuple[str, int]]) -> Tensor:
        """The share of right answers without these heads, for each of the letters that are wanted."""
        with without(self.model, heads):
            logits = self.model(self.test.inputs)
        return torch.tensor([accuracy(logits[:, :, i], self.test.targets[:, :, i]) for i in range(len(self.answers))])

    def compute(self, state) -> Ablation:
        letters = letters_in(state.text, self.task.vocabulary, self.length)
        ids = torch.tensor([self.task.vocabulary.index(letter) for letter in letters])
        weights, scores, _ = self.run_without(state.off, ids)
        return Ablation(letters, weights, scores, self.right_shares(self.names_of(state.off)))

    def picture(self, state, result) -> dict:
        return {"matrix": self.panels(state, result), "chart": {"traces": {"1": {"y": result.measured}}}}

    def sentence(self, state, result) -> list:
        fallen = [
            i for i, (now, before) in enumerate(zip(result.measured, self.all_on, strict=True)) if before - now > 0.1
        ]
        whole = [i for i in range(len(self.answers)) if i not in fallen]
        named = "; ".join(f"{self.answers[i]}, {percent(float(result.measured[i]))}" for i in fallen)
        guess = f" (a guess is right in {percent(self.task.chance)})" if fallen else ""
        least = float(result.measured[whole].min()) if whole else 0.0
        rest = "The other stays" if len(whole) == 1 else "The others stay"
        kept = f"{rest} right in " if fallen else "Right in "
        bound = "at least " if len(whole) > 1 and least < 0.995 else ""
        return say(
            *self.say_off(state.off),
            *(["Lost: ", context(named), guess, ". "] if fallen else []),
            *([kept, bound, context(percent(least)), "."] if whole else []),
        )

    def code(self, state) -> str:
        typed = state.text.strip().lower()
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "from attnlab.analysis import without",
            "from attnlab.tasks.tagging import accuracy",
            f"off = {self.names_of(state.off)}",
            f"ids = torch.tensor([[task.vocabulary.index(letter) for letter in {typed!r}]])",
            "with torch.no_grad(), without(model, off):",
            "    logits = model(test.inputs)",
            "    with record(model) as trace:",
            "        model(ids)",
            "weights = torch.cat([trace[name][0].weights[0] for name in trace.names])  # [heads, queries, keys]",
            f"measured = [accuracy(logits[:, :, i], test.targets[:, :, i]) for i in range({len(self.answers)})]",
        ])
