"""NextTokenExplorer: the chances of the next token as bars, what temperature, top-k and top-p do to them."""

from contextlib import suppress
from typing import NamedTuple

import torch
from traitlets import observe

from attnlab.decoding import draw, temperature, top_k, top_p

from .chart import Chart, bars, figure, plain_text
from .controls import button, held, slider, stepper, text
from .explorer import Explorer
from .texts import Texts
from .words import context, percent, query, quote, say, visible

SHOWN = 24  # tokens with a bar of their own; the others share one
ALL = 60  # the position of the top-k slider where nothing is cut
TOKENS = 60  # at most written


class Next(NamedTuple):
    """written: ids, up to the place that is shown. order: all ids, the most probable first. before: the chances after
    the temperature, [vocabulary]; after: when the filters have cut, 0 for what they cut."""

    written: list[int]
    order: torch.Tensor
    before: torch.Tensor
    after: torch.Tensor

    def bars(self, chances) -> torch.Tensor:
        """[shown + 1]: a bar for each of the first tokens, the last for all others together."""
        chances = chances[self.order]
        return torch.cat([chances[:SHOWN], chances[SHOWN:].sum(0, keepdim=True)])


class Chances(Chart):
    """A chart of what may be drawn, over what was cut."""

    @property
    def kept(self) -> torch.Tensor:
        """The bars of what may be drawn, the shared one last."""
        return torch.as_tensor(self._today()["data"][1]["y"])


class NextTokenExplorer(Explorer):
    """Bars for the next token; each step of `token` draws one and writes it.

    model: a GPT. task: a `Text`, which encodes and decodes for it. `written` holds what was drawn with earlier
    positions of the sliders: they change what comes next, not what stands there.
    """

    begin = text("If an exception is", label="begin with", width=20, help="the text that the model continues")
    temperature = slider(1.0, 0.1, 2.0, step=0.1, help="the logits are divided by it before the softmax")
    top_k = slider(ALL, 1, ALL, label="top k", help=f"only so many tokens may be drawn; at {ALL} all of them")
    top_p = slider(1.0, 0.05, 1.0, step=0.05, label="top p",
                   help="only the smallest set that reaches this probability may be drawn")
    token = stepper(0, 0, TOKENS, label="token", help="how many tokens are written; each step draws one")
    again = button(label="another", help="draw from the beginning, with other luck")
    written = held([], help="ids of the tokens that are drawn already")

    shows = {"kept": ("chart", "kept")}

    def __init__(self, model, task, lock=None, **state):
        self.model, self.task = model, task
        self._known: dict[tuple, torch.Tensor] = {}
        super().__init__(lock=lock, **state)

    def refresh(self):
        self._known.clear()
        super().refresh()

    @property
    def text(self) -> str:
        """The beginning and what was written."""
        return self.begin + self.task.decode(self.result.written)

    def __repr__(self):
        # Without the text: it differs from one machine to the next where two tokens are nearly as probable.
        return f"{type(self).__name__}({quote(self.begin)}, temperature {self.temperature}, top p {self.top_p})"

    def views(self):
        empty = [0.0] * (SHOWN + 1)
        cut = {"marker": {"color": "rgba(128,128,128,.16)", "line": {"color": "rgba(128,128,128,.7)", "width": 1},
                          "pattern": {"shape": "/", "size": 5, "fgcolor": "rgba(128,128,128,.7)"}}}
        labels, shown = [str(i) for i in range(SHOWN + 1)], "%{customdata}: %{y:.3f}"
        chart = Chances(figure(
            bars(empty, labels, "probability, cut", hovertemplate=f"{shown}, cut<extra></extra>", **cut),
            bars(empty, labels, "probability, may be drawn", "context", hovertemplate=f"{shown}<extra></extra>"),
            height=290, barmode="overlay", bargap=0.15, margin={"b": 84}, showlegend=True,
            xaxis={"tickmode": "array", "tickvals": labels, "tickangle": -50},
        ))
        return {"texts": Texts(titles=["the text so far"], height=156, follow=True), "chart": chart}

    # ---- what is written

    @observe("begin", "again")
    def _anew(self, change):
        self._set({"written": []})

    @observe("temperature", "top_k", "top_p")
    def _other_chances(self, change):
        self._set({"written": self.written[: self.token]})

    def _answer(self, *said):
        if len(self.written) < self.token:  # what is drawn for this picture stands there from now on
            with suppress(ValueError):  # the picture will say why there is none
                self._set({"written": self._path(self.state)})
        super()._answer(*said)

    def _prompt(self, state) -> torch.Tensor:
        prompt = self.task.encode(state.begin)
        if not len(prompt):
            raise ValueError("expected a beginning of at least one letter, got an empty text")
        if len(prompt) + TOKENS > self.model.longest:
            raise ValueError(f"the beginning has {len(prompt)} tokens; with {self.model.longest - TOKENS} there is "
                             f"room for {TOKENS} more")
        return prompt

    def _path(self, state) -> list[int]:
        """The tokens up to the place that is shown: those that stand there, and drawn ones behind them."""
        written = list(state.written[: state.token])
        prompt = self._prompt(state).tolist()
        while len(written) < state.token:
            written.append(self._draw(state, len(written), self._logits([*prompt, *written])))
        return written

    @staticmethod
    def _draw(state, place: int, logits) -> int:
        generator = torch.Generator().manual_seed(1000 * state.again + place)
        return draw(filtered(state, logits), generator)

    def _logits(self, ids: list[int]) -> torch.Tensor:
        """Of the token after `ids`. Read as a whole each time, so that it is the same by whatever way one came."""
        ids = tuple(ids)
        if ids not in self._known:
            if len(self._known) > 500:
                self._known.clear()
            with torch.no_grad():
                self._known[ids] = self.model(torch.tensor([ids]))[0, -1]
        return self._known[ids]

    # ---- the picture

    def compute(self, state):
        written = self._path(state)
        logits = self._logits([*self._prompt(state).tolist(), *written])
        warm = temperature(logits, state.temperature)
        order = logits.argsort(descending=True, stable=True)
        return Next(written, order, warm.softmax(-1), filtered(state, logits).softmax(-1))

    def picture(self, state, result):
        kept, before = result.bars(result.after), result.bars(result.before)
        rest = len(result.order) - SHOWN
        names = [label(self.task.vocabulary[token]) for token in result.order[:SHOWN]]
        names = [plain_text(name) for name in [*names, f"{rest} others"]]
        cut = torch.where(kept == 0, before, torch.zeros(()))
        top = max(float(kept.max()), float(cut.max()))
        traces = {"0": {"y": cut, "customdata": names}, "1": {"y": kept, "customdata": names}}
        layout = {"xaxis": {"ticktext": names}, "yaxis": {"range": [0, min(1.05, 1.15 * top)]}}
        runs = [[state.begin, "given"], [self.task.decode(result.written), "word"]]
        return {"texts": {"texts": [[run for run in runs if run[0]]]},
                "chart": {"traces": traces, "figure_layout": layout}}

    def sentence(self, state, result):
        kept = int((result.after > 0).sum())
        first = quote(label(self.task.vocabulary[int(result.order[0])]))
        lost = float(result.before[result.after == 0].sum())
        told = ["The likeliest next token is ", query(first), f", with {percent(float(result.before.max()))}"]
        told += [f" at temperature {state.temperature:g}. "] if state.temperature != 1 else [". "]
        if kept == len(result.order):
            return say(*told, "Nothing is cut: ", context(f"all {kept} tokens"), " may be drawn.")
        return say(*told, context(f"{kept} token{'s' * (kept > 1)}"), " may be drawn; the rest, "
                   f"{percent(lost)} of the probability, is cut.")

    def code(self, state):
        lines = ["import torch", "from attnlab.decoding import temperature, top_k, top_p", "",
                 f"ids = task.encode({state.begin!r}).tolist()"]
        if state.token:
            written = self._path(state)
            lines += [f"ids += {written}  # {self.task.decode(written)!r}"]
        lines += [
            "with torch.no_grad():",
            "    logits = model(torch.tensor([ids]))[0, -1]",
            f"warm = temperature(logits, {state.temperature})",
        ]
        if state.top_k < ALL:
            lines += [f"warm = top_k(warm, {state.top_k})"]
        lines += [
            f"chances = top_p(warm, {state.top_p}).softmax(dim=-1)",
            "in_order = chances[logits.argsort(descending=True, stable=True)]",
            f"kept = torch.cat([in_order[:{SHOWN}], in_order[{SHOWN}:].sum(0, keepdim=True)])",
        ]
        return "\n".join(lines)


def filtered(state, logits) -> torch.Tensor:
    """The logits of what may be drawn."""
    warm = temperature(logits, state.temperature)
    warm = top_k(warm, state.top_k) if state.top_k < ALL else warm
    return top_p(warm, state.top_p)


def label(token: str) -> str:
    """A token that can be seen, of at most 12 letters."""
    shown = visible(token)
    return shown if len(shown) <= 12 else shown[:11] + "…"
