"""Models of other libraries, heard and changed as they are: tiny ones, with random weights."""

from contextlib import suppress

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
)

from attnlab.analysis import without
from attnlab.multihead import MultiHeadAttention
from attnlab.trace import override, record

IDS = torch.tensor([[3, 7, 2, 11, 5, 7, 12]])
SIZES = {"vocab_size": 13, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 10}


def bert():
    return BertForMaskedLM(BertConfig(**SIZES)), {"input_ids": IDS}


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=13, n_embd=12, n_layer=2, n_head=3)), {"input_ids": IDS}


def llama():
    """Three heads share one key and one value."""
    return LlamaForCausalLM(LlamaConfig(**SIZES, num_key_value_heads=1)), {"input_ids": IDS}


def vit():
    sizes = {name: size for name, size in SIZES.items() if name != "vocab_size"}
    return ViTForImageClassification(ViTConfig(**sizes, image_size=6, patch_size=3)), {
        "pixel_values": torch.randn(1, 3, 6, 6)
    }


def t5():
    """Relative positions are added to its scores."""
    config = T5Config(vocab_size=13, d_model=12, d_kv=4, d_ff=10, num_layers=1, num_heads=3, decoder_start_token_id=0)
    return T5ForConditionalGeneration(config), {"input_ids": IDS, "decoder_input_ids": IDS[:, :4]}


def albert():
    """One block, three times."""
    return AlbertForMaskedLM(AlbertConfig(**{**SIZES, "num_hidden_layers": 3}, embedding_size=5)), {"input_ids": IDS}


FAMILIES = [bert, gpt2, llama, vit, t5, albert]
WAYS = ["sdpa", "eager"]


@pytest.fixture(params=[(family, way) for family in FAMILIES for way in WAYS], ids=lambda p: f"{p[0].__name__}-{p[1]}")
def made(request):
    """A model, what it reads, the logits, and the weights that its own library returns."""
    family, way = request.param
    torch.manual_seed(0)
    model, inputs = family()
    model.eval().set_attn_implementation("eager")
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():
        out = model(**inputs, output_attentions=True)
    kinds = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    own = [weights for kind in kinds for weights in getattr(out, kind, None) or ()]
    model.set_attn_implementation(way)
    return model, inputs, out.logits, own


def heard(model, inputs):
    with torch.no_grad(), record(model) as trace:
        logits = model(**inputs).logits
    return trace, logits


def calls(trace):
    """Every call of the attentions, and its name."""
    return [(f"{name}#{i}", call) for name in trace.names for i, call in enumerate(trace[name])]


def map_of(model, name):
    """The output map of an attention: inside of it, or beside it."""
    for place in (name, name.rpartition(".")[0]):
        inside = dict(model.get_submodule(place).named_modules())
        for end in ("o", "c_proj", "o_proj", "dense", "output.dense"):
            if end in inside:
                return inside[end]
    raise AssertionError(name)


def test_weights_are_those_that_the_library_returns(made):
    model, inputs, logits, own = made
    trace, same = heard(model, inputs)
    torch.testing.assert_close(same, logits, atol=1e-5, rtol=0)
    found = [call.weights for _, call in calls(trace)]
    assert len(found) == len(own)
    for weights in own:  # T5's are sorted by kind
        assert min((weights - one).abs().max() for one in found if one.shape == weights.shape) < 1e-6


def test_the_parts_make_each_other(made):
    """Scores and mask make the weights, these and the values the context, and what the heads add makes the output."""
    model, inputs, _, _ = made
    trace, _ = heard(model, inputs)
    for name in trace.names:
        for i, call in enumerate(trace[name]):
            suffix = f"#{i}" if i else ""
            shape = [*call.weights.shape[:3]]
            query, key, value = (trace.tensor(f"{name}{suffix}/{one}") for one in "qkv")
            assert list(query.shape[:3]) == shape
            scores = call.scores
            if f"{name}{suffix}/mask" in trace.tensors:
                scores = scores.masked_fill(~trace.tensor(f"{name}{suffix}/mask"), -torch.inf)
            torch.testing.assert_close(scores.softmax(-1), call.weights, atol=1e-6, rtol=0)
            torch.testing.assert_close(call.weights @ value, call.context, atol=1e-6, rtol=0)
            if model.config.model_type != "t5":  # which does not divide, and adds its positions
                known = call.scores.isfinite()
                torch.testing.assert_close(call.scores[known], (query @ key.mT / 2)[known], atol=1e-5, rtol=1e-5)


def test_recorded_weights_given_back_change_nothing(made):
    model, inputs, logits, _ = made
    trace, _ = heard(model, inputs)
    with torch.no_grad(), override(model, {name: call.weights for name, call in calls(trace)}):
        torch.testing.assert_close(model(**inputs).logits, logits, atol=1e-5, rtol=0)


def test_a_head_of_zeros_is_a_head_cut_out_of_the_output_map(made):
    model, inputs, logits, _ = made
    trace, _ = heard(model, inputs)
    for name in trace.names:
        module = map_of(model, name)
        with torch.no_grad(), without(model, [(name, 1)]), record(model) as changed:
            off = model(**inputs).logits
        assert all(float(call.weights[:, 1].abs().max()) == 0 for call in changed[name])
        weight = module.weight.detach().clone()
        columns = module.weight.data if isinstance(module, nn.Linear) else module.weight.data.mT
        columns[:, 4:8] = 0
        with torch.no_grad():
            by_hand = model(**inputs).logits
        module.weight.data = weight
        torch.testing.assert_close(off, by_hand, atol=1e-5, rtol=0)
        assert (off - logits).abs().max() > 1e-3


def test_each_head_adds_its_columns_of_the_output_map(made):
    model, inputs, _, _ = made
    trace, _ = heard(model, inputs)
    for name in trace.names:
        heard_map = next(n for n, module in model.named_modules() if module is map_of(model, name))
        bias = trace.tensor(f"{name}/bias") if f"{name}/bias" in trace.tensors else 0
        for adds, out in zip(trace.calls(f"{name}/adds"), trace.calls(f"{heard_map}/out"), strict=True):
            torch.testing.assert_close(adds.sum(1) + bias, out, atol=1e-5, rtol=0)


def test_a_block_that_is_used_again_can_be_changed_in_one_of_its_calls():
    model, inputs = albert()
    model.eval()
    trace, _ = heard(model, inputs)
    [name] = trace.names
    assert len(trace[name]) == 3
    with torch.no_grad(), override(model, {f"{name}#1": torch.zeros(1, 1, 1, 1)}), record(model) as changed:
        model(**inputs)
    assert [bool(call.weights.any()) for call in changed[name]] == [True, False, True]
    with torch.no_grad(), override(model, {name: torch.zeros(1, 1, 1, 1)}), record(model) as changed:
        model(**inputs)
    assert not any(call.weights.any() for call in changed[name])


# torch's own


@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention_of_torch(batch_first):
    torch.manual_seed(0)
    module = nn.MultiheadAttention(12, 3, batch_first=batch_first).eval()
    x = torch.randn(2, 5, 12) if batch_first else torch.randn(5, 2, 12)
    mask = torch.ones(5, 5, dtype=torch.bool).triu(1)
    with torch.no_grad():
        out, weights = module(x, x, x, attn_mask=mask, average_attn_weights=False)
        with record(module) as trace:
            same, returned = module(x, x, x, attn_mask=mask, average_attn_weights=False)
            _, mean = module(x, x, x, attn_mask=mask)
            assert module(x, x, x, attn_mask=mask, need_weights=False)[1] is None
        with override(module, {"": weights}):
            torch.testing.assert_close(module(x, x, x)[0], out, atol=1e-5, rtol=0)
    torch.testing.assert_close(same, out, atol=1e-6, rtol=0)
    torch.testing.assert_close(returned, weights, atol=1e-6, rtol=0)
    torch.testing.assert_close(mean, weights.mean(1), atol=1e-6, rtol=0)
    assert [len(trace[name]) for name in trace.names] == [3]
    torch.testing.assert_close(trace[""][2].weights, weights, atol=1e-6, rtol=0)
    added = trace.tensor("/adds").sum(1) + trace.tensor("/bias")
    torch.testing.assert_close(added if batch_first else added.transpose(0, 1), out, atol=1e-5, rtol=0)


def test_a_query_without_any_key_is_as_torch_has_it():
    module, x = nn.MultiheadAttention(12, 3, batch_first=True).eval(), torch.randn(2, 5, 12)
    nothing = torch.tensor([[False] * 5, [True] * 5])
    for need in True, False:
        with torch.no_grad():
            alone = module(x, x, x, key_padding_mask=nothing, need_weights=need)[0]
            with record(module) as trace:
                same = module(x, x, x, key_padding_mask=nothing, need_weights=need)[0]
        torch.testing.assert_close(same, alone, equal_nan=True, atol=1e-5, rtol=0)
        assert trace[""][0].weights[1].isnan().all() == need


def test_an_unbatched_sequence():
    module, x = nn.MultiheadAttention(12, 3).eval(), torch.randn(5, 12)
    with torch.no_grad(), record(module) as trace:
        out, weights = module(x, x, x, average_attn_weights=False)
    assert (list(out.shape), list(weights.shape)) == ([5, 12], [3, 5, 5])
    torch.testing.assert_close(trace[""][0].weights[0], weights)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_the_fast_path_of_torchs_encoder_is_heard():
    """It fuses the whole layer and returns no weights."""
    torch.manual_seed(0)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 2, 16, batch_first=True), 2).eval()
    x, padded = torch.randn(2, 5, 12), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.no_grad():
        fast = model(x, src_key_padding_mask=padded)
        with record(model) as trace:
            slow = model(x, src_key_padding_mask=padded)
        with without(model, [("layers.1.self_attn", 1)]), record(model) as changed:
            model(x)
    torch.testing.assert_close(slow[0], fast[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(slow[1, :3], fast[1, :3], atol=1e-5, rtol=0)
    assert trace.names == ["layers.0.self_attn", "layers.1.self_attn"]
    assert float(trace["layers.0.self_attn"][0].weights[1, :, :, 3:].abs().max()) == 0
    assert not changed["layers.1.self_attn"][0].weights[:, 1].any()
    assert changed["layers.1.self_attn"][0].weights[:, 0].any()


# Written by hand


class OneHead(nn.Module):
    """As in many a tutorial: [batch, tokens, tokens]."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(6, 4) for _ in range(3))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / 2
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).tril() == 0, float("-inf"))
        return self.dropout(F.softmax(scores, dim=-1)) @ self.value(x)


class Fused(nn.Module):
    """As OneHead, by torch's kernel, without an axis for heads."""

    def __init__(self, own):
        super().__init__()
        self.own = own

    def forward(self, x):
        own = self.own
        return F.scaled_dot_product_attention(own.query(x), own.key(x), own.value(x), is_causal=True)


def test_one_head_by_hand():
    torch.manual_seed(0)
    model, x = nn.Sequential(OneHead()).eval(), torch.randn(2, 5, 6)
    fused = Fused(model[0])
    with torch.no_grad(), record(model) as trace, record(fused) as same:
        out = model(x)
        torch.testing.assert_close(fused(x), out)
    assert trace.names == ["0"]
    assert list(trace["0"][0].weights.shape) == [2, 1, 5, 5]
    for suffix in ("q", "k", "v", "weights", "context", "mask"):
        torch.testing.assert_close(trace.tensor(f"0/{suffix}"), same.tensor(f"/{suffix}"), check_stride=False)
    with torch.no_grad(), override(model, {"0": torch.eye(5)}):
        torch.testing.assert_close(model(x), model[0].value(x))


def test_the_kernel_of_a_single_sequence():
    torch.manual_seed(0)
    head, x = OneHead().eval(), torch.randn(5, 6)
    fused = Fused(head)
    with torch.no_grad(), record(fused) as trace:
        torch.testing.assert_close(fused(x), fused(x[None])[0])
    assert [list(call.weights.shape) for call in trace[""]] == [[1, 1, 5, 5]] * 2
    with torch.no_grad(), override(fused, {"": torch.eye(5)}):
        torch.testing.assert_close(fused(x), head.value(x))


class Kernel(nn.Module):
    """torch's kernel, with whatever it may be given."""

    def forward(self, query, key, **given):
        return F.scaled_dot_product_attention(query, key, key, **given)


def run(query, key, **given):
    """What the kernel gives alone, what it gives while it is recorded, and the calls that were heard."""
    model = Kernel()
    with torch.no_grad(), record(model) as trace:
        while_recorded = model(query, key, **given)
    return model(query, key, **given), while_recorded, trace[""]


@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4), (2, 6, 5, 4), (3, 2, 6, 5, 4)])
@pytest.mark.parametrize("shares", [False, True])
def test_the_kernel_with_any_number_of_axes(shape, shares):
    if shares and len(shape) < 3:
        return
    torch.manual_seed(0)
    query = torch.randn(shape)
    key = torch.randn(*shape[:-3], shape[-3] // 2, *shape[-2:]) if shares else torch.randn(shape)
    alone, same, _ = run(query, key, enable_gqa=shares, is_causal=True)
    torch.testing.assert_close(same, alone)


def test_a_mask_beside_the_triangle():
    torch.manual_seed(0)
    query, padded = torch.randn(2, 3, 5, 4), torch.tensor([True, False, True, True, True])
    added = torch.zeros(5).masked_fill(~padded, -torch.inf)
    both = F.scaled_dot_product_attention(query, query, query, attn_mask=padded & torch.ones(5, 5).tril().bool())
    for mask in padded.expand(5, 5), added.expand(5, 5):
        _, same, (call,) = run(query, query, attn_mask=mask, is_causal=True)
        torch.testing.assert_close(same, both)
        assert not call.weights[..., 1].any()


def test_nan_goes_on_as_it_does_without_ears():
    torch.manual_seed(0)
    query = torch.randn(1, 2, 40, 16)
    query[0, 1, 3, 0] = torch.nan
    alone, same, (call,) = run(query, query, is_causal=True)
    assert same.isnan().any()
    assert torch.equal(same.isnan(), alone.isnan())
    assert call.weights[0, 1, 3].isnan().any()


class Router(nn.Module):
    """Shares of as many experts as there are tokens, and no product of tokens."""

    def forward(self, x):
        return F.linear(x, torch.ones(x.shape[1], x.shape[2])).softmax(dim=-1)


class Contracts(nn.Module):
    """One head, its products as sums over named axes."""

    def forward(self, x):
        weights = (torch.einsum("bqd,bkd->bqk", x, x) / 2).softmax(dim=-1)
        return torch.einsum("bqk,bkd->bqd", weights, x)


def test_a_softmax_over_other_things_is_no_attention():
    x = torch.randn(2, 5, 4)
    for model, names in (Router(), []), (Contracts(), [""]):
        with record(model) as trace:
            model(x)
        assert trace.names == names


def test_what_is_given_to_a_model_without_heard_attention_is_told():
    model, x = nn.Sequential(nn.Identity(), Router()), torch.randn(2, 5, 4)
    with (
        pytest.raises(ValueError, match="nothing called '1' attended; no attention was heard at all"),
        override(model, {"1": torch.zeros(1, 1, 1, 1)}),
    ):
        model(x)


class NamedArguments(nn.Module):
    """One head whose output map is called with its weight by name."""

    def __init__(self):
        super().__init__()
        self.head, self.output = OneHead(), nn.Linear(4, 6)

    def forward(self, x):
        return F.linear(self.head(x), weight=self.output.weight, bias=self.output.bias)


def test_a_linear_map_may_be_called_by_names():
    model, x = NamedArguments().eval(), torch.randn(2, 5, 6)
    with torch.no_grad(), record(model) as trace:
        heard = model(x)
    torch.testing.assert_close(heard, model(x))
    assert trace.names == ["head"]


def test_record_hears_what_override_has_given_whichever_stands_outside():
    model, x, even = nn.Sequential(OneHead()).eval(), torch.randn(2, 5, 6), torch.full((5, 5), 0.2)
    with torch.no_grad(), override(model, {"0": even}), record(model) as inside:
        model(x)
    with torch.no_grad(), record(model) as outside, override(model, {"0": even}):
        model(x)
    for trace in (inside, outside):
        torch.testing.assert_close(trace["0"][0].weights, even.expand(2, 1, 5, 5))


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.theirs, self.ours = OneHead(), MultiHeadAttention(4, 2)

    def forward(self, x):
        return self.ours(self.theirs(x))


def test_ours_inside_theirs_is_heard_once():
    model, x = Mixed().eval(), torch.randn(2, 5, 6)
    with torch.no_grad(), record(model) as trace:
        model(x)
    assert {name: len(trace[name]) for name in trace.names} == {"theirs": 1, "ours": 1}


def test_gradients_flow_while_recording():
    model, inputs = gpt2()
    with record(model):
        loss = model(**inputs, labels=IDS).loss
    loss.backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_nothing_stays_behind():
    model, inputs = bert()
    name = "bert.encoder.layer.0.attention.self"
    with pytest.raises(ValueError, match="broadcast"), record(model), override(model, {name: torch.ones(2, 2)}):
        model(**inputs)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    with pytest.raises(IndexError), record(model):
        model(torch.tensor([[99]]))
    with record(model) as trace:
        model(**inputs)
    assert len(trace.names) == 2


# What cannot be


def test_names_and_heads_that_there_are_not():
    model, inputs = gpt2()
    name = "transformer.h.0.attn"
    with pytest.raises(ValueError, match=r"expected names out of \['transformer.h.0.attn', .*got 'h.0'"):
        override(model, {"h.0": torch.ones(1)}).__enter__()
    with (
        pytest.raises(ValueError, match=r"nothing called 'transformer.h.0.mlp' attended; expected .*h.1.attn"),
        override(model, {"transformer.h.0.mlp": torch.zeros(1, 1, 1, 1)}),
    ):
        model(**inputs)
    with (
        pytest.raises(ValueError, match=r"nothing called 'transformer.h.0.attn#1'"),
        override(model, {f"{name}#1": torch.zeros(1, 1, 1, 1)}),
    ):
        model(**inputs)
    with pytest.raises(ValueError, match=r"at most the 3 heads of 'transformer.h.0.attn'"), without(model, [(name, 3)]):
        model(**inputs)
    with pytest.raises(ValueError, match="expected weights that broadcast"), override(model, {name: torch.ones(5, 5)}):
        model(**inputs)


@pytest.mark.parametrize(("queries", "keys"), [(3, 5), (5, 3)])
def test_the_triangle_begins_at_the_first_key(queries, keys):
    alone, same, _ = run(torch.randn(2, 3, queries, 4), torch.randn(2, 3, keys, 4), is_causal=True)
    torch.testing.assert_close(same, alone)


def test_what_the_kernel_drops_is_dropped_while_it_is_heard():
    _, same, (call,) = run(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4), dropout_p=1.0)
    assert not same.any()
    torch.testing.assert_close(call.weights.sum(-1), torch.ones(1, 2, 5))


class CountsAxes(OneHead):
    """Its softmax is over axis 2, the last of three."""

    def forward(self, x):
        return F.softmax(self.query(x) @ self.key(x).mT / 2, dim=2) @ self.value(x)


def test_a_softmax_over_the_last_axis_by_its_number():
    with torch.no_grad(), record(model := CountsAxes().eval()) as trace:
        model(torch.randn(2, 5, 6))
    assert list(trace[""][0].weights.shape) == [2, 1, 5, 5]


class Tries(nn.Module):
    """Goes on where one of its parts fails."""

    def __init__(self):
        super().__init__()
        self.head, self.own = OneHead(), OneHead()

    def forward(self, x):
        with suppress(RuntimeError):
            self.head(x[..., 1:])
        return Fused.forward(self, x)


def test_a_part_that_fails_runs_no_longer():
    model, x = Tries().eval(), torch.randn(2, 5, 6)
    with torch.no_grad(), override(model, {"": torch.eye(5)}):
        torch.testing.assert_close(model(x), model.own.value(x))


class Twice(nn.Module):
    """Two attentions in one module, whose queries have the shape of weights."""

    def forward(self, x):
        for _ in range(2):
            x = (x @ x.mT).softmax(dim=-1) @ x
        return x


def test_a_call_that_has_its_context_keeps_it():
    x = torch.randn(2, 3, 4, 4)
    with record(model := Twice()) as trace:
        out = model(x)
    for call, query, context in zip(trace[""], (x, trace[""][0].context), (trace[""][0].weights @ x, out), strict=True):
        torch.testing.assert_close(call.context, context)
        torch.testing.assert_close(call.scores, query @ query.mT)
    torch.testing.assert_close(trace.calls("/q")[1], trace[""][0].context)


def test_the_lowest_number_is_a_mask_also_where_a_score_lifts_it():
    lowest = torch.full((5, 5), torch.finfo(torch.float16).min).triu(1).half()
    with torch.no_grad(), record(model := Kernel()) as trace:
        model(*[torch.full((1, 2, 5, 4), 8.0).half()] * 2, attn_mask=lowest)
    assert torch.equal(trace.tensor("/mask")[0, 0], torch.ones(5, 5).tril().bool())


def test_the_first_head_alone_is_switched_off():
    module, x = nn.MultiheadAttention(12, 3, batch_first=True).eval(), torch.randn(2, 5, 12)
    with torch.no_grad(), without(module, [("", 0)]), record(module) as trace:
        module(x, x, x)
    assert [bool(head.any()) for head in trace[""][0].weights.unbind(1)] == [False, True, True]
