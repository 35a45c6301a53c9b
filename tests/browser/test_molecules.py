"""Molecules in a real browser: what is drawn, and what mouse, keyboard and a screen reader get of it."""

from itertools import combinations

import pytest
from bridge import Bridge, kernel

from attnlab.trained import mapping_shares, rxnmapper
from widgets.explorers.l17_real_models.atom_mapping import AtomMappingExplorer
from widgets.instruments.molecules.molecules import Molecules

pytestmark = pytest.mark.browser
ACID = {"labels": ["C", "O", "O"], "places": [[0, 0], [1, 0], [-1, 0]], "bonds": [[0, 1, 2.0], [0, 2, 1.0]]}
PRODUCT = {"labels": ["C", "O"], "places": [[0, 0], [1, 0]], "bonds": [[0, 1, 1.0]]}


@pytest.fixture
def molecules(bridge):
    molecules = Molecules()
    molecules.show(precursors=ACID, product=PRODUCT, weights=[[0.8, 0.1, 0], [0.7, 0.25, 0.01]], right=[[0], [1, 2]])
    return bridge.show(molecules)


def target(page, i):
    return page.locator(".attnlab-molecules .target").nth(i)


def texts(page, name):
    return page.locator(f".attnlab-molecules .{name}").all_text_contents()


def test_numbers_say_who_looks_where(page, molecules):
    assert texts(page, "source text.name") == ["C", "O", "O"]
    assert texts(page, "source > text.number") == ["1 2✗"]
    assert texts(page, "target > text.number") == ["1", "2✗"]
    assert page.locator(".attnlab-molecules .source.leaves").count() == 2
    assert page.locator(".attnlab-molecules .target.wrong").count() == 1
    assert page.locator(".attnlab-molecules .bond").count() == 2 + 1 + 1  # a double one, two single ones


def test_the_atom_under_the_pointer_lights_those_that_it_reads(page, bridge, molecules):
    target(page, 1).hover()
    bridge.settle()
    assert texts(page, "weight") == ["0.70", "0.25"]
    widths = page.locator(".attnlab-molecules .line").evaluate_all(
        "all => all.map(l => +l.getAttribute('stroke-width'))"
    )
    assert widths == pytest.approx([0.6 + 7 * 0.7, 0.6 + 7 * 0.25], abs=0.01)
    assert page.locator(".attnlab-molecules .truth").count() == 2
    assert molecules.selected == -1
    page.mouse.move(2, 2)
    bridge.settle()
    assert texts(page, "weight") == []


def test_click_and_click_again(page, bridge, molecules):
    target(page, 0).click()
    bridge.settle()
    assert molecules.selected == 0
    target(page, 0).click()
    bridge.settle()
    assert molecules.selected == -1


def test_the_precursors_are_heard(page, molecules):
    atoms = page.get_by_role("list", name="atoms of the precursors").get_by_role("listitem")
    assert atoms.count() == len(molecules.precursors["labels"])
    assert atoms.first.text_content().startswith(f"{molecules.precursors['labels'][0]}, bonded to ")


def test_keyboard(page, bridge, molecules):
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert molecules.selected == 1
    said = page.locator(".attnlab-molecules [aria-live].sr-only").text_content()
    assert said == "atom 2 of the product, O, weighs most atom 1 of the precursors, C, 0.70, wrong"
    page.keyboard.press("Home")
    bridge.settle()
    assert molecules.selected == 0
    assert "right" in page.locator(".attnlab-molecules [aria-live].sr-only").text_content()
    page.keyboard.press("Escape")
    bridge.settle()
    assert molecules.selected == -1


def test_nothing_yet(page, bridge):
    bridge.show(Molecules())
    assert page.locator(".attnlab-molecules .target").count() == 0
    assert page.locator(".attnlab-molecules .pens button").count() == 0


def test_a_pen_touches_atoms_of_both_drawings_and_the_blank(page, bridge):
    molecules, touched = Molecules(pens=["C", "take away"]), []
    molecules.show(precursors=ACID, product=PRODUCT, weights=[[0.8, 0.1, 0], [0.7, 0.25, 0.01]])
    molecules.on_draw(lambda *what: touched.append(what))
    bridge.show(molecules)
    discs = page.locator(".attnlab-molecules .source .disc")
    page.get_by_role("button", name="C", exact=True).click()
    discs.nth(2).click(force=True)
    target(page, 1).click()
    page.locator(".attnlab-molecules svg").click(position={"x": 4, "y": 40})
    page.get_by_role("button", name="take away").click()
    target(page, 0).focus()
    page.keyboard.press("Enter")
    bridge.settle()
    assert touched == [("C", 0, 2), ("C", 1, 1), ("C", 0, -1), ("take away", 1, 0)]
    assert molecules.selected == -1, "a pen selects nothing"
    molecules.refused = "this O has no bond left"
    bridge.settle()
    assert page.locator(".attnlab-molecules .hint").inner_text() == "this O has no bond left"
    molecules.refused = ""
    bridge.settle()
    assert "press an atom" in page.locator(".attnlab-molecules .hint").inner_text()
    page.get_by_role("button", name="look").click()
    target(page, 1).click()
    bridge.settle()
    assert (molecules.selected, len(touched)) == (1, 4)


def test_keys_lead_a_pen_to_the_atoms_of_both_drawings(page, bridge):
    molecules, touched = Molecules(pens=["C"]), []
    molecules.show(precursors=ACID, product=PRODUCT, weights=[[0.8, 0.1, 0], [0.7, 0.25, 0.01]], selected=1)
    molecules.on_draw(lambda *what: touched.append(what))
    bridge.show(molecules)
    above = page.get_by_role("list", name="atoms of the precursors")
    assert above.get_by_role("button").count() == 0, "nothing to press without a pen"
    page.get_by_role("button", name="C", exact=True).press("Enter")
    target(page, 1).focus()
    for key in ["ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "Enter", "Home", " ", "ArrowDown", "Enter"]:
        page.keyboard.press(key)
        bridge.settle()
        at = page.locator(".attnlab-molecules .focused").count()
        assert at == above.locator(":focus").count(), "the focus is seen in the drawing"
    assert touched == [("C", 0, 2), ("C", 0, 0), ("C", 1, 1)]
    page.keyboard.press("ArrowUp")
    molecules.show(precursors=PRODUCT, product=PRODUCT, weights=[[0.8, 0.1], [0.7, 0.25]], selected=1)
    bridge.settle()
    assert above.locator(":focus").text_content().startswith("C, bonded to 2"), (
        "the focus stays where atoms come and go"
    )


def test_a_pen_hits_what_it_points_at_where_the_drawing_is_shrunk(page, bridge):
    bridge.wear(width=160)
    molecules, touched = Molecules(pens=["C"]), []
    molecules.show(precursors=ACID, product=PRODUCT, weights=[[0.8, 0.1, 0], [0.7, 0.25, 0.01]])
    molecules.on_draw(lambda *what: touched.append(what))
    bridge.show(molecules)
    page.get_by_role("button", name="C", exact=True).click()
    discs = page.locator(".attnlab-molecules .source .disc")
    for atom in range(3):
        discs.nth(atom).click(force=True)
    bridge.settle()
    assert touched == [("C", 0, 0), ("C", 0, 1), ("C", 0, 2)]


def test_the_focus_stays_where_atoms_come_and_go(page, bridge, molecules):
    target(page, 1).focus()
    focused = "[...document.querySelectorAll('.attnlab-molecules .target')].indexOf(document.activeElement)"
    for product, at in [(ACID, 1), ({"labels": ["C"], "places": [[0, 0]], "bonds": []}, 0)]:
        molecules.show(precursors=ACID, product=product, weights=None, right=[])
        bridge.settle()
        assert page.evaluate(focused) == at


@pytest.mark.parametrize("width", [700, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_the_whole_explorer_fits(page, width, dark):
    page.set_viewport_size({"width": width + 60, "height": 900})
    with kernel():
        bridge = Bridge(page, dark=dark, width=width)
        explorer = bridge.show(AtomMappingExplorer(rxnmapper(), mapping_shares(), 0.08, kind="sulfonamide", example=2))
        assert page.evaluate("document.documentElement.scrollWidth") <= width + 60
        discs = page.locator(".attnlab-molecules .disc")
        boxes = [discs.nth(i).bounding_box() for i in range(discs.count())]
        assert len(boxes) == explorer.atoms.shape[0] + explorer.atoms.shape[1]
        for a, b in combinations(boxes, 2):
            apart = max(abs(a["x"] - b["x"]), abs(a["y"] - b["y"]))
            assert apart > 14, "no atom upon another"
        target(page, 2).click()
        bridge.settle()
        assert explorer.atom == 2
        assert explorer.parts["matrix"].selected == [0, 2, -1]
        assert page.locator(".attnlab-molecules").get_attribute("data-dark") == str(dark).lower()
        before = explorer.atoms.shape[1]
        page.get_by_role("button", name="Br").click()
        page.locator(".attnlab-molecules svg").click(position={"x": 3, "y": 30})
        bridge.settle()
        assert explorer.atoms.shape[1] == before + 1
        assert ".Br>>" in page.get_by_role("textbox", name="or your own").input_value()
