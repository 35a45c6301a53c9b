"""Explorers with a machine, read by axe-core in both themes; and a machine without a pointer and without motion."""

from pathlib import Path

import pytest
from axe import serious
from foreign_models import LETTERS, bert, gpt2
from machines import small_gpt, transformer_of, translators
from seeing import CANVASES, DIGITS, LOOKING, TASK, a_vit, captioners

import widgets
from attnlab.tasks import Phrasebook, Progressives
from widgets.explorers.any_model.machine import ModelMachineExplorer
from widgets.explorers.l02_looking_back.encoder_decoder import FIXED, EncoderDecoderExplorer
from widgets.explorers.l04_query_key_value.projections import ProjectionsExplorer
from widgets.explorers.l07_positions.rotary_hands import RotaryHandsExplorer
from widgets.explorers.l09_block.block_machine import BlockMachineExplorer
from widgets.explorers.l10_transformer.two_towers import TwoTowersExplorer
from widgets.explorers.l13_seeing.captioner_machine import CaptionerMachineExplorer
from widgets.explorers.l14_glimpses.glimpse_machine import GlimpseMachineExplorer
from widgets.explorers.l15_vision_transformer.vit_machine import ViTMachineExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


def encoder_decoder(**state):
    task = Progressives()
    return EncoderDecoderExplorer(translators(task), task, text="we are eating bread", **state)


def two_towers(**state):
    task = Phrasebook(pairs=100, tests=20)
    return TwoTowersExplorer(transformer_of(task), task, text="we are not eating the red apples", **state)


SHOWN = {
    "02, looking back, asked": lambda: encoder_decoder(step=6),
    "02, looking back, added": lambda: encoder_decoder(step=12),
    "02, one fixed vector": lambda: encoder_decoder(mode=FIXED, step=7),
    "04, asker": lambda: ProjectionsExplorer(),
    "04, gift, a number dragged": lambda: ProjectionsExplorer(role="gift (value)", edits=[["W_v", 3, 1, 2.0]]),
    "05": lambda: ProjectionsExplorer(["the", "dog", "bites"]),
    "07": lambda: RotaryHandsExplorer(),
    "09, whole": lambda: BlockMachineExplorer(),
    "09, block, no residual": lambda: BlockMachineExplorer(around="no residual", zoom="0"),
    "10, before any word": lambda: two_towers(),
    "10, without cross-attention": lambda: two_towers(word=4, off=["cross"]),
    "10, a word asks": lambda: two_towers(word=4, head="2", chosen=["decoder.blocks.1 2", "query"]),
    "11, whole, a head off": lambda: small_gpt(off=["blocks.1.attention:0"]),
    "11, block": lambda: small_gpt(zoom="blocks.1"),
    "11, head": lambda: small_gpt(zoom="blocks.1.attention:0"),
    "13": lambda: CaptionerMachineExplorer(captioners(), TASK, TASK.test, step=3),
    "14": lambda: GlimpseMachineExplorer(LOOKING, CANVASES),
    "15": lambda: ViTMachineExplorer(a_vit(), DIGITS, digit=3),
    "any model": lambda: ModelMachineExplorer(gpt2().eval(), LETTERS, "a bad cabbage"),
    "any model, norms behind": lambda: ModelMachineExplorer(bert().eval(), LETTERS, "a bad cabbage"),
}


def test_no_explorer_with_a_machine_is_left_out():
    modules = (Path(widgets.__file__).parent / "explorers").rglob("*.py")
    drawing = {
        path.stem for path in modules if "instruments.machine.machine import" in path.read_text(encoding="utf-8")
    }
    assert drawing <= {type(make()).__module__.rpartition(".")[2] for make in SHOWN.values()}


# The texts of the picture that have less than 4.5 : 1 on the page: axe-core measures none that stands in an SVG.
FAINT = """() => {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const page = getComputedStyle(document.body).backgroundColor;
    const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const luminance = (fill, opacity) => {
        for (const [colour, alpha] of [[page, 1], [fill, opacity]]) {
            Object.assign(pen, { globalAlpha: alpha, fillStyle: colour }).fillRect(0, 0, 1, 1);
        }
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((x) => linear(x / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (el) => {
        const [a, b] = [luminance(page, 1), luminance(getComputedStyle(el).fill, el.getAttribute("opacity") ?? 1)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const texts = [...document.querySelectorAll(".machine svg text")];
    return texts.filter((el) => ratio(el) < 4.5).map((el) => `${el.textContent} ${ratio(el).toFixed(1)}`);
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", SHOWN)
def test_nothing_serious_is_found(bridge, page, name, dark):
    page.emulate_media(reduced_motion="reduce")
    bridge.wear(dark, 1000)
    bridge.show(SHOWN[name]())
    assert serious(page, "#stage") == []
    assert page.evaluate(FAINT) == []


def test_tab_stops_once_at_a_machine_and_goes_on(bridge, page):
    explorer = bridge.show(encoder_decoder(step=7))
    at = "document.activeElement.dataset.part ?? document.activeElement.ariaLabel"
    page.get_by_label("copy the picture as PNG").focus()
    seen = []
    for key in ("Tab", "ArrowRight", "Tab", "Shift+Tab", "Space"):
        page.keyboard.press(key)
        bridge.settle()
        seen.append(page.evaluate(at))
    assert seen == ["key 0", "key 1", "step of the film", "key 1", "key 1"]
    assert explorer.parts["machine"].chosen == ["key 1", "key"]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_without_motion_a_picture_stands_at_once(bridge, page, motion):
    page.emulate_media(reduced_motion=motion)
    film, stream = bridge.show(encoder_decoder(step=5)), bridge.show(small_gpt())
    page.evaluate("""() => {
        window.moved = { film: new Set(), zoom: 0 };
        new MutationObserver((changes) => changes.forEach(({ target }) => moved.film.add(target.getAttribute("d"))))
            .observe(document.querySelector(".machine svg"), { subtree: true, attributeFilter: ["d"] });
        const own = Element.prototype.animate;
        Element.prototype.animate = function (...how) { moved.zoom++; return own.apply(this, how); };
    }""")
    film.step = 6
    bridge.settle()
    stream.zoom = "blocks.1"
    bridge.settle()
    moved = page.evaluate("[moved.film.size, moved.zoom]")
    assert moved == [0, 0] if motion == "reduce" else all(moved), moved
