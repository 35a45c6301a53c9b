"""Bertviz: what stands in the page of its frame, its size, its words and its errors."""

import re

import pytest
import torch

from widgets.instruments.bertviz.bertviz import MOST_BYTES, Bertviz, inside

HOSTILE = [
    "; // HACK: ",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- a",
    '"display_mode": "light"',
]


def weights(layers=2, heads=4, tokens=4):
    chance = torch.Generator().manual_seed(0)
    return [torch.randn(1, heads, tokens, tokens, generator=chance).softmax(-1) for _ in range(layers)]


@pytest.mark.parametrize("view", ["head", "model"])
def test_the_page_asks_nobody_and_no_token_ends_a_script(view):
    html = Bertviz(weights(tokens=5), HOSTILE, view=view).html
    assert not re.search(r"<(script|link|img)[^>]*\b(src|href)=", html.partition("<script>")[0])
    assert 'require.min.js"></script>' not in html
    assert html.count("</script>") == 5, "its own five scripts and no other end"
    assert "default-src 'none'" in html
    assert r"<\/script><script>alert(1)<\/script>" in html
    assert "<!--" not in html.partition("</style>")[2]
    assert html.count('"display_mode": MODE') == (view == "model")


def test_weights_are_rounded_and_the_page_is_the_same_every_time():
    first, second = (Bertviz(weights(), list("abcd")) for _ in range(2))
    assert first.page == second.page
    numbers = re.findall(r"0\.\d+", first.html.partition("const params")[2].partition("TEXT_SIZE")[0])
    assert len(numbers) == 2 * 4 * 4 * 4
    assert max(map(len, numbers)) <= 6
    torch.testing.assert_close(
        torch.tensor([float(x) for x in numbers]), torch.cat(weights()).flatten(), atol=6e-5, rtol=0
    )


def test_layers_are_named_as_in_the_model():
    html = Bertviz(weights(layers=3), list("abcd"), view="model", layers=[0, 2]).html
    assert '"include_layers": [0, 2]' in html
    only = Bertviz(weights(layers=3), list("abcd"), layers=[2])
    assert "1 layer of 4 heads" in repr(only)
    assert f"{round(float(weights(layers=3)[2][0, 0, 0, 0]), 4)}" in only.html
    assert f"{round(float(weights(layers=3)[0][0, 0, 0, 0]), 4)}" not in only.html


def test_what_cannot_be_seen_is_shown_as_a_sign():
    html = Bertviz(weights(), [" ", "\n", "a", " b"]).html
    assert r'["\u2423", "\u21b5", "a", "\u2423b"]' in html


def test_in_words():
    assert repr(Bertviz(weights(), list("abcd"))) == "Bertviz(head view: 2 layers of 4 heads, 4 tokens)"
    assert Bertviz(weights(), list("abcd"), view="model").name == ("BertViz, model view: 2 layers of 4 heads, 4 tokens")


def test_weights_without_a_batch_axis_and_numpy():
    plain = [layer[0].numpy() for layer in weights()]
    assert Bertviz(plain, list("abcd")).html == Bertviz(weights(), list("abcd")).html


def test_a_view_that_is_too_large_says_how_to_get_smaller():
    large = [torch.full((1, 12, 64, 64), 1 / 64) for _ in range(12)]
    tokens = ["a"] * 64
    with pytest.raises(
        ValueError,
        match=r"MB large, and a page takes at most 2: show fewer than 64 tokens, or name "
        r"fewer than 12 layers, as in layers=\[0\]",
    ):
        Bertviz(large, tokens, view="model")
    assert len(Bertviz(large, tokens, view="model", layers=[0, 5]).html.encode()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (dict(weights=[], tokens=[]), "expected weights"),
        (dict(weights=[torch.ones(2, 3)], tokens=list("abc")), "expected weights"),
        (dict(weights=[torch.ones(2, 3, 4)], tokens=list("abc")), "expected weights"),
        (dict(weights=[torch.ones(2, 3, 3), torch.ones(3, 3, 3)], tokens=list("abc")), "of one size"),
        (dict(weights=[torch.ones(2, 3, 3)], tokens=list("ab")), "expected 3 tokens, one for each key, got 2"),
        (dict(weights=[torch.ones(2, 3, 3)], tokens=list("abc"), layers=[1]), "expected layers from 0 to 0, got 1"),
        (dict(weights=[torch.ones(2, 3, 3)], tokens=list("abc"), layers=[]), "at least one layer"),
    ],
)
def test_misfits_are_told(given, message):
    with pytest.raises(ValueError, match=message):
        Bertviz(**given)


def test_inside_a_script_nothing_ends_it():
    assert inside("a </b> <!-- c") == r"a <\/b> <\!-- c"
