"""Where each head of a GPT looks while it writes, token by token, forwards and backwards."""

from typing import NamedTuple

import torch

from attnlab import MultiHeadAttention, record
from attnlab.analysis import without
from attnlab.decoding import draw, temperature, write
from widgets.base.controls import button, slider, stepper, switch, text
from widgets.base.explorer import Explorer
from widgets.base.words import counted, key, one_or_more, percent, query, quote, say, token_label
from widgets.instruments.matrix.matrix import Matrix

MANY = 64  # layers, or heads, that the sliders can be asked for
MOST = 30  # tokens of beginning and continuation together: more columns could not bear their names


class HeadView(NamedTuple):
    """ids: of the beginning and what was written. given: how many are the beginning's. weights: [tokens, tokens], of
    the head that is shown; each row is the one that has just read its token. chances: of the token after the shown
    one, [vocabulary]; whole: the same with all heads."""

    ids: list[int]
    given: int
    weights: torch.Tensor
    chances: torch.Tensor
    whole: torch.Tensor

    def follows(self, row: int) -> int:
        """The token after this row: the one that was written, behind the last one the likeliest."""
        return self.ids[row + 1] if row + 1 < len(self.ids) else int(self.chances.argmax())


class HeadViewExplorer(Explorer):
    """One head of one layer over the text that a GPT writes; switch the head off and see what the others make of it.

    model: a GPT. task: a `Text`, which encodes and decodes for it. length: tokens that it writes, at the temperature
    `warmth`.
    """

    begin = text('The value of "__name__"', label="begin with", width=20, help="the text that the model continues")
    token = stepper(1, 1, None, label="token", help="the token that was read last: its row is shown")
    layer = slider(1, 1, MANY, help="the layer, from the bottom")
    head = slider(1, 1, MANY, help="the head of that layer")
    off = switch(False, label="head off", help="this head finds nothing, wherever it looks")
    again = button(label="another", help="let the model write something else")

    shows = {"weights": ("matrix", "values")}
    unstable = True

    def __init__(self, model, task, length: int = 10, warmth: float = 0.7, lock=None, **state) -> None:
        self.model, self.task, self.length, self.warmth = model, task, length, warmth
        self.names = [name for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)]
        self._texts: dict[tuple, list[int]] = {}
        super().__init__(lock=lock, **state)

    @property
    def weights(self) -> torch.Tensor:
        """[tokens, tokens] of the head that is shown."""
        return self.result.weights

    def views(self) -> dict:
        return {"matrix": Matrix(torch.zeros(1, 1), row_bars=True, query_title="has just read", key_title="looks at")}

    def _text(self, state) -> tuple[list[int], int]:
        """Ids of the beginning and of what the model writes after it; how many are the beginning's."""
        prompt = self.task.encode(state.begin)
        if not 1 <= len(prompt) <= MOST - self.length:
            raise ValueError(
                f"expected a beginning of 1 to {MOST - self.length} tokens, {quote(state.begin)} has {len(prompt)}"
            )
        place = (state.begin, state.again)
        if place not in self._texts:
            generator = torch.Generator().manual_seed(state.again)
            steps = write(self.model, prompt, self.length, lambda x: draw(temperature(x, self.warmth), generator))
            self._texts = {place: [*prompt.tolist(), *(step.token for step in steps)]}
        return self._texts[place], len(prompt)

    def compute(self, state) -> HeadView:
        ids, given = self._text(state)
        if state.layer > len(self.names):
            raise ValueError(f"this model has {one_or_more(len(self.names), 'layer')}, not {state.layer}")
        name, heads = self.names[state.layer - 1], self._heads(state.layer)
        if state.head > heads:
            raise ValueError(f"layer {state.layer} has {one_or_more(heads, 'head')}, not {state.head}")
        tokens = torch.tensor([ids])
        with torch.no_grad(), record(self.model) as trace:
            whole = self.model(tokens)[0]
        own = trace[name][0].weights
        chances, row = whole, min(state.token, len(ids)) - 1
        if state.off:
            with torch.no_grad(), without(self.model, [(name, state.head - 1)]):
                chances = self.model(tokens)[0]
        weights = torch.zeros_like(own[0, 0]) if state.off else own[0, state.head - 1]
        return HeadView(ids, given, weights, chances[row].softmax(-1), whole[row].softmax(-1))

    def _heads(self, layer: int) -> int:
        return self.model.get_submodule(self.names[layer - 1]).heads

    def picture(self, state, result) -> dict:
        row = min(state.token, len(result.ids)) - 1
        names = [self.task.vocabulary[token] for token in result.ids]
        shown = result.whole.argsort(descending=True, stable=True)[:8].tolist()
        follows = result.follows(row)
        if follows not in shown:
            shown[-1] = follows
        labels = [self.task.vocabulary[token] for token in shown]
        return {
            "controls": {
                "token": {"max": len(result.ids)},
                "layer": {"max": len(self.names)},
                "head": {"max": self._heads(state.layer)},
            },
            "matrix": {
                "values": result.weights,
                "query_labels": names,
                "key_labels": names,
                "current": row,
                "produced": row,
                "selected": [0, row, -1],
                "mask": torch.ones(len(names), len(names)).tril(),
                "key_groups": [[0, result.given, "given"], [result.given, len(names), "written"]],
                "distribution_title": say("next after ", query(token_label(names[row]))),
                "distribution_labels": labels,
                "distribution": result.chances[shown][None],
                "distribution_chosen": shown.index(follows) if row + 1 < len(result.ids) else -1,
            },
        }

    def sentence(self, state, result) -> list:
        row = min(state.token, len(result.ids)) - 1
        read = quote(token_label(self.task.vocabulary[result.ids[row]]))
        follows = result.follows(row)
        then = [
            " Next comes " if row + 1 < len(result.ids) else " The likeliest next token is ",
            query(quote(token_label(self.task.vocabulary[follows]))),
            ", with a chance of ",
        ]
        if state.off:
            return say(
                f"Head {state.head} of layer {state.layer} is off.",
                *then,
                f"{percent(float(result.chances[follows]))}; with the head it was "
                f"{percent(float(result.whole[follows]))}.",
            )
        at = int(result.weights[row].argmax())
        where = "itself" if at == row else f"{counted(row - at, 'token')} back"
        return say(
            "Having read ",
            query(read),
            f", head {state.head} of layer {state.layer} looks most at ",
            key(quote(token_label(self.task.vocabulary[result.ids[at]]))),
            f", {where}, with {percent(float(result.weights[row, at]))} of its weight.",
            *then,
            f"{percent(float(result.chances[follows]))}.",
        )

    def code(self, state) -> str:
        ids, _ = self._text(state)
        name = self.names[state.layer - 1]
        lines = ["import torch", "from attnlab import record"]
        watched = "with torch.no_grad(), record(model) as trace:"
        if state.off:
            lines += ["from attnlab.analysis import without"]
            watched = f"with torch.no_grad(), without(model, [({name!r}, {state.head - 1})]), record(model) as trace:"
        lines += ["", f"ids = torch.tensor([{ids}])  # {self.task.decode(ids)!r}", watched, "    model(ids)"]
        return "\n".join([*lines, f"weights = trace[{name!r}][0].weights[0, {state.head - 1}]"])
