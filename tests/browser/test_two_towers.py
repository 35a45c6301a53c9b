"""The two towers of lesson 10 in a real browser: the page shows torch's numbers, clicks ask, switches take away."""

import pytest
import torch
from machines import OVERLAPS, marks, part, transformer_of

from attnlab import greedy, record
from attnlab.tasks import BOS, EOS, Phrasebook
from widgets.explorers.l10_transformer.two_towers import MOST, TwoTowersExplorer
from widgets.instruments.machine.machine import CELLS, shares

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

TEXT = "we are not eating the red apples"
CROSS = "decoder.blocks.1.cross_attention"
THREE = [f"decoder.blocks.{block}.{name}" for block in (0, 1) for name in ("attention", "cross_attention")]


@pytest.fixture(scope="module")
def task():
    return Phrasebook(pairs=100, tests=20)


@pytest.fixture(scope="module")
def model(task):
    return transformer_of(task)


@pytest.fixture(autouse=True)
def still(page):
    page.emulate_media(reduced_motion="reduce")  # each word stands at once


@pytest.fixture
def explorer(bridge, model, task):
    return bridge.show(TwoTowersExplorer(model, task, text=TEXT, word=4))


def beams(page, attention):
    """The beams of the word that asks: {(query, key): width}."""
    drawn = marks(page)
    edges = [key.split()[2:4] for key in drawn if key.startswith(f"{attention} beam") and key.endswith(" edge")]
    return {(int(query), int(key)): drawn[f"{attention} beam {query} {key}"]["thick"] for query, key in edges}


def test_the_pages_numbers_are_torchs(page, explorer, model, task):
    source = task.read(TEXT)
    read = [BOS, *(step.token for step in greedy(model, source, BOS, EOS, MOST))][:-1]
    with torch.no_grad(), record(model) as trace:
        chances = model(source[None], torch.tensor([7]), torch.tensor([read]))[0].softmax(-1)
    drawn = marks(page)
    station = drawn["decoder.blocks.0.cross_attention_norm/out station"]
    tables = {key: mark["table"] for key, mark in drawn.items() if mark["kind"] == "cells" and key[:4] != "bar "}
    assert len(tables) == 18
    own = trace.tensor("output/out")[0, 3, [id for id, _ in shown_ids(explorer, task)]]
    assert tables.pop("logits") == pytest.approx(own.tolist(), abs=1e-4)
    for key, table in tables.items():
        numbers = trace.tensor(name_of(key))[0]
        numbers = numbers if key.startswith("encoder") or " tap " in key else numbers[:4]
        assert table == pytest.approx(shares(numbers.numpy(), CELLS).flatten().tolist(), abs=1e-4), key
    row = station["height"] / 4
    for attention in THREE:
        weights = trace.tensor(f"{attention}/weights")[0].mean(0)
        seen = beams(page, attention)
        assert seen.keys() == {(3, key) for key, weight in enumerate(weights[3].tolist()) if weight >= 0.005}
        for (query, key), width in seen.items():
            assert width == pytest.approx(float(weights[query, key]) * row, abs=0.01)
    words = explorer.parts["machine"].spec["labels"]["vocabulary"]
    longest = max(drawn[f"bar {i}"]["width"] / float(p) for i, p in shown(words, chances[3], task) if p > 0.1)
    for i, p in shown(words, chances[3], task):
        assert drawn[f"bar {i}"]["width"] == pytest.approx(max(1, longest * float(p)), abs=0.01)
        if p > 0.02:
            assert drawn[f"chance {i}"]["text"] == f"{float(p):.2f}"


def name_of(key):
    """The tensor that a table of the picture shows."""
    name, _, what = key.partition(" ")
    return {"station": name, "hidden": f"{name}/hidden", "tap station": "encoder.norm/out"}[what]


def shown_ids(explorer, task):
    """The words with a bar, as ids and as words; the others are no word."""
    words = explorer.parts["machine"].spec["labels"]["vocabulary"][:-1]
    return [(task.target_vocabulary.index(word), word) for word in words]


def shown(words, chances, task):
    """The bars and their chances; that of the others is not asked."""
    return [(i, chances[task.target_vocabulary.index(word)]) for i, word in enumerate(words[:-1])]


def test_a_click_lets_a_word_ask_and_another_ends_it(bridge, page, explorer):
    word = part(page, f"{CROSS}_norm/out:1")
    word.click()
    page.mouse.move(0, 0)
    bridge.settle()
    assert explorer.chosen == ["decoder.blocks.1 1", "query"]
    assert word.get_attribute("aria-checked") == "true"
    assert {query for query, _ in beams(page, CROSS)} == {1}
    assert beams(page, "decoder.blocks.0.cross_attention") == {}
    assert "asks the source" in page.locator(".caption").inner_text()
    part(page, "encoder.embed/out:2").focus()
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.chosen == ["source 2", "query"]
    assert {query for query, _ in beams(page, "encoder.blocks.0.attention")} == {2}
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.chosen == []
    assert {query for query, _ in beams(page, CROSS)} == {3}


def test_one_click_takes_cross_attention_away(bridge, page, explorer):
    before = marks(page)
    part(page, "cross switch").click()
    bridge.settle()
    assert explorer.off == ["cross"]
    assert "whatever the source says" in page.locator(".caption").inner_text()
    assert beams(page, CROSS) == {}
    drawn = marks(page)
    assert drawn["rail lanes"] == before["rail lanes"]
    assert any(key.startswith("was ") for key in drawn), "a dash where the whole model stood"
    assert "cross-attention in all blocks; switched off" in page.locator(".machine ol").text_content()
    page.keyboard.press("Space")
    bridge.settle()
    assert explorer.off == []


def test_radio_buttons_choose_the_attention_and_the_head(bridge, page, explorer):
    for name, kinds in {"encoder": ["encoder"], "causal": ["decoder"], "cross": ["decoder"]}.items():
        page.get_by_role("radio", name=name, exact=True).click()
        bridge.settle()
        asking = [key for key in marks(page) if key.endswith(" asker")]
        assert {key.split(".")[0] for key in asking} == set(kinds)
        assert all(("cross" in key) == (name == "cross") for key in asking)
    page.get_by_role("radio", name="2", exact=True).click()
    bridge.settle()
    assert explorer.head == "2"
    part(page, f"{CROSS}:1 switch").click()
    bridge.settle()
    assert explorer.off == [f"{CROSS}:1"]


def test_a_word_more_runs_along_its_row(bridge, page, model, task):
    page.emulate_media(reduced_motion="no-preference")
    bridge.show(TwoTowersExplorer(model, task, text=TEXT, word=1))
    page.evaluate("""() => {
        window.seen = new Set(); // at how many stations the new word was
        const el = document.querySelector(".machine");
        const isNew = ({ key, table }) => /^decoder.*station$/.test(key) && table.rows === 2;
        const look = () => {
            seen.add(el.attnlab.picture.marks.filter(isNew).length);
            if (!seen.has(7)) requestAnimationFrame(look);
        };
        look();
    }""")
    page.get_by_label("one word forward").click()
    page.wait_for_function("seen.has(7)")
    assert page.evaluate("seen.size") > 2, "station after station"


def test_what_cannot_be_read_is_said_and_the_picture_stays(bridge, page, explorer):
    before = marks(page)
    explorer.text = "we " * 17
    bridge.settle()
    assert "expected at most 16 words" in page.locator(".caption").inner_text()
    assert marks(page) == before


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_no_text_is_cut_or_covered(bridge, page, model, task, dark, width):
    bridge.wear(dark, width)
    explorer = bridge.show(TwoTowersExplorer(model, task, text="they are not drinking coffee"))
    longest = "the european economic area is not new they are not drinking coffee the red apples"
    for state in (
        {"word": 0},
        {"word": 3},
        {"word": 16, "off": ["cross"]},
        {"text": longest, "off": [], "chosen": ["source 3", "query"]},
    ):
        explorer.change(**state)
        assert explorer.parts["caption"].error == ""
        bridge.settle()
        assert page.evaluate(OVERLAPS) == [], state
