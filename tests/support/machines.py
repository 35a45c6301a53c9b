"""A machine to look at, a GPT as a spec by hand with numbers of no model; and what tests ask a page that shows one."""

import numpy as np
import torch

from attnlab import AttentionSeq2Seq, FixedContext
from attnlab.analysis import scale_weights
from attnlab.tasks.text import Characters, Text
from attnlab.transformer import gpt, transformer
from widgets.explorers.l11_small_gpt.gpt_machine import GPTMachineExplorer


def stream(blocks=2, heads=2, tokens=6, width=8, words=5) -> tuple[dict, dict]:
    """The spec without its tensors, and the tensors by name: what `pack` takes."""
    numbers = np.random.default_rng(0)
    nodes = [{"id": "", "label": "whole machine", "line": "for block in blocks: x = block(x)", "shape": "all"}]
    tensors = {}

    def add(id, kind, *shape, within="", label="", **more):
        nodes.append({"id": id, "kind": kind, "in": within, "label": label or kind, "line": f"x = {id}(x)", **more})
        if shape:
            tensors[f"{id}/out"] = numbers.normal(size=shape)

    add("embed.tokens", "embed", tokens, width, label="token")
    add("embed", "embed", tokens, width, label="the stream", shape=f"{tokens} tokens × {width}")
    for block in range(blocks):
        id = f"blocks.{block}"
        add(id, "block", label=f"block {block + 1}")
        for name in ("attention", "feed_forward"):
            one = f"{id}.{name}"
            add(f"{one}_norm", "norm", tokens, width, within=id)
            add(one, name, tokens, width, within=id, label=name.replace("_", "-"))
            if name == "attention":
                for head in range(heads):
                    add(f"{one}:{head}", "head", within=one, label=f"block {block + 1}, head {head + 1}")
                scores = np.where(np.tri(tokens), numbers.normal(size=(heads, tokens, tokens)), -np.inf)
                weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
                tensors |= {f"{one}/weights": weights, f"{one}/scores": scores, f"{one}/mask": np.tri(tokens)}
                for part in ("q", "k", "v", "context"):
                    tensors[f"{one}/{part}"] = numbers.normal(size=(heads, tokens, max(1, width // heads)))
                tensors[f"{one}/adds"] = numbers.normal(size=(heads, tokens, width))
            else:
                tensors[f"{one}/hidden"] = numbers.normal(size=(tokens, 2 * width)).clip(0)
            add(f"{one}.sum", "sum", tokens, width, within=id)
    add("output", "unembed", label="unembed")
    add("next", "word", words, label="next token")
    tensors["next/out"] = np.full(words, 1 / words)
    tensors["next/was"] = np.eye(words)[0]
    labels = {"token": ["the", "cats", "near", "the", "dog", "sleep"] * (tokens // 6 + 1)}
    labels = {"token": labels["token"][:tokens], "vocabulary": [f"word {i + 1}" for i in range(words)]}
    spec = {"title": "a GPT", "nodes": nodes, "labels": labels}
    return spec, tensors


def translators(task) -> dict:
    """Untrained models for lesson 02's encoder and decoder, by the explorer's modes."""
    torch.manual_seed(5)
    sizes = len(task.source_vocabulary), len(task.target_vocabulary), 8, 8
    kinds = {"looking back": AttentionSeq2Seq, "one fixed vector": FixedContext}
    return {mode: kind(*sizes, bidirectional=False).eval() for mode, kind in kinds.items()}


def reader_of_letters(heads=2) -> tuple:
    """An untrained GPT that reads letters, and the text that they are from."""
    torch.manual_seed(0)
    task = Text.from_string("the cats sleep. a dog eats the bread.\n" * 40, Characters)
    return gpt(len(task.vocabulary), 16, heads, layers=2, longest=64).eval(), task


def small_gpt(heads=2, **state) -> GPTMachineExplorer:
    """Lesson 11's machine of it."""
    return GPTMachineExplorer(*reader_of_letters(heads), begin="the cats", token=2, **state)


def transformer_of(task):
    """An untrained Transformer of two and two blocks with three heads, whose matrices are large: it has opinions."""
    torch.manual_seed(3)
    sizes = len(task.source_vocabulary), len(task.target_vocabulary)
    return scale_weights(transformer(*sizes, dim=24, heads=3, layers=2).eval(), 3)


def part(page, id):
    return page.locator(f".machine [data-part='{id}']")


def marks(page):
    """The marks of the picture by key; their tables as lists."""
    return page.locator(".machine").evaluate("""el => Object.fromEntries(el.attnlab.picture.marks.map((mark) =>
        [mark.key, { ...mark, table: mark.table && Array.from(mark.table.data) }]))""")


# The texts of the picture that leave it, and those that lie over each other: of two turned ones the boxes do, not they.
OVERLAPS = """(which) => {
    const texts = [...document.querySelectorAll(which ?? ".machine svg text")].filter((el) => el.textContent);
    const box = (el) => el.getBoundingClientRect();
    const boxes = texts.map((el) => [el.textContent, box(el), box(el.closest("svg")), el.matches("[transform]")]);
    const cut = ([, a, frame]) => a.left < frame.left - 1 || a.right > frame.right + 1;
    const wrong = boxes.filter(cut).map(([text]) => text);
    if (!boxes.length) wrong.push("there is no text");
    boxes.forEach(([text, a, , turned], i) => {
        for (const [other, b, , isTurned] of boxes.slice(i + 1)) {
            if (turned && isTurned) continue;
            const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left),
                Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
            if (x > 1 && y > 4) wrong.push(`${text} and ${other}`);
        }
    });
    return wrong;
}"""
