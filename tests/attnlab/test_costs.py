"""Counts against loops, against torch's own counter, and against real modules down to the last parameter."""

from itertools import product

import oracles_costs
import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attnlab import costs, transformer
from attnlab.attention import attend
from attnlab.costs import LAYERS, MODELS, TRANSLATIONS, parameters_of
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.specs import costs as specs

SIZES = [(2, 3, 3, 3), (7, 5, 3, 5), (13, 2, 5, 7), (29, 3, 7, 3), (1, 7, 3, 3), (30, 1, 3, 31)]


def test_numbers_that_a_part_learns():
    shared = nn.Linear(3, 5)
    assert parameters_of(nn.Sequential(shared, nn.ReLU(), shared, nn.Embedding(7, 2))) == 3 * 5 + 5 + 7 * 2
    assert parameters_of(torch.add) == 0


def flops(function):
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        function()
    return counter.get_total_flops()


def kept(module, given):
    """Numbers that autograd keeps for the way back, without parameters; a tensor kept twice counts once."""
    own, found = {parameter.untyped_storage().data_ptr() for parameter in module.parameters()}, {}

    def keep(tensor):
        if tensor.untyped_storage().data_ptr() not in own:
            found[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = module(given)
    del output
    return sum(tensor.untyped_storage().nbytes() // 4 for tensor in found.values())


class SelfAttention(nn.Module):
    """Lesson 05's layer: one head, four maps."""

    def __init__(self, dim):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).mT / x.shape[-1] ** 0.5
        return self.output(scores.softmax(-1) @ self.value(x))


class Recurrent(nn.Module):
    """A plain recurrent layer as a loop, since torch's counter does not look into `nn.RNN`."""

    def __init__(self, dim):
        super().__init__()
        self.input, self.state = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        states, mapped = [torch.zeros(1, x.shape[-1])], self.input(x)
        for row in mapped.split(1):
            states.append(torch.tanh(row + self.state(states[-1])))
        return torch.cat(states[1:])


@pytest.mark.parametrize(("tokens", "dim", "kernel", "neighbourhood"), SIZES)
def test_attention_by_loops(tokens, dim, kernel, neighbourhood):
    for name, radius in [("self_attention", tokens), ("restricted_attention", neighbourhood // 2)]:
        cost = LAYERS[name].cost(tokens, dim, kernel, neighbourhood)
        assert cost.mixing == specs.attention_mixing(tokens, dim, radius)
        assert cost.mapping == specs.attention_mapping(tokens, dim)
        assert cost.operations == cost.mixing + cost.mapping


@pytest.mark.parametrize(("tokens", "dim", "kernel", "neighbourhood"), SIZES)
def test_operations_by_torch(tokens, dim, kernel, neighbourhood):
    cost = {name: layer.cost(tokens, dim, kernel, neighbourhood) for name, layer in LAYERS.items()}
    x, attention, recurrent = torch.randn(tokens, dim), SelfAttention(dim), Recurrent(dim)
    convolution = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, bias=False)
    assert flops(lambda: attention(x)) == 2 * cost["self_attention"].operations
    assert flops(lambda: recurrent(x)) == 2 * cost["recurrent"].operations
    assert flops(lambda: convolution(x.T)) == 2 * cost["convolution"].operations
    for name, module in [("self_attention", attention), ("recurrent", recurrent), ("convolution", convolution)]:
        assert parameters_of(module) == cost[name].parameters


def test_operations_by_torchs_own_attention():
    tokens, dim = 11, 6
    for heads in (1, 2, 3):
        module = nn.MultiheadAttention(dim, heads, bias=False, batch_first=True).train()
        x = torch.randn(1, tokens, dim)
        assert flops(lambda module=module, x=x: module(x, x, x)) == 2 * costs.self_attention(tokens, dim).operations
        assert parameters_of(module) == costs.self_attention(tokens, dim).parameters


@pytest.mark.parametrize(("tokens", "dim"), [(7, 5), (13, 3), (5, 17)])
def test_activations_by_autograd(tokens, dim):
    x = torch.randn(tokens, dim, requires_grad=True)
    assert kept(SelfAttention(dim), x) == costs.self_attention(tokens, dim).activations
    # states for tanh; states and inputs for the maps; the last state is kept for tanh alone
    assert kept(Recurrent(dim), x) == costs.recurrent(tokens, dim).activations
    assert kept(nn.Conv1d(dim, dim, 3, padding=1), x.T.contiguous()) == costs.convolution(tokens, dim).activations


@pytest.mark.parametrize(("tokens", "dim", "kernel", "neighbourhood"), SIZES)
def test_matrix_is_what_may_be_attended_to(tokens, dim, kernel, neighbourhood):
    x, place = torch.randn(tokens, dim), torch.arange(tokens)
    near = (place - place.unsqueeze(1)).abs() <= neighbourhood // 2
    for name, mask in [("self_attention", None), ("restricted_attention", near)]:
        cost = LAYERS[name].cost(tokens, dim, kernel, neighbourhood)
        assert cost.matrix == int((attend(x, x, x, mask=mask).weights > 0).sum())
        assert cost.activations == cost.matrix + 5 * tokens * dim


@pytest.mark.parametrize("tokens", [1, 2, 3, 7, 13, 29, 64])
@pytest.mark.parametrize("width", [3, 5, 7])
def test_paths_by_following_them(tokens, width):
    def back(gap):
        return lambda place: [place - gap * step for step in range(width)]

    def around(place):
        return range(place - width // 2, place + width // 2 + 1)

    until = oracles_costs.layers_until_all_seen
    assert costs.contiguous_path(tokens, width) == until(tokens, lambda layer: back(1))
    assert costs.convolution(tokens, 2, kernel=width).path == until(tokens, lambda layer: back(width**layer))
    assert costs.restricted_attention(tokens, 2, neighbourhood=width).path == until(tokens, lambda layer: around)
    assert costs.self_attention(tokens, 2).path == until(tokens, lambda layer: lambda place: range(tokens)) == 1
    assert costs.recurrent(tokens, 2).path == tokens


def test_order_is_what_grows():
    """Counts over the number inside O(...) stay within a constant, however the sizes are chosen."""
    for name, layer in LAYERS.items():
        ratios = [
            layer.cost(n, d, k, r).mixing / layer.order(n, d, k, r)
            for n, d, k, r in product((64, 1024, 65536), (16, 256), (3, 9), (3, 63))
        ]
        assert min(ratios) >= 1, name
        assert max(ratios) <= 2, name
        assert layer.sequential == ("O(n)" if layer.cost(97, 2, 3, 3).steps == 97 else "O(1)")


def test_which_layer_is_cheaper():
    """Section 4 of the paper: self-attention is cheaper than recurrence while the sequence is shorter than wide."""
    assert costs.self_attention(64, 512).mixing < costs.recurrent(64, 512).mixing
    assert costs.self_attention(1024, 512).mixing > costs.recurrent(1024, 512).mixing


@pytest.mark.parametrize("dim", [12, 20])
@pytest.mark.parametrize("hidden", [None, 7])
def test_parameters_of_torchs_blocks(dim, hidden):
    sizes = {"d_model": dim, "dim_feedforward": hidden or 4 * dim, "batch_first": True}
    for heads in (1, 2, 4):
        assert parameters_of(nn.MultiheadAttention(dim, heads)) == costs.attention_parameters(dim)
        assert parameters_of(nn.TransformerEncoderLayer(nhead=heads, **sizes)) == costs.block_parameters(dim, hidden)
        assert parameters_of(nn.TransformerDecoderLayer(nhead=heads, **sizes)) == costs.cross_block_parameters(
            dim, hidden
        )
    model = nn.Transformer(nhead=2, num_encoder_layers=3, num_decoder_layers=3, **sizes)
    model.encoder.norm = model.decoder.norm = None  # torch adds a last norm to each, the paper has none
    table = nn.Embedding(23, dim)
    assert parameters_of(model) + parameters_of(table) == costs.encoder_decoder_parameters(3, dim, 23, hidden)


@pytest.mark.parametrize(("layers", "dim", "heads", "vocabulary"), [(1, 6, 1, 11), (2, 12, 3, 13), (3, 20, 5, 7)])
def test_parameters_of_our_models(layers, dim, heads, vocabulary):
    decoder = transformer.gpt(vocabulary, dim, heads, layers, longest=17)
    assert parameters_of(decoder) == costs.decoder_only_parameters(layers, dim, vocabulary, 17)
    assert costs.decoder_only_parts(layers, dim, vocabulary, 17) == {
        "tokens": parameters_of(decoder.embed.tokens),
        "positions": parameters_of(decoder.embed.positions),
        "attention": sum(parameters_of(block.attention) for block in decoder.blocks),
        "feed-forward": sum(parameters_of(block.feed_forward) for block in decoder.blocks),
        "norms": sum(parameters_of(module) for module in decoder.modules() if isinstance(module, nn.LayerNorm)),
    }
    both = transformer.shared_transformer(vocabulary, dim, heads, layers)
    assert parameters_of(both) == costs.encoder_decoder_parameters(layers, dim, vocabulary)
    encoder = transformer.masked_encoder(vocabulary, dim, heads, layers, longest=17, segments=2)
    counted = costs.encoder_only_parameters(layers, dim, vocabulary, 17)
    assert parameters_of(encoder.encoder) == counted - costs.map_parameters(dim, dim)
    assert (
        parameters_of(encoder) == counted + costs.norm_parameters(dim) + vocabulary
    )  # names tokens instead of pooling


def test_parameters_of_gpt2_and_bert():
    from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, RobertaConfig, RobertaModel

    with torch.device("meta"):
        gpt = GPT2Model(GPT2Config(n_layer=48, n_embd=1600, n_head=25))
        large = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
        bert, bert_large = BertModel(BertConfig()), BertModel(BertConfig(**large))
        roberta = RobertaModel(RobertaConfig(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, **large))
    for name, module in {"GPT-2": gpt, "BERT-Base": bert, "BERT-Large": bert_large, "RoBERTa": roberta}.items():
        assert MODELS[name].counted == parameters_of(module), name


def test_table_of_models():
    assert list(MODELS) == [
        "Transformer-Base",
        "Transformer-Large",
        "BERT-Base",
        "BERT-Large",
        "XLNet-Large",
        "RoBERTa",
        "GPT-2",
        "Megatron-LM",
        "Turing-NLG",
        "GPT-3",
        "Gopher",
    ]
    off = {name for name, model in MODELS.items() if abs(model.error) > 0.03}
    assert off == {"XLNet-Large", "GPT-2"}  # their notes say why
    for model in MODELS.values():
        assert model.dim % (model.heads or 1) == 0
        assert abs(model.error) <= 0.03 or model.note
    assert round(MODELS["GPT-3"].counted, -8) == 174.6e9  # Brown et al. 2020, table D.1
    without = MODELS["Gopher"].counted - 80 * 16384**2
    assert without / MODELS["Gopher"].stated - 1 == pytest.approx(-0.08, abs=0.005)


def test_training_flops_by_torch():
    """Forward and back through a model of blocks is 6 FLOPs per weight of a map and token, and the attention's."""
    layers, dim, hidden, vocabulary, tokens = 3, 8, 20, 11, 13
    block = nn.TransformerEncoderLayer(dim, 2, hidden, dropout=0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(block, layers), nn.Linear(dim, vocabulary))
    x = torch.randn(1, tokens, dim, requires_grad=True)
    weights = sum(parameter.numel() for parameter in model.parameters() if parameter.ndim == 2)
    expected = costs.training_flops(weights, tokens) + costs.attention_flops(layers, dim, tokens, tokens)
    assert flops(lambda: model(x).sum().backward()) == expected


def test_training_flops_of_our_gpt():
    """The token table counts once: as the output map. To look a token up costs nothing."""
    layers, dim, vocabulary, tokens, batch = 2, 12, 13, 7, 3
    model = transformer.gpt(vocabulary, dim, 3, layers, longest=tokens)
    maps = sum(parameter.numel() for parameter in model.blocks.parameters() if parameter.ndim == 2) + vocabulary * dim
    expected = costs.training_flops(maps, batch * tokens) + costs.attention_flops(layers, dim, tokens, batch * tokens)
    text = torch.randint(vocabulary, (batch, tokens))
    assert flops(lambda: model(text).sum().backward()) == expected


def test_operations_of_our_attention():
    x = torch.randn(1, 11, 12)
    for heads in (1, 3, 4):
        module = MultiHeadAttention(12, heads)
        assert flops(lambda module=module: module(x)) == 2 * costs.self_attention(11, 12).operations


def test_known_figures():
    gpt3 = MODELS["GPT-3"]
    assert costs.training_flops(gpt3.counted, gpt3.tokens) == pytest.approx(3.14e23, rel=0.005)  # its table D.1
    assert costs.price(4096, 920, 1) == 3_768_320  # the lecture's slide
    assert costs.hours(costs.hardware_flops(8, 12, 9.5e12), 8, 9.5e12) == pytest.approx(12)
    assert costs.hardware_flops(8, 12, 9.5e12) == pytest.approx(
        TRANSLATIONS["Transformer (base model)"].german_flops, rel=0.01
    )
    assert costs.hardware_flops(8, 3.5 * 24, 9.5e12) == pytest.approx(
        TRANSLATIONS["Transformer (big)"].german_flops, rel=0.01
    )


def test_cache_bytes():
    layers, heads, dim, tokens, batch = 3, 2, 8, 13, 5
    held = [torch.zeros(batch, heads, tokens, dim // heads, dtype=torch.bfloat16) for _ in range(2 * layers)]
    assert costs.cache_bytes(layers, dim, tokens, batch) == sum(part.nbytes for part in held)
    assert costs.cache_bytes(layers, dim, tokens, batch, bytes_each=4) == 2 * sum(part.nbytes for part in held)
    cache = Cache()
    seen = cache.extend(*(torch.zeros(batch, heads, tokens, dim // heads) for _ in range(2)))
    assert costs.cache_bytes(1, dim, tokens, batch, bytes_each=4) == sum(part.nbytes for part in seen)


def test_translations():
    assert len(TRANSLATIONS) == 10
    best = max(TRANSLATIONS.values(), key=lambda row: row.german or 0)
    assert best is TRANSLATIONS["Transformer (big)"]
    assert min(row.german_flops for row in TRANSLATIONS.values() if row.german_flops) == 3.3e18


@pytest.mark.parametrize("name", LAYERS)
def test_bad_sizes(name):
    for sizes in [(0, 5, 3, 3), (5, 0, 3, 3)]:
        with pytest.raises(ValueError, match=r"of at least 1, got 0"):
            LAYERS[name].cost(*sizes)


@pytest.mark.parametrize("width", [-3, 0, 1, 2, 4])
def test_windows_in_which_tokens_do_not_meet(width):
    with pytest.raises(ValueError, match=f"neighbourhood .*got {width}"):
        costs.restricted_attention(5, 3, neighbourhood=width)
    if width < 2:
        with pytest.raises(ValueError, match=f"kernel to be a whole number of at least .*got {width}"):
            costs.convolution(5, 3, kernel=width)


@pytest.mark.parametrize("tokens", [1, 2, 5])
def test_a_neighbourhood_wider_than_the_text_is_all_of_it(tokens):
    assert costs.window_pairs(tokens, 8) == tokens**2
    assert costs.restricted_attention(tokens, 3, neighbourhood=17) == costs.self_attention(tokens, 3)
