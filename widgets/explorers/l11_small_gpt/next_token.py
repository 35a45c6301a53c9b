"""The chances of the next token as bars, and what temperature, top-k and top-p do to them."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import torch
from traitlets import observe

from attnlab.decoding import draw, temperature, top_k, top_p
from widgets.base.controls import button, held, slider, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, counted, percent, query, quote, say, token_label
from widgets.instruments.chart.chart import Chart, bars, colour_of, figure, plain_text
from widgets.instruments.text_columns.text_columns import TextColumns

SHOWN = 24  # tokens with a bar of their own; the others share one
ALL = 60  # the position of the top-k slider where nothing is cut
TOKENS = 60  # at most written
CUT, KEPT = "probability, cut", "probability, may be drawn"


class NextToken(NamedTuple):
    """written: ids, up to the place that is shown. order: all ids, the most probable first. before: the chances after
    the temperature, [vocabulary]; after: when the filters have cut, 0 for what they cut. free: how many may be
    drawn."""

    written: list[int]
    order: torch.Tensor
    before: torch.Tensor
    after: torch.Tensor
    free: int

    def bars(self, chances: torch.Tensor) -> torch.Tensor:
        """[shown + 1]: a bar for each of the first tokens, the last for all others together."""
        chances = chances[self.order]
        return torch.cat([chances[:SHOWN], chances[SHOWN:].sum(0, keepdim=True)])


class NextTokenExplorer(Explorer):
    """Bars for the next token; each step of `token` draws one and writes it.

    model: a GPT. task: a `Text`, which encodes and decodes for it. `written` holds what was drawn with earlier
    positions of the sliders: they change what comes next, not what stands there.
    """

    begin = text("If an exception is", label="begin with", width=20, help="the text that the model continues")
    temperature = slider(1.0, 0.1, 2.0, step=0.1, help="the logits are divided by it before the softmax")
    top_k = slider(ALL, 1, ALL, label="top k", help=f"only so many tokens may be drawn; at {ALL} all of them")
    top_p = slider(
        1.0,
        0.05,
        1.0,
        step=0.05,
        label="top p",
        help="only the smallest set that reaches this probability may be drawn",
    )
    token = stepper(0, 0, TOKENS, label="token", help="how many tokens are written; each step draws one")
    again = button(label="another", help="draw from the beginning, with other luck")
    written = held([], help="ids of the tokens that are drawn already")

    shows = {"kept": lambda parts: parts["chart"].trace(KEPT)["y"]}
    unstable = True

    def __init__(self, model, task, lock=None, **state) -> None:
        self.model, self.task = model, task
        super().__init__(lock=lock, **state)

    @property
    def text(self) -> str:
        """The beginning and what was written."""
        return self.begin + self.task.decode(self.result.written)

    def views(self) -> dict:
        empty = [0.0] * (SHOWN + 1)
        cut = {
            "marker": {
                "color": colour_of("plain", 0.16),
                "line": {"color": colour_of("plain", 0.7), "width": 1},
                "pattern": {"shape": "/", "size": 5, "fgcolor": colour_of("plain", 0.7)},
            }
        }
        labels, shown = [str(i) for i in range(SHOWN + 1)], "%{customdata}: %{y:.3f}"
        chart = Chart(
            figure(
                bars(empty, labels, CUT, hovertemplate=f"{shown}, cut<extra></extra>", **cut),
                bars(empty, labels, KEPT, "context", hovertemplate=f"{shown}<extra></extra>"),
                height=290,
                barmode="overlay",
                bargap=0.15,
                margin={"b": 84},
                showlegend=True,
                xaxis={"tickmode": "array", "tickvals": labels, "tickangle": -50},
            )
        )
        return {"texts": TextColumns(titles=["the text so far"], height=156, follow=True), "chart": chart}

    # ---- what is written

    @observe("begin", "again")
    def _start_over(self, change) -> None:
        self.set_state({"written": []})

    @observe("temperature", "top_k", "top_p")
    def _keep_what_is_shown(self, change) -> None:
        self.set_state({"written": self.written[: self.token]})

    def answer(self, error: str = "", show: Callable | None = None) -> None:
        if len(self.written) < self.token:  # what is drawn for this picture stands there from now on
            with suppress(ValueError):  # the picture will say why there is none
                self.set_state({"written": self._tokens_up_to_here(self.state)})
        super().answer(error, show)

    def _prompt(self, state) -> torch.Tensor:
        prompt = self.task.encode(state.begin)
        if not len(prompt):
            raise ValueError("expected a beginning of at least one letter, got an empty text")
        if len(prompt) + TOKENS > self.model.longest:
            raise ValueError(
                f"the beginning has {len(prompt)} tokens; with {self.model.longest - TOKENS} there is "
                f"room for {TOKENS} more"
            )
        return prompt

    def _tokens_up_to_here(self, state) -> list[int]:
        """The tokens up to the place that is shown: those that stand there, and drawn ones behind them."""
        written = list(state.written[: state.token])
        prompt = self._prompt(state).tolist()
        while len(written) < state.token:
            written.append(self._draw(state, len(written), self._logits([*prompt, *written])))
        return written

    @staticmethod
    def _draw(state, place: int, logits: torch.Tensor) -> int:
        generator = torch.Generator().manual_seed(1000 * state.again + place)
        return draw(filtered(state, logits), generator)

    def _logits(self, tokens: list[int]) -> torch.Tensor:
        """Of the token after these. Read as a whole each time, so that it is the same by whatever way one came."""
        ids = tuple(tokens)
        if ids not in self._known:
            if len(self._known) > 500:
                self._known.clear()
            with torch.no_grad():
                self._known[ids] = self.model(torch.tensor([ids]))[0, -1]
        return self._known[ids]

    # ---- the picture

    def compute(self, state) -> NextToken:
        written = self._tokens_up_to_here(state)
        logits = self._logits([*self._prompt(state).tolist(), *written])
        warm = temperature(logits, state.temperature)
        order = logits.argsort(descending=True, stable=True)
        left = filtered(state, logits)
        return NextToken(written, order, warm.softmax(-1), left.softmax(-1), int(left.isfinite().sum()))

    def picture(self, state, result) -> dict:
        kept, before = result.bars(result.after), result.bars(result.before)
        rest = len(result.order) - SHOWN
        names = [token_label(self.task.vocabulary[token]) for token in result.order[:SHOWN]]
        names = [plain_text(name) for name in [*names, f"{rest} others"]]
        cut = torch.where(kept == 0, before, torch.zeros(()))
        top = max(float(kept.max()), float(cut.max()))
        traces = {CUT: {"y": cut, "customdata": names}, KEPT: {"y": kept, "customdata": names}}
        layout = {"xaxis": {"ticktext": names}, "yaxis": {"range": [0, min(1.05, 1.15 * top)]}}
        runs = [[state.begin, "given"], [self.task.decode(result.written), "word"]]
        return {
            "texts": {"texts": [[run for run in runs if run[0]]]},
            "chart": {"traces": traces, "figure_layout": layout},
        }

    def sentence(self, state, result) -> list:
        first = quote(token_label(self.task.vocabulary[int(result.order[0])]))
        lost = float(result.before[result.after == 0].sum())
        runs: list = ["The likeliest next token is ", query(first), f", with {percent(float(result.before.max()))}"]
        runs += [f" at temperature {state.temperature:g}. "] if state.temperature != 1 else [". "]
        if result.free == len(result.order):
            return say(*runs, "Nothing is cut: ", context(f"all {result.free} tokens"), " may be drawn.")
        return say(
            *runs,
            context(counted(result.free, "token")),
            f" may be drawn; the rest, {percent(lost)} of the probability, is cut.",
        )

    def code(self, state) -> str:
        lines = [
            "import torch",
            "from attnlab.decoding import temperature, top_k, top_p",
            "",
            f"ids = task.encode({state.begin!r}).tolist()",
        ]
        if state.token:
            written = self._tokens_up_to_here(state)
            lines += [f"ids += {written}  # {self.task.decode(written)!r}"]
        lines += [
            "with torch.no_grad():",
            "    logits = model(torch.tensor([ids]))[0, -1]",
            f"warm = temperature(logits, {state.temperature})",
        ]
        if state.top_k < ALL:
            lines += [f"warm = top_k(warm, {state.top_k})"]
        if state.top_p < 1:
            lines += [f"warm = top_p(warm, {state.top_p})"]
        lines += [
            "chances = warm.softmax(dim=-1)",
            "in_order = chances[logits.argsort(descending=True, stable=True)]",
            f"kept = torch.cat([in_order[:{SHOWN}], in_order[{SHOWN}:].sum(0, keepdim=True)])",
        ]
        return "\n".join(lines)


def filtered(state, logits: torch.Tensor) -> torch.Tensor:
    """The logits of what may be drawn."""
    warm = temperature(logits, state.temperature)
    warm = top_k(warm, state.top_k) if state.top_k < ALL else warm
    return top_p(warm, state.top_p) if state.top_p < 1 else warm
