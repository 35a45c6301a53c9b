"""What attention costs, and against what: operations, memory, steps, parameters, FLOPs, money.

Every count is exact for one sequence unless its docstring says otherwise. An operation is one multiply-add, as in the
paper's table; FLOPs count the multiplication and the addition, so they are twice as many.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

from torch import nn

from attnlab.checks import Count, NotNegative, Positive, Range, Size, checked
from attnlab.registry import Table

# One layer ------------------------------------------------------------------------------------------------------------


Kernel = Annotated[int, Range("of at least 2, since with 1 tokens never meet", lambda size: size >= 2)]
Neighbourhood = Annotated[
    int, Range("of at least 3 and odd, as many tokens before as after", lambda size: size >= 3 and size % 2 == 1)
]


class Cost(NamedTuple):
    """What one layer of width `dim` costs for one sequence of `tokens`.

    mixing: multiply-adds in which tokens meet: what the table's O(...) counts.
    mapping: multiply-adds of maps that look at one token alone: the table leaves them out.
    parameters: numbers that are learned, without biases.
    activations: numbers that training keeps for the backward pass, the input among them.
    matrix: those of them that are attention weights.
    steps: operations that must wait for one another.
    path: layers or steps between the two tokens that are farthest apart.
    """

    mixing: int
    mapping: int
    parameters: int
    activations: int
    matrix: int
    steps: int
    path: int

    @property
    def operations(self) -> int:
        """All multiply-adds."""
        return self.mixing + self.mapping


@checked
def self_attention(tokens: Size, dim: Size, kernel: int = 3, neighbourhood: int = 17) -> Cost:
    """Every token meets every token: in query · key, and again in weights · value. One head; H heads cost the same
    operations, but keep H matrices of weights."""
    return _attention(tokens, dim, pairs=tokens * tokens, path=1)


@checked
def restricted_attention(tokens: Size, dim: Size, kernel: int = 3, neighbourhood: Neighbourhood = 17) -> Cost:
    """Every token meets the `neighbourhood` of tokens around it, an odd number; at the ends there are fewer."""
    radius = neighbourhood // 2
    return _attention(tokens, dim, window_pairs(tokens, radius), path=_hops(tokens, radius))


@checked
def recurrent(tokens: Size, dim: Size, kernel: int = 3, neighbourhood: int = 17) -> Cost:
    """h_t = tanh(W x_t + U h_{t-1}). A GRU has three such pairs of maps, an LSTM four."""
    products = tokens * dim * dim
    return Cost(
        mixing=products,
        mapping=products,
        parameters=2 * dim * dim,
        activations=(2 * tokens + 1) * dim,
        matrix=0,
        steps=tokens,
        path=tokens,
    )


@checked
def convolution(tokens: Size, dim: Size, kernel: Kernel = 3, neighbourhood: int = 17) -> Cost:
    """Each output sees `kernel` tokens: its own and those before it. `path` counts layers in which these stand ever
    farther apart (dilated); where they are neighbours it is `contiguous_path`."""
    return Cost(
        mixing=kernel * tokens * dim * dim,
        mapping=0,
        parameters=kernel * dim * dim,
        activations=tokens * dim,
        matrix=0,
        steps=1,
        path=dilated_path(tokens, kernel),
    )


@checked
def dilated_path(tokens: Size, kernel: Kernel) -> int:
    """Layers until the last token sees the first one: layer l takes every kernel^l-th token, so that `layers` of them
    see kernel^layers."""
    layers = 1
    while kernel**layers < tokens:
        layers += 1
    return layers


@checked
def contiguous_path(tokens: Size, kernel: Kernel) -> int:
    """Layers until the last token sees the first one, when each sees kernel - 1 tokens further back: O(n/k)."""
    return _hops(tokens, kernel - 1)


@checked
def window_pairs(tokens: Size, radius: Count) -> int:
    """Pairs (query, key) at most `radius` apart."""
    reach = min(radius, tokens - 1)
    return tokens * (2 * reach + 1) - reach * (reach + 1)


def _attention(tokens: Size, dim: Size, pairs: int, path: int) -> Cost:
    vectors = 5 * tokens * dim  # input, query, key, value, context
    return Cost(
        mixing=2 * pairs * dim,
        mapping=4 * tokens * dim * dim,
        parameters=4 * dim * dim,
        activations=vectors + pairs,
        matrix=pairs,
        steps=1,
        path=path,
    )


def _hops(tokens: Size, radius: Count) -> int:
    """Layers until the last token sees the first one, when each layer reaches `radius` further."""
    return max(1, -(-(tokens - 1) // radius))


class Layer(NamedTuple):
    """A row of the paper's table: its three formulas as printed there, what stands inside the first as a number, and
    the exact counts. `order` and `cost` are functions of (tokens, dim, kernel, neighbourhood)."""

    complexity: str
    sequential: str
    longest_path: str
    order: Callable[[int, int, int, int], int]
    cost: Callable[[int, int, int, int], Cost]


LAYERS: dict[str, Layer] = Table({
    "self_attention": Layer("O(n² · d)", "O(1)", "O(1)", lambda n, d, k, r: n * n * d, self_attention),
    "recurrent": Layer("O(n · d²)", "O(n)", "O(n)", lambda n, d, k, r: n * d * d, recurrent),
    "convolution": Layer("O(k · n · d²)", "O(1)", "O(log_k(n))", lambda n, d, k, r: k * n * d * d, convolution),
    "restricted_attention": Layer("O(r · n · d)", "O(1)", "O(n/r)", lambda n, d, k, r: r * n * d, restricted_attention),
})
"""The four layers, compared.

**Source:** Vaswani et al. 2017, table 1 and section 4. **Names:** n -> tokens, d -> dim, k -> kernel,
r -> neighbourhood.
"""


# Parameters -----------------------------------------------------------------------------------------------------------
# The number of heads changes none of these: H heads of width dim / H are the same maps, cut in H pieces.


@checked
def parameters_of(part: Callable) -> int:
    """How many numbers a model or a part of it learns; those that two parts share count once. A function has none."""
    return sum(numbers.numel() for numbers in part.parameters()) if isinstance(part, nn.Module) else 0


@checked
def map_parameters(inputs: Size, outputs: Size) -> int:
    """A linear map with a bias: `nn.Linear`."""
    return inputs * outputs + outputs


@checked
def attention_parameters(dim: Size) -> int:
    """The maps of query, key, value and output."""
    return 4 * map_parameters(dim, dim)


@checked
def feed_forward_parameters(dim: Size, hidden: Size | None = None) -> int:
    """Up to `hidden`, 4 dim unless given, and back."""
    hidden = 4 * dim if hidden is None else hidden
    return map_parameters(dim, hidden) + map_parameters(hidden, dim)


@checked
def norm_parameters(dim: Size) -> int:
    """LayerNorm's gain and shift."""
    return 2 * dim


@checked
def block_parameters(dim: Size, hidden: Size | None = None) -> int:
    """A block with one attention: of an encoder, or of a decoder that writes without a source. About 12 dim²."""
    return attention_parameters(dim) + feed_forward_parameters(dim, hidden) + 2 * norm_parameters(dim)


@checked
def cross_block_parameters(dim: Size, hidden: Size | None = None) -> int:
    """A decoder's block that also looks at a source: one attention and one norm more. About 16 dim²."""
    return block_parameters(dim, hidden) + attention_parameters(dim) + norm_parameters(dim)


@checked
def decoder_only_parts(
    layers: Count, dim: Size, vocabulary: Count, longest: Count, hidden: Size | None = None
) -> dict[str, int]:
    """GPT, part by part: tokens and learned positions, attention and feed-forward of all blocks, all norms (two a block
    and a last one). The output map is the token table once more (tied), and so costs nothing.

    vocabulary: rows of the token table; 0 to leave it out, as where only the blocks are counted.
    longest: places in the table of positions; 0 for positions that are not learned.

    **Source:** Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
    """
    return {
        "tokens": vocabulary * dim,
        "positions": longest * dim,
        "attention": layers * attention_parameters(dim),
        "feed-forward": layers * feed_forward_parameters(dim, hidden),
        "norms": (2 * layers + 1) * norm_parameters(dim),
    }


@checked
def decoder_only_parameters(
    layers: Count, dim: Size, vocabulary: Count, longest: Count, hidden: Size | None = None
) -> int:
    """GPT: the sum of `decoder_only_parts`."""
    return sum(decoder_only_parts(layers, dim, vocabulary, longest, hidden).values())


@checked
def encoder_only_parameters(
    layers: Count, dim: Size, vocabulary: Size, longest: Count, hidden: Size | None = None, segments: Count = 2
) -> int:
    """BERT: tokens, learned positions and segments, a norm, blocks, and the map on top of the first token (pooler).

    `masked_encoder` has in place of the pooler a map, a norm and one number for each token, to name masked words.

    **Source:** Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers", section 3 and figure 2.
    """
    embeddings = (vocabulary + longest + segments) * dim + norm_parameters(dim)
    return embeddings + layers * block_parameters(dim, hidden) + map_parameters(dim, dim)


@checked
def encoder_decoder_parameters(layers: Count, dim: Size, vocabulary: Size, hidden: Size | None = None) -> int:
    """The Transformer: `layers` blocks in the encoder and as many in the decoder, sinusoidal positions (none learned),
    one token table for source, target and output.

    **Source:** Vaswani et al. 2017, sections 3.1 and 3.4.
    """
    return vocabulary * dim + layers * (block_parameters(dim, hidden) + cross_block_parameters(dim, hidden))


# Training, writing, paying --------------------------------------------------------------------------------------------


@checked
def training_flops(parameters: Size, tokens: Size) -> int:
    """6 FLOPs for each parameter and each token trained on: 2 forward (multiply, add), 4 backward (the gradients of
    the input and of the weights). What attention adds to it is `attention_flops`.

    parameters: of maps, also of the output's; a table that is only looked up costs nothing.

    **Source:** Kaplan et al. 2020, "Scaling Laws for Neural Language Models", section 2.1 (C ≈ 6 N B S);
    Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models", section 3.3 (6 N D).
    **Names:** N -> parameters, D or B S -> tokens.
    """
    return 6 * parameters * tokens


@checked
def attention_flops(layers: Count, dim: Size, context: Size, tokens: Size) -> int:
    """FLOPs of query · key and weights · value in training, for `tokens` in sequences of `context`: 12 layers dim
    context for each token. Kernels that skip what the causal mask hides do half of it.

    **Source:** Chowdhery et al. 2022, "PaLM: Scaling Language Modeling with Pathways", appendix B.
    **Names:** L -> layers, H Q -> dim, T -> context.
    """
    return 12 * layers * dim * context * tokens


@checked
def cache_bytes(layers: Count, dim: Size, tokens: Size, batch: Count = 1, bytes_each: Size = 2) -> int:
    """Memory of the keys and values that a writing model keeps, so that it reads each token once."""
    return 2 * layers * dim * tokens * batch * bytes_each


@checked
def weights_bytes(layers: Count, heads: Count, tokens: Size, bytes_each: Size = 2) -> int:
    """Memory of all attention weights of one text, a number for every two tokens in every head, if written out."""
    return layers * heads * tokens**2 * bytes_each


@checked
def hardware_flops(devices: Count, hours: NotNegative, flops_per_second: NotNegative) -> float:
    """FLOPs that devices do at a sustained rate: how table 2 of Vaswani et al. 2017 was made (footnote 5: 9.5 TFLOPS
    for a P100)."""
    return float(devices * hours * 3600 * flops_per_second)


@checked
def hours(flops: NotNegative, devices: Size, flops_per_second: Positive) -> float:
    """How long devices work that do so many FLOPs a second each, at a sustained rate: `hardware_flops` turned round."""
    return float(flops / (devices * flops_per_second) / 3600)


@checked
def price(devices: Count, hours: NotNegative, dollars_per_hour: NotNegative) -> float:
    """Dollars for devices that are rented by the hour."""
    return float(devices * hours * dollars_per_hour)


# What was built -------------------------------------------------------------------------------------------------------


class Model(NamedTuple):
    """A row of the lecture's table "Scaling up Transformers", and what the functions above make of it.

    layers to hardware: as in the lecture, None or "" where it has a question mark or nothing; `stated` parameters;
    `gigabytes` of text. counted: parameters from layers and width. tokens: trained on, from the paper; None where it
    gives none. note: where lecture and paper differ, and why the count is off.
    """

    name: str
    layers: int
    dim: int
    heads: int | None
    stated: int
    gigabytes: int | None
    hardware: str
    counted: int
    tokens: int | None
    paper: str
    note: str

    @property
    def error(self) -> float:
        """counted / stated - 1: 0.02 is 2 % too many."""
        return self.counted / self.stated - 1


MILLION, BILLION = 10**6, 10**9

MODELS: dict[str, Model] = Table(
    (model.name, model)
    for model in [
        Model(
            "Transformer-Base",
            12,
            512,
            8,
            65 * MILLION,
            None,
            "8x P100 (12 hours)",
            encoder_decoder_parameters(6, 512, vocabulary=37_000),
            None,
            "Vaswani et al. 2017, table 3",
            "6 + 6 blocks. Another slide of the lecture says 12 blocks and 6 heads; table and paper have 8 heads. "
            'The paper says "about 37000" tokens (section 5.1)',
        ),
        Model(
            "Transformer-Large",
            12,
            1024,
            16,
            213 * MILLION,
            None,
            "8x P100 (3.5 days)",
            encoder_decoder_parameters(6, 1024, vocabulary=37_000),
            None,
            "Vaswani et al. 2017, table 3",
            "6 + 6 blocks; the paper calls it big",
        ),
        Model(
            "BERT-Base",
            12,
            768,
            12,
            110 * MILLION,
            13,
            "",
            encoder_only_parameters(12, 768, vocabulary=30_522, longest=512),
            None,
            "Devlin et al. 2019, section 3",
            "4 Cloud TPUs (16 chips) for 4 days (appendix A.2)",
        ),
        Model(
            "BERT-Large",
            24,
            1024,
            16,
            340 * MILLION,
            13,
            "",
            encoder_only_parameters(24, 1024, vocabulary=30_522, longest=512),
            None,
            "Devlin et al. 2019, section 3",
            "340 is rounded: the released model has 335 million. 16 Cloud TPUs (64 chips) for 4 days (appendix A.2)",
        ),
        Model(
            "XLNet-Large",
            24,
            1024,
            16,
            340 * MILLION,
            126,
            "512x TPU-v3 (2.5 days)",
            24 * (block_parameters(1024) + 1024**2) + 32_000 * 1024,
            None,
            "Yang et al. 2019, section 3.1",
            'the lecture says "~340M", the size of BERT-Large, which the paper calls similar; but each block has one '
            "more map, for relative positions (Dai et al. 2019), which makes 360 million",
        ),
        Model(
            "RoBERTa",
            24,
            1024,
            16,
            355 * MILLION,
            160,
            "1024x V100 GPU (1 day)",
            encoder_only_parameters(24, 1024, vocabulary=50_265, longest=514, segments=1),
            None,
            "Liu et al. 2019, section 5",
            "512 places, and two that are never used",
        ),
        Model(
            "GPT-2",
            48,
            1600,
            None,
            1500 * MILLION,
            40,
            "",
            decoder_only_parameters(48, 1600, vocabulary=50_257, longest=1024),
            None,
            "Radford et al. 2019, table 2",
            "the paper says 1542 million, rounded down to 1.5 billion; the model that was released has 1558 million, "
            "as counted",
        ),
        Model(
            "Megatron-LM",
            72,
            3072,
            32,
            8300 * MILLION,
            174,
            "512x V100 GPU (9 days)",
            decoder_only_parameters(72, 3072, vocabulary=51_200, longest=1024),
            None,
            "Shoeybi et al. 2019, table 1",
            "GPT-2's vocabulary, filled up to 51200",
        ),
        Model(
            "Turing-NLG",
            78,
            4256,
            28,
            17 * BILLION,
            None,
            "256x V100 GPU",
            decoder_only_parameters(78, 4256, vocabulary=50_257, longest=1024),
            None,
            "Rosset 2020, Microsoft's blog",
            "vocabulary and longest text are GPT-2's, assumed: the blog does not say",
        ),
        Model(
            "GPT-3",
            96,
            12_288,
            96,
            175 * BILLION,
            694,
            "",
            decoder_only_parameters(96, 12_288, vocabulary=50_257, longest=2048),
            300 * BILLION,
            "Brown et al. 2020, tables 2.1 and D.1",
            "the paper has 174.6 billion in table D.1, as counted; of its text it says 570 GB for the largest part, "
            "filtered Common Crawl (section 2.2)",
        ),
        Model(
            "Gopher",
            80,
            16_384,
            128,
            280 * BILLION,
            10_550,
            "4096x TPUv3 (38 days)",
            decoder_only_parameters(80, 16_384, vocabulary=32_000, longest=0) + 80 * 16_384**2,
            300 * BILLION,
            "Rae et al. 2021, table 1 and section 3",
            "each block has one more map, for relative positions (Dai et al. 2019): without it the count is 8 % short. "
            "The paper rounds the text to 10.5 TB; the model read an eighth of it",
        ),
    ]
)
"""Transformers from 2017 to 2021, by name, smallest first within their kinds.

**Source:** Justin Johnson, "Deep Learning for Computer Vision", University of Michigan, lecture 17, slide "Scaling up
Transformers"; and each row's paper. The slide quotes 3,768,320 dollars for Gopher on Google Cloud ("eval price"): that
is `price(4096, 920, 1)`, 4096 chips for 920 hours at one dollar.
"""


class Translation(NamedTuple):
    """BLEU on newstest2014 and FLOPs of training, for both language pairs; None where the paper leaves a blank."""

    german: float | None
    french: float | None
    german_flops: float | None
    french_flops: float | None


TRANSLATIONS: dict[str, Translation] = Table({
    "ByteNet": Translation(23.75, None, None, None),
    "Deep-Att + PosUnk": Translation(None, 39.2, None, 1.0e20),
    "GNMT + RL": Translation(24.6, 39.92, 2.3e19, 1.4e20),
    "ConvS2S": Translation(25.16, 40.46, 9.6e18, 1.5e20),
    "MoE": Translation(26.03, 40.56, 2.0e19, 1.2e20),
    "Deep-Att + PosUnk Ensemble": Translation(None, 40.4, None, 8.0e20),
    "GNMT + RL Ensemble": Translation(26.30, 41.16, 1.8e20, 1.1e21),
    "ConvS2S Ensemble": Translation(26.36, 41.29, 7.7e19, 1.2e21),
    "Transformer (base model)": Translation(27.3, 38.1, 3.3e18, 3.3e18),
    "Transformer (big)": Translation(28.4, 41.8, 2.3e19, 2.3e19),
})
"""English to German and to French: quality against the cost of training.

**Source:** Vaswani et al. 2017, table 2; also in the lecture "Sequence to Sequence models: Attention Models" of CMU
11-785. The Transformer's rows have one number of FLOPs for both languages. Where the table says 41.8 the text of
section 6.1 says 41.0.
"""
