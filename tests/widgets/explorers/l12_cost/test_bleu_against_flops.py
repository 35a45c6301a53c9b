"""BleuAgainstFlopsExplorer: every row of the table has its mark, and French is not made better than it is."""

from explorers import drive

from attnlab.costs import TRANSLATIONS
from widgets.explorers.l12_cost.bleu_against_flops import BleuAgainstFlopsExplorer


def test_every_control():
    drive(BleuAgainstFlopsExplorer())


def test_every_row_with_both_numbers_has_its_mark():
    for language, column in (("German", "german"), ("French", "french")):
        explorer = BleuAgainstFlopsExplorer(language=language)
        traces = [explorer.parts["chart"].trace(i) for i in range(3)]
        marks = {
            name: (float(x), float(y))
            for trace in traces
            for name, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)
        }
        rows = {name: (getattr(row, f"{column}_flops"), getattr(row, column)) for name, row in TRANSLATIONS.items()}
        assert marks == {name: both for name, both in rows.items() if None not in both}


def test_french_is_told_honestly():
    explorer = BleuAgainstFlopsExplorer()
    caption = explorer.parts["caption"]
    assert "(base model): 27.3, better than 5 of the 5 others, for 3.3 · 10¹⁸ FLOPs" in repr(caption)
    assert repr(caption).endswith("The others took 9.6 · 10¹⁸ to 1.8 · 10²⁰.")
    explorer.language = "French"
    assert "(base model): 38.1, better than 0 of the 7 others" in repr(caption)
    assert "(big): 41.8, better than 7 of the 7 others" in repr(caption)
