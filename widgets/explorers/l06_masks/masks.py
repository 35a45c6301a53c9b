"""Who may look at whom: a mask chosen, combined or painted by hand, and what becomes of the weights."""

import torch

from attnlab.attention import Attention, attend
from attnlab.masks import causal, document, everything, padding, prefix, window
from attnlab.tasks.sample_words import SAMPLE_WORDS
from widgets.base.controls import held, select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

PAD = "<pad>"
TOKENS = ["the", "cat", "sat", "fish", "eat", "fish", PAD, PAD]  # two documents, then what fills the row up
DOCUMENTS = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2])
COUNT, FILLED = len(TOKENS), 6
ASKS, OFFERS = zip(*(SAMPLE_WORDS.get(token, ((0.0, 0.0), (0.0, 0.0))) for token in TOKENS), strict=True)
QUERY, KEY = torch.tensor(ASKS), torch.tensor(OFFERS)

# name: (the mask for a size, its code)
KINDS = {
    "everything": (lambda size: everything(COUNT), "everything(8)"),
    "causal": (lambda size: causal(COUNT), "causal(8)"),
    "window": (lambda size: window(COUNT, radius=size), "window(8, radius={size})"),
    "prefix": (lambda size: prefix(COUNT, length=size), "prefix(8, length={size})"),
    "document": (lambda size: document(DOCUMENTS), f"document(torch.tensor({DOCUMENTS.tolist()}))"),
    "padding": (lambda size: padding(torch.tensor([FILLED]), COUNT)[0], f"padding(torch.tensor([{FILLED}]), 8)[0]"),
}
PAINTED = "painted"
SIZED = ("window", "prefix")
GROUPS = [[0, 3, "one text"], [3, 6, "another"], [6, 8, "padding"]]
JOINS = {"alone": "", "and (&)": "&", "or (|)": "|"}


class MasksExplorer(Explorer):
    """Choose a mask, join it with another, or paint it: hatched cells may not be attended to.

    `painted` is the mask that a hand has drawn, [8, 8] of 0 and 1; painting starts from what is seen. `mask` and
    `weights` of the result are what the picture shows.
    """

    first = select([*KINDS, PAINTED], "window", label="mask", help="who may look at whom")
    join = select(JOINS, help="and: what both masks allow; or: what either allows")
    second = select([*KINDS, PAINTED], "padding", label="with", help="the mask it is joined with")
    size = slider(COUNT - 1, 0, COUNT - 1, help="radius of the window, length of the prefix; other masks have no size")
    painted = held(None, help="the mask that was painted, as rows of 0 and 1; None: nothing was")
    cell = selected_cell([0, 4, 3])

    shows = {"weights": ("matrix", "values"), "mask": ("matrix", "mask")}

    @property
    def mask(self) -> torch.Tensor:
        """[queries, keys], boolean, as shown."""
        return allowed(self.state)

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result.weights

    def views(self) -> dict:
        matrix = Matrix(
            torch.zeros(COUNT, COUNT),
            query_labels=TOKENS,
            key_labels=TOKENS,
            key_groups=GROUPS,
            editing="mask",
            row_bars=True,
        )
        matrix.observe(self._take_painting, "mask")
        return {"matrix": matrix}

    def _take_painting(self, change) -> None:
        with self.lock:
            if not self._quiet:  # by a hand, not by the picture
                mask = everything(COUNT).numpy() if change.new is None else change.new[0]
                self.change(painted=(mask != 0).astype(int).tolist(), first=PAINTED, join="alone")

    def compute(self, state) -> Attention:
        return attend(QUERY, KEY, KEY, mask=allowed(state))

    def picture(self, state, result) -> dict:
        return {
            "matrix": {"values": result.weights, "scores": result.scores, "mask": allowed(state)},
            "controls": {
                "size": {"disabled": not any(kind in SIZED for kind in used(state))},
                "second": {"disabled": not JOINS[state.join]},
            },
        }

    def sentence(self, state, result) -> list:
        row = state.cell[1] if state.cell else -1
        if row < 0:
            count = int(allowed(state).sum())
            return say(
                f"{count} of {COUNT * COUNT} pairs are allowed. Click a cell: it is masked or unmasked, and its ",
                query("row"),
                " is described here.",
            )
        free = attend(QUERY, KEY, KEY).weights[row]
        seen, name = allowed(state)[row], query(quote(TOKENS[row]))
        kept = float(free[seen].sum())
        if not seen.any():
            return say(name, " may look at nothing. Its weights sum to 0, and its context is 0: not NaN.")
        if seen.all():
            return say(name, " may look at every key, and its weights sum to 1.00. Click a cell to mask it.")
        hidden = key("1 key is" if int((~seen).sum()) == 1 else f"{int((~seen).sum())} keys are")
        return say(
            name,
            ": ",
            hidden,
            f" masked, which had {percent(1 - kept)} of its weight. ",
            "The other weight is " if int(seen.sum()) == 1 else "The other weights are ",
            f"{number(1 / kept)} times what {'it was' if int(seen.sum()) == 1 else 'they were'}; "
            f"the row sums to {number(float(result.weights[row].sum()))}.",
        )

    def code(self, state) -> str:
        kinds = used(state)
        formulas = [
            f"torch.tensor({painting(state)}).bool()" if kind == PAINTED else KINDS[kind][1].format(size=state.size)
            for kind in kinds
        ]
        functions = sorted({kind for kind in kinds if kind != PAINTED})
        return "\n".join([
            "import torch",
            f"from attnlab import {', '.join(['attend', *functions])}",
            "",
            f"# {' '.join(TOKENS)}: what each asks for, and what each offers, in amounts of [thing, doing]",
            f"query = torch.tensor({[list(x) for x in ASKS]})",
            f"key = torch.tensor({[list(x) for x in OFFERS]})",
            f"mask = ({f' {JOINS[state.join]} '.join(formulas)}).expand(8, 8)",
            "context, weights, scores = attend(query, key, value=key, mask=mask)",
        ])


def used(state) -> list[str]:
    """The names of the masks that are joined."""
    return [state.first, state.second] if JOINS[state.join] else [state.first]


def painting(state) -> list:
    """What was painted; everything where nothing was."""
    return [[1] * COUNT] * COUNT if state.painted is None else state.painted


def allowed(state) -> torch.Tensor:
    """The mask of a state, [queries, keys]."""
    masks = [
        torch.tensor(painting(state)).bool() if kind == PAINTED else KINDS[kind][0](state.size) for kind in used(state)
    ]
    mask = masks[0] if len(masks) == 1 else masks[0] & masks[1] if JOINS[state.join] == "&" else masks[0] | masks[1]
    return mask.expand(COUNT, COUNT)
