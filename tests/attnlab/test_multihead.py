from copy import copy, deepcopy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from attnlab.alignment import scaled_dot
from attnlab.attention import attend
from attnlab.masks import causal, document, padding, window
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import POSITIONS

BATCH, HEADS, HEAD_DIM = 2, 3, 5
DIM = HEADS * HEAD_DIM
LENGTHS = torch.tensor([7, 4])


def attention_with(name, dim=DIM, heads=HEADS):
    """With positions that do not start at zero."""
    positions = POSITIONS[name](dim, heads, 31)
    for parameter in positions.parameters():
        nn.init.normal_(parameter, std=0.3)
    return MultiHeadAttention(dim, heads, positions)


def even(name):
    """The same at sizes that every position code allows."""
    return attention_with(name, dim=18, heads=3)


def hear(module, *inputs, **more):
    """The result while somebody listens, and the attention that was heard."""
    heard = []
    module.listeners.append(heard.append)
    try:
        return module(*inputs, **more), heard[0].attention
    finally:
        module.listeners.remove(heard.append)


def copy_weights(ours: MultiHeadAttention, torchs: nn.MultiheadAttention, to_torch: bool):
    """Between the four maps and torch's packed one."""
    maps = (ours.query, ours.key, ours.value)
    pairs = [(map_.weight, part) for map_, part in zip(maps, torchs.in_proj_weight.chunk(3), strict=True)]
    pairs += [(map_.bias, part) for map_, part in zip(maps, torchs.in_proj_bias.chunk(3), strict=True)]
    pairs += [(ours.output.weight, torchs.out_proj.weight), (ours.output.bias, torchs.out_proj.bias)]
    with torch.no_grad():
        for own, other in pairs:
            (other if to_torch else own).copy_(own if to_torch else other)


@pytest.fixture(params=["to torch", "from torch"])
def twins(request):
    ours, torchs = MultiHeadAttention(DIM, HEADS), nn.MultiheadAttention(DIM, HEADS, batch_first=True)
    nn.init.normal_(torchs.in_proj_bias)  # torch starts it at 0, where nobody sees a mistake
    nn.init.normal_(torchs.out_proj.bias)
    copy_weights(ours, torchs, request.param == "to torch")
    return ours, torchs


# Against torch. Its masks say who must not attend.

MASKED = {
    "none": (None, {}),
    "causal": (causal(7), {"attn_mask": ~causal(7)}),
    "window": (window(7, radius=1), {"attn_mask": ~window(7, radius=1)}),
    "padding": (padding(LENGTHS, 7), {"key_padding_mask": ~padding(LENGTHS, 7).squeeze(1)}),
    "both": (
        causal(7) & padding(LENGTHS, 7),
        {"attn_mask": ~causal(7), "key_padding_mask": ~padding(LENGTHS, 7).squeeze(1)},
    ),
}


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("masked", MASKED)
def test_self_attention_is_torchs(twins, masked, watched):
    (ours, torchs), (mask, theirs) = twins, MASKED[masked]
    x = torch.randn(BATCH, 7, DIM)
    expected, weights = torchs(x, x, x, average_attn_weights=False, **theirs)
    if watched:
        got, heard = hear(ours, x, mask=mask)
        torch.testing.assert_close(heard.weights, weights, atol=1e-5, rtol=0)
    else:
        got = ours(x, mask=mask)
    torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("watched", [False, True])
def test_cross_attention_is_torchs(twins, watched):
    ours, torchs = twins
    query, key, value = torch.randn(BATCH, 3, DIM), torch.randn(BATCH, 7, DIM), torch.randn(BATCH, 7, DIM)
    mask = padding(LENGTHS, 7)
    run = (lambda *inputs: hear(ours, *inputs)[0]) if watched else ours
    for inputs in [(query, key, None, mask), (query, key, value, mask)]:
        theirs = (*inputs[:2], key if inputs[2] is None else value)
        expected, _ = torchs(*theirs, key_padding_mask=~mask.squeeze(1))
        torch.testing.assert_close(run(*inputs), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("watched", [False, True])
def test_gradients_are_torchs(twins, watched):
    ours, torchs = twins
    x = torch.randn(BATCH, 7, DIM)
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    result = hear(ours, mine, mask=causal(7))[0] if watched else ours(mine, mask=causal(7))
    result.square().sum().backward()
    torchs(theirs, theirs, theirs, attn_mask=~causal(7))[0].square().sum().backward()
    torch.testing.assert_close(mine.grad, theirs.grad, atol=1e-5, rtol=1e-4)
    for name, map_ in [("weight", "in_proj_weight"), ("bias", "in_proj_bias")]:
        got = torch.cat([getattr(ours.get_submodule(part), name).grad for part in ("query", "key", "value")])
        torch.testing.assert_close(got, getattr(torchs, map_).grad, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours.output.weight.grad, torchs.out_proj.weight.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("name", ["none", "alibi", "relative"])
def test_gradcheck(name, watched):
    module = attention_with(name, dim=6, heads=2).double()
    mask = torch.rand(2, 2, 3, 4) < 0.6
    mask[1, :, 2] = False
    inputs = [torch.randn(2, tokens, 6, dtype=torch.float64, requires_grad=True) for tokens in (3, 4, 4)]

    def run(query, key, value, *parameters):
        return hear(module, query, key, value, mask)[0] if watched else module(query, key, value, mask)

    assert torch.autograd.gradcheck(run, (*inputs, *module.parameters()), fast_mode=True)


# Both ways, and what is heard

MASKS = [
    None,
    causal(7),
    torch.rand(7) < 0.7,
    padding(LENGTHS, 7),
    document(torch.tensor([0, 0, 1, 1, 1, 2, 2])),
    torch.rand(BATCH, 7, 7) < 0.5,
    torch.rand(BATCH, 3, 7, 7) < 0.3,
    torch.rand(1, 3, 1, 7) < 0.5,
    torch.zeros(7, 7, dtype=torch.bool),
]


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: "none" if mask is None else str(list(mask.shape)))
@pytest.mark.parametrize("name", POSITIONS)
def test_watched_or_not(name, mask):
    module, x = even(name), torch.randn(BATCH, 7, 18, requires_grad=True)
    unseen, (seen, _) = module(x, mask=mask), hear(module, x, mask=mask)
    torch.testing.assert_close(seen, unseen, atol=1e-5, rtol=0)
    parameters = [x, *module.parameters()]
    gradients = [torch.autograd.grad(result.square().sum(), parameters, allow_unused=True) for result in (seen, unseen)]
    for one, other in zip(*gradients, strict=True):
        if other is not None:
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_what_each_head_sees():
    module, x, mask = MultiHeadAttention(DIM, HEADS), torch.randn(BATCH, 7, DIM), causal(7)
    result, heard = hear(module, x, mask=mask)
    contexts = []
    for head in range(HEADS):
        part = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)
        query, key, value = (map_(x)[..., part] for map_ in (module.query, module.key, module.value))
        expected = attend(query, key, value, mask=mask)
        for got, wanted in zip(heard, expected, strict=True):
            torch.testing.assert_close(got[:, head], wanted, atol=1e-5, rtol=0)
        torch.testing.assert_close(heard.scores[:, head], scaled_dot(query, key), atol=1e-5, rtol=0)
        contexts.append(expected.context)
    torch.testing.assert_close(result, module.output(torch.cat(contexts, dim=-1)), atol=1e-5, rtol=0)


def test_scores_have_the_bias_and_not_the_mask():
    module, x = attention_with("alibi"), torch.randn(BATCH, 7, DIM)
    _, heard = hear(module, x, mask=causal(7))
    query, key = module.split(module.query(x)), module.split(module.key(x))
    torch.testing.assert_close(heard.scores, scaled_dot(query, key) + module.positions.bias(7, 7))


def test_split_and_merge():
    module, x = MultiHeadAttention(DIM, HEADS), torch.randn(BATCH, 7, DIM)
    heads = module.split(x)
    assert heads.shape == (BATCH, HEADS, 7, HEAD_DIM)
    assert torch.equal(heads[1, 2, 3], x[1, 3, 10:15])
    assert torch.equal(module.merge(heads), x)


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["none", "alibi", "relative", "rotary"])
def test_nothing_to_attend_to(name, dtype, watched):
    module = even(name).to(dtype)
    x = torch.randn(BATCH, 7, 18, dtype=dtype, requires_grad=True)
    mask = torch.ones(BATCH, 7, 7, dtype=torch.bool)
    mask[0, 2], mask[1] = False, False
    with torch.autograd.set_detect_anomaly(True):
        result = hear(module, x, mask=mask)[0] if watched else module(x, mask=mask)
        result.square().sum().backward()
    for nothing in (result[0, 2], *result[1]):
        assert torch.equal(nothing, module.output.bias)
    assert not torch.equal(result[0, 1], module.output.bias)
    for leaf in (x, *module.parameters()):
        assert leaf.grad is None or leaf.grad.isfinite().all()


def test_no_keys():
    module = MultiHeadAttention(DIM, HEADS)
    query, nothing = torch.randn(BATCH, 3, DIM), torch.randn(BATCH, 0, DIM)
    expected = module.output.bias.expand(BATCH, 3, DIM)
    torch.testing.assert_close(module(query, nothing), expected)
    torch.testing.assert_close(hear(module, query, nothing)[0], expected)


sizes = st.tuples(st.integers(1, 3), st.integers(1, 7), st.integers(1, 7), st.integers(1, 3), st.integers(1, 5))


@settings(deadline=None, max_examples=50)
@given(sizes, st.integers(0, 10**6), st.booleans())
def test_a_masked_key_changes_nothing(shape, seed, watched):
    batch, queries, keys, heads, head_dim = shape
    torch.manual_seed(seed)
    module, query, key = (
        MultiHeadAttention(heads * head_dim, heads),
        torch.randn(batch, queries, heads * head_dim),
        torch.randn(batch, keys, heads * head_dim),
    )
    mask = torch.rand(batch, heads, queries, keys) < 0.6
    mask[..., 0] = False
    run = (lambda: hear(module, query, key, mask=mask)[0]) if watched else (lambda: module(query, key, mask=mask))
    before = run()
    key[:, 0] += 100
    torch.testing.assert_close(run(), before, atol=1e-6, rtol=0)


@settings(deadline=None, max_examples=50)
@given(sizes, st.integers(0, 10**6))
def test_without_positions_order_does_not_matter(shape, seed):
    batch, queries, keys, heads, head_dim = shape
    torch.manual_seed(seed)
    module = MultiHeadAttention(heads * head_dim, heads)
    query, key = torch.randn(batch, queries, heads * head_dim), torch.randn(batch, keys, heads * head_dim)
    torch.testing.assert_close(module(query, key[:, torch.randperm(keys)]), module(query, key), atol=1e-5, rtol=0)
    order = torch.randperm(queries)
    torch.testing.assert_close(module(query[:, order]), module(query)[:, order], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", POSITIONS)
def test_on_every_device(name, device):
    module, x, mask = even(name), torch.randn(BATCH, 7, 18), causal(7) & padding(LENGTHS, 7)
    there = deepcopy(module).to(device)
    for run in (lambda m, x: m(x, mask=mask), lambda m, x: hear(m, x, mask=mask)[0]):  # the mask may come from the CPU
        got = run(there, x.to(device))
        assert got.device.type == device.type
        torch.testing.assert_close(got.cpu(), run(module, x), atol=1e-4, rtol=1e-4)
    cache = Cache()
    steps = [there(token, cache=cache) for token in x.to(device).split(1, dim=1)]
    torch.testing.assert_close(torch.cat(steps, dim=1).cpu(), module(x, mask=causal(7)), atol=1e-4, rtol=1e-4)


def test_autocast():
    for name in ("alibi", "rotary"):
        module, x = even(name), torch.randn(BATCH, 7, 18)
        with torch.autocast("cpu", torch.bfloat16):
            got, (seen, _) = module(x, mask=causal(7)), hear(module, x, mask=causal(7))
        torch.testing.assert_close(got.float(), module(x, mask=causal(7)), atol=0.05, rtol=0.05)
        torch.testing.assert_close(seen.float(), got.float(), atol=0.05, rtol=0.05)


# The cache


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("steps", [[1] * 7, [3, 1, 1, 2], [7], [2, 5], [0, 4, 0, 3]])
@pytest.mark.parametrize("name", POSITIONS)
def test_with_a_cache_as_without(name, steps, watched):
    module, x, cache, parts = even(name), torch.randn(BATCH, 7, 18), Cache(), []
    told = module.positions(x)
    with torch.no_grad():
        expected = module(told, mask=causal(7))
        for part in x.split(steps, dim=1):
            part, mask = module.positions(part, cache.length), causal(part.shape[1], start=cache.length)
            parts.append(
                hear(module, part, mask=mask, cache=cache)[0] if watched else module(part, mask=mask, cache=cache)
            )
    assert cache.length == 7
    assert repr(cache) == "Cache(length=7)"
    torch.testing.assert_close(torch.cat(parts, dim=1), expected, atol=1e-5, rtol=0)


def test_gradients_through_a_cache():
    module, x, cache = even("rotary"), torch.randn(BATCH, 7, 18, requires_grad=True), Cache()
    steps = torch.cat([module(token, cache=cache) for token in x.split(1, dim=1)], dim=1)
    got, expected = (
        torch.autograd.grad(result.square().sum(), (x, *module.parameters()))
        for result in (steps, module(x, mask=causal(7)))
    )
    for one, other in zip(got, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_gradients_after_a_prompt_without():
    module, x, cache = even("rotary"), torch.randn(BATCH, 7, 18), Cache()
    with torch.no_grad():
        module(x[:, :5], mask=causal(5), cache=cache)
    last = torch.cat([module(token, cache=cache) for token in x[:, 5:].split(1, dim=1)], dim=1)
    torch.testing.assert_close(last, module(x, mask=causal(7))[:, 5:], atol=1e-5, rtol=0)
    last.sum().backward()
    assert module.key.weight.grad.any()


def test_a_gradient_of_the_queries_alone_through_a_cache():
    module, x, cache = even("none"), torch.randn(BATCH, 7, 18), Cache()
    for one in (module.key, module.value):
        one.requires_grad_(False)
    steps = torch.cat([module(token, cache=cache) for token in x.split(1, dim=1)], dim=1)
    got, expected = (
        torch.autograd.grad(result.square().sum(), module.query.weight) for result in (steps, module(x, mask=causal(7)))
    )
    torch.testing.assert_close(got[0], expected[0], atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_a_source_is_read_once():
    module, query, source = MultiHeadAttention(DIM, HEADS), torch.randn(BATCH, 3, DIM), torch.randn(BATCH, 7, DIM)
    mask, cache = padding(LENGTHS, 7), Cache()
    for token in query.split(1, dim=1):
        got = module(token, source if cache.length == 0 else source[:, :0], mask=mask, cache=cache)
        torch.testing.assert_close(got, module(token, source, mask=mask), atol=1e-5, rtol=0)
    assert cache.length == 7


@torch.no_grad()
def test_rows_of_a_cache():
    module, x, cache = MultiHeadAttention(DIM, HEADS), torch.randn(BATCH, 4, DIM), Cache()
    assert cache.select(torch.tensor([1, 0])).length == 0
    module(x[:, :3], mask=causal(3), cache=cache)
    rows = torch.tensor([1, 1, 0])
    chosen = cache.select(rows)
    got = module(x[rows, 3:], cache=chosen)
    torch.testing.assert_close(got, module(x, mask=causal(4))[rows, 3:], atol=1e-5, rtol=0)
    assert (cache.length, chosen.length) == (3, 4)
    got = module(x[:, 3:], cache=cache)  # the first one is as it was
    torch.testing.assert_close(got, module(x, mask=causal(4))[:, 3:], atol=1e-5, rtol=0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=9))
def test_a_cache_gives_back_what_it_was_given(steps):
    cache, keys, values = Cache(), torch.zeros(2, 3, 0, 5), torch.zeros(2, 3, 0, 7)
    for step in steps:
        key, value = torch.randn(2, 3, step, 5), torch.randn(2, 3, step, 7)
        keys, values = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
        got = cache.extend(key, value)
        assert torch.equal(got[0], keys)
        assert torch.equal(got[1], values)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=9))
def test_copies_of_a_cache_go_on_by_themselves(steps):
    """Each step copies one of the branches and extends the copy: what any branch holds is what it was given."""
    branches = [(Cache(), torch.zeros(1, 2, 0, 3))]
    for which, new in steps:
        cache, rows = branches[which % len(branches)]
        row, further = torch.randn(1, 2, new, 3), copy(cache)
        further.extend(row, row)
        branches.append((further, torch.cat([rows, row], dim=2)))
    for cache, rows in branches:
        assert cache.length == rows.shape[2]
        assert torch.equal(cache.extend(torch.zeros(1, 2, 0, 3), torch.zeros(1, 2, 0, 3))[0], rows)


@torch.no_grad()
def test_a_cache_copies_seldom():
    """Room doubles: 512 single tokens move the whole at most 10 times."""
    cache, token, places = Cache(), torch.randn(1, 2, 1, 3), set()
    for _ in range(512):
        places.add(cache.extend(token, token)[0].data_ptr())
    assert len(places) <= 10


def test_a_cache_of_another_precision():
    cache, rows = Cache(), torch.zeros(1, 2, 3, 4)
    cache.extend(rows, rows)
    with torch.no_grad(), pytest.raises(ValueError, match=r"as in the cache, torch\.float32, got torch\.float64"):
        cache.extend(rows.double(), rows.double())
    assert cache.length == 3


def test_a_cache_that_was_begun_in_inference_mode():
    cache, rows = Cache(), torch.ones(1, 2, 3, 4)
    with torch.inference_mode():
        cache.extend(rows, rows)
    with torch.no_grad():
        for _ in range(3):
            keys, values = cache.extend(2 * rows, rows)
    assert keys[0, 0, :, 0].tolist() == [1.0] * 3 + [2.0] * 9
    assert values.shape == (1, 2, 12, 4)


def test_a_cache_of_another_batch():
    cache = Cache()
    cache.extend(torch.randn(2, 3, 4, 5), torch.randn(2, 3, 4, 5))
    for shape in [(1, 3, 1, 5), (2, 1, 1, 5), (2, 3, 1, 1)]:
        with pytest.raises(ValueError, match=r"as in the cache, \[2, 3, new, 5\], got ") as raised:
            cache.extend(torch.randn(shape), torch.randn(shape))
        assert str(raised.value).endswith(f"got {list(shape)}")
    assert cache.length == 4


def test_the_benchmark_runs():
    from benchmarks.attention import measure

    records = list(measure(quick=True))
    assert len(records) == 4
    assert all(record.value > 0 and record.limit == 1.05 for record in records)
    assert torch.get_num_threads() == 1


# Bad input


@pytest.mark.parametrize(("dim", "heads"), [(16, 3), (3, 5), (15, 0), (0, 3), (15, -3)])
def test_a_width_that_the_heads_do_not_divide(dim, heads):
    with pytest.raises(ValueError, match=f"divided by the heads, got dim {dim} and {heads} heads"):
        MultiHeadAttention(dim, heads)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(2, 7, 14)], r"of \[batch, tokens, 15\], got \[2, 7, 14\], "),
        ([(7, 15)], r"query .* \[batch, queries, dim\], got torch.float32 of shape \[7, 15\]"),
        ([(2, 7, 15), (2, 7, 5)], r"got \[2, 7, 15\], \[2, 7, 5\], \[2, 7, 5\]"),
        ([(2, 7, 15), (1, 7, 15)], "one batch size and one value for every key"),
        ([(2, 7, 15), (2, 5, 15), (2, 3, 15)], r"one value for every key, got .*\[2, 5, 15\], \[2, 3, 15\]"),
    ],
)
@pytest.mark.usefixtures("as_a_learner")
def test_shapes_that_do_not_fit(shapes, message):
    module = MultiHeadAttention(DIM, HEADS)
    with pytest.raises(ValueError, match=message):
        module(*map(torch.randn, shapes))


def test_masks_that_do_not_fit_leave_the_cache_as_it_was():
    module, x, cache = MultiHeadAttention(DIM, HEADS), torch.randn(BATCH, 7, DIM), Cache()
    with pytest.raises(ValueError, match=r"expected a boolean mask .* got torch.float32"):
        module(x, mask=causal(7).float(), cache=cache)
    with pytest.raises(ValueError, match=r"\[batch, heads, queries, keys\] = \[2, 3, 7, 7\], got \[7, 5\]"):
        module(x, mask=causal(7)[:, :5], cache=cache)
    assert cache.length == 0


def test_repr():
    assert repr(MultiHeadAttention(DIM, HEADS)).startswith("MultiHeadAttention(\n  dim=15, heads=3\n  (query): Linear")


@pytest.mark.parametrize("watched", [False, True])
def test_dropped_weights(watched):
    """In training some weights are 0 and the others longer, so that the mean stays; otherwise all are as they are."""
    torch.manual_seed(0)
    attention, x = MultiHeadAttention(8, 2, dropout=0.25), torch.randn(2, 6, 8)
    whole = attention.eval()(x)
    look = [lambda _: None] if watched else []
    attention.listeners += look
    torch.testing.assert_close(attention(x), whole)
    attention.train()
    with torch.no_grad():
        runs = torch.stack([attention(x) for _ in range(4000)])
    assert runs.std(0).min() > 0.01
    torch.testing.assert_close(runs.mean(0), whole, atol=0.02, rtol=0)


def test_dropped_weights_are_heard():
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2, dropout=0.25)
    with torch.no_grad():
        _, found = hear(attention.train(), torch.randn(50, 6, 8))
    assert (found.weights == 0).double().mean() == pytest.approx(0.25, abs=0.03)
    assert found.weights.sum(-1).mean() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("name", POSITIONS)
@torch.no_grad()
def test_queries_that_begin_further_on_move_no_keys(name):
    module, query, key = even(name).eval(), torch.randn(2, 7, 18), torch.randn(2, 5, 18)
    torch.testing.assert_close(module(query[:, 3:], key, start=3), module(query, key)[:, 3:])
