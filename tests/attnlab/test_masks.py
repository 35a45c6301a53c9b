import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.attention import attend
from attnlab.masks import MASKS, causal, causal_window, document, everything, padding, prefix, window, with_heads
from attnlab.specs import masks as specs


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("sizes", [(3, 7), (7, 3), (1, 1), (0, 5), (5, 0)])
@pytest.mark.parametrize("name", MASKS)
def test_loops(name, sizes, start):
    mask = MASKS[name](*sizes, start=start)
    assert torch.equal(mask, specs.MASKS[name](*sizes, start))
    assert mask.dtype == torch.bool


@pytest.mark.parametrize("size", [0, 1, 3, 11])
def test_loops_of_other_sizes(size):
    assert torch.equal(window(5, 7, size, start=1), specs.window(5, 7, 1, size))
    assert torch.equal(causal_window(5, 7, size, start=1), specs.causal_window(5, 7, 1, size))
    assert torch.equal(prefix(5, 7, size, start=1), specs.prefix(5, 7, 1, size))


@pytest.mark.parametrize("name", MASKS)
def test_as_many_keys_as_there_are_up_to_the_last_query_unless_given(name):
    assert torch.equal(MASKS[name](5), MASKS[name](5, 5))
    assert torch.equal(MASKS[name](3, start=2), MASKS[name](3, 5, start=2))


@given(st.sampled_from(sorted(MASKS)), st.integers(1, 13), st.data())
def test_the_queries_are_the_last_tokens_and_see_what_they_see_in_the_whole(name, tokens, data):
    start = data.draw(st.integers(0, tokens))
    last = MASKS[name](tokens)[start:]
    assert torch.equal(MASKS[name](tokens - start, tokens), last)
    assert torch.equal(MASKS[name](tokens - start, start=start), last)
    assert torch.equal(MASKS[name](tokens - start, tokens, start=start), last)


@pytest.mark.parametrize("name", sorted(MASKS.keys() - {"everything"}))
def test_more_queries_than_keys(name):
    with pytest.raises(ValueError, match="since the queries are the last tokens, got 5 queries and 3 keys; say with"):
        MASKS[name](5, 3)
    assert everything(5, 3).shape == (5, 3)


def test_causal_is_what_torch_calls_causal():
    query, key, value = torch.randn(5, 3), torch.randn(5, 3), torch.randn(5, 2)
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(query, key, value, is_causal=True)
    torch.testing.assert_close(attention(query, key, value, attn_mask=causal(5)), expected)


def test_padding():
    assert torch.equal(padding(torch.tensor([3, 0, 5]), 5), specs.padding([3, 0, 5], 5))


def test_document():
    assert torch.equal(document(torch.tensor([4, 4, 1, 7, 7])), specs.document([4, 4, 1, 7, 7], [4, 4, 1, 7, 7]))
    assert torch.equal(document(torch.tensor([1, 7]), torch.tensor([4, 4, 1])), specs.document([1, 7], [4, 4, 1]))
    batch = [[0, 0, 1], [0, 1, 1]]
    expected = torch.stack([specs.document(ids, ids) for ids in batch])
    assert torch.equal(document(torch.tensor(batch)), expected)


def test_masks_combine():
    both = causal(3, 5) & padding(torch.tensor([2, 5]), 5)
    assert both.shape == (2, 3, 5)
    assert both[0, 2].tolist() == [True, True, False, False, False]
    assert torch.equal(causal(5) & window(5, radius=1), causal_window(5, radius=1))
    assert torch.equal(causal(5) | (torch.arange(5) < 3), prefix(5, length=3))
    assert torch.equal(causal(5) | causal(5).mT, everything(5))


def test_documents_in_a_row_are_as_each_alone():
    query, key, value = torch.randn(3, 7, 5).unbind()
    together = attend(query, key, value, mask=document(torch.tensor([0] * 3 + [1] * 4)) & causal(7)).context
    alone = [
        attend(query[part], key[part], value[part], mask=causal(len(query[part]))).context
        for part in (slice(0, 3), slice(3, 7))
    ]
    torch.testing.assert_close(together, torch.cat(alone))


def test_on_every_device(device):
    ids, lengths = torch.tensor([[0, 0, 1], [0, 1, 1]], device=device), torch.tensor([3, 1], device=device)
    both = document(ids) & padding(lengths, 3)
    assert both.device.type == device.type
    assert torch.equal(both.cpu(), document(ids.cpu()) & padding(lengths.cpu(), 3))


@pytest.mark.parametrize("lengths", [[6], [-1, 3]])
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match=rf"lengths from 0 to 5, got \[{lengths[0]}"):
        padding(torch.tensor(lengths), 5)


def test_sizes_below_zero():
    with pytest.raises(ValueError, match="expected queries to be a whole number of 0 or more, got -1"):
        causal(-1, 5)
    with pytest.raises(ValueError, match="radius to be a whole number of 0 or more, got -1"):
        window(5, radius=-1)
    with pytest.raises(ValueError, match="length to be a whole number of 0 or more, got -3"):
        prefix(5, length=-3)


def test_an_unknown_mask():
    with pytest.raises(ValueError, match="everything, causal, window, causal_window, prefix; got 'causl'"):
        MASKS["causl"]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((5, 7), (1, 1, 5, 7)),
        ((7,), (1, 1, 1, 7)),
        ((), (1, 1, 1, 1)),
        ((1, 7), (1, 1, 1, 7)),
        ((2, 5, 7), (2, 1, 5, 7)),
        ((2, 1, 7), (2, 1, 1, 7)),
        ((1, 5, 7), (1, 1, 5, 7)),
        ((2, 3, 5, 7), (2, 3, 5, 7)),
        ((1, 3, 1, 7), (1, 3, 1, 7)),
    ],
)
def test_four_axes(shape, expected):
    mask = torch.rand(shape) < 0.5
    got = with_heads(mask, 2, 3, 5, 7)
    assert got.shape == expected
    assert torch.equal(got.flatten(), mask.flatten())


@pytest.mark.parametrize(
    "shape", [(7, 5), (5, 1, 1), (3, 5, 7), (2, 5, 1, 7), (1, 2, 3, 5, 7), (2, 3, 5, 7, 1), (5, 0)]
)
def test_masks_that_do_not_fit(shape):
    with pytest.raises(ValueError, match=r"queries, keys\] = \[5, 7\], .*= \[2, 3, 5, 7\], got ") as raised:
        with_heads(torch.ones(shape, dtype=torch.bool), 2, 3, 5, 7)
    assert str(raised.value).endswith(f"got {list(shape)}")


def test_a_mask_of_numbers():
    with pytest.raises(ValueError, match=r"expected a boolean mask \(True = may attend\), got torch.float32"):
        with_heads(torch.ones(5, 7), 2, 3, 5, 7)
