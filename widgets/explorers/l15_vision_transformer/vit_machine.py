"""A ViT as a machine: a picture in patches runs through it as a stream, one patch followed, each head with a switch."""

from typing import NamedTuple

from torch import Tensor

from attnlab.analysis import MachineSpec, colour_limits, heads_in, largest_branch, model_graph, run_machine
from attnlab.vision.vit import ViT
from widgets.base.controls import held
from widgets.base.words import context, key, one_or_more, percent, query, row_and_column, say
from widgets.explorers.l15_vision_transformer.digit_of import ONE_DIGIT, DigitExplorer, paper
from widgets.instruments.machine.machine import Machine, pack

UNDRAWN = (
    "output/out",
    "output/in",
    "norm/out",
    "embed.pixels/in",
    "embed.pixels/out",
)  # nor biases
DIGIT = {"id": "digit", "kind": "word", "in": "", "label": "which digit", "line": "chances = softmax(logits)"}
WHOLE = "x = embed(images)\nfor block in blocks: x = block(x)\nlogits = output(norm(x)[:, 0])"


class ViTMachine(NamedTuple):
    """Of one digit. whole: the machine with all heads, its chances [classes]. spec, chances: without those off."""

    whole: MachineSpec
    whole_chances: Tensor
    spec: MachineSpec
    chances: Tensor


class ViTMachineExplorer(DigitExplorer):
    """The whole of a ViT: follow a patch from station to station, go into a block and a head, switch heads off.

    model: a ViT for pictures of one channel.
    """

    off = held([], "ids of the heads that are switched off", ("machine", "off"))
    zoom = held("", "what is seen from near", ("machine", "zoom"))
    follow = held([], "the token that is followed: [row, role]", ("machine", "chosen"))

    shows = {"chances": lambda parts: parts["machine"].tensor("digit/out")}

    def __init__(self, model: ViT, digits, lock=None, **state) -> None:
        self.model = model
        self.side = digits.images.shape[-1] // model.embed.size
        self._graph = model_graph(model)
        super().__init__(digits, lock=lock, **state)

    @property
    def chances(self) -> Tensor:
        """Of the ten digits."""
        return self.result.chances

    def views(self) -> dict:
        return {"machine": Machine("stream")}

    def compute(self, state) -> ViTMachine:
        image, off = self.chosen(state), heads_in(state.off)
        whole = self._whole(state.digit, image)
        return ViTMachine(*whole, *(self._run(image, off) if off else whole))

    def _whole(self, digit: int, image: Tensor) -> tuple[MachineSpec, Tensor]:
        """Kept, since it is the same whatever is switched off, followed or seen from near."""
        if digit not in self._known:
            self._known = {digit: self._run(image, [])}
        return self._known[digit]

    def _run(self, image: Tensor, off: list[tuple[str, int]]) -> tuple[MachineSpec, Tensor]:
        logits, spec = run_machine(self.model, self._graph, off, image)
        return spec, logits[0].softmax(-1)

    # ---- the picture

    def picture(self, state, result) -> dict:
        count = self.side**2
        shape = f"{count} patches in, ten chances out"
        digit = {**DIGIT, "count": len(result.chances)}
        tensors = {name: one for name, one in result.spec.tensors.items() if drawn(name)}
        tensors |= {
            "image": paper(self.chosen(state)),
            "digit/out": result.chances,
            "digit/was": result.whole_chances,
            "digit/logits": result.spec.tensors["output/out"],
        }
        limits = colour_limits(result.whole)
        spec = {
            "title": f"a ViT that reads {count} patches and a class token",
            "nodes": [{"id": "", "label": "whole machine", "line": WHOLE, "shape": shape}, *result.spec.nodes, digit],
            "labels": {
                "token": [
                    "class",
                    *(f"{row + 1}, {column + 1}" for row in range(self.side) for column in range(self.side)),
                ],
                "vocabulary": [str(digit) for digit in range(len(result.chances))],
            },
            "image": {"grid": [self.side, self.side], "first": 1},
            "read": 0,
            "branch": largest_branch(result.whole),
        }
        return {"controls": self.most, "machine": pack(spec, tensors, limits | {"digit/logits": limits["output/out"]})}

    # ---- what is said

    def sentence(self, state, result) -> list:
        best = int(result.whole_chances.argmax())
        sure = percent(float(result.whole_chances[best]))
        if state.off:
            now, which = int(result.chances.argmax()), one_or_more(len(state.off), "head")
            then = "." if now == best else f", and the answer is {now}."
            left = context(percent(float(result.chances[best])))
            return say(f"Without {which} the chance of {best} goes from {sure} to ", left, then)
        row = self._followed(state)
        if row == 0:
            return say("The ", query("class token"), f" begins alike for all pictures; it ends as “{best}, {sure}”.")
        if row is not None:
            return self._of_patch(result, row)
        return say(
            f"One class token and {self.side**2} patches run through; only in the heads do they meet. The answer, ",
            context(best),
            f", {sure} sure (label: {self.label(state)}), is read from the class token alone, the first row.",
        )

    def _followed(self, state) -> int | None:
        """The row that was chosen."""
        name = state.follow[0] if state.follow else ""
        return int(name.removeprefix("row ")) if name.startswith("row ") else None

    def _of_patch(self, result, token: int) -> list:
        """What the class token reads of a patch, where it reads most of it."""
        place = row_and_column(*divmod(token - 1, self.side))
        read = {
            node["label"]: float(
                result.spec.tensors[f"{node['in']}/weights"][int(node["id"].rpartition(":")[2]), 0, token]
            )
            for node in result.spec.nodes
            if node["kind"] == "head"
        }
        head = max(read, key=lambda name: read[name])
        return say(
            query(place.capitalize()),
            f" is row {token + 1} of every station. The class token reads most of it in ",
            key(head),
            f": {percent(read[head])} of its weight (even weights would be {percent(1 / (self.side**2 + 1))}).",
        )

    def code(self, state) -> str:
        off = heads_in(state.off)
        given = f"without(model, {off}), " if off else ""
        return "\n".join([
            "import torch",
            "from attnlab import record",
            *(["from attnlab.analysis import without"] if off else []),
            "",
            ONE_DIGIT.format(state.digit - 1),
            f"with torch.no_grad(), {given}record(model) as trace:",
            "    chances = model(image)[0].softmax(-1)",
            'heads = [trace.tensor(name) for name in trace.tensors if name.endswith("/adds")]  # what each adds',
        ])


def drawn(name: str) -> bool:
    """Whether a tensor is seen in any zoom."""
    return name not in UNDRAWN and not name.endswith("/bias")
