# %% [markdown]
# # Cost: what does attention cost, and against what?
#
# Every word looks at every word. A text twice as long asks four times as many questions. So why did the field leave
# the recurrent network, whose work only doubles? And how does one get from *layers* and *width* to 175 billion
# parameters and a bill of 3.77 million dollars? In this lesson everything is counted, then measured on your machine.
#
# **You will be able to** say which of four kinds of layers is cheapest for a given text, measure how a program's time
# grows, compute a model's parameters, its training's FLOPs and price with a pencil, and say when *not* to take a
# Transformer.
#
# The cells run for less than a minute on two cores. **You should know** self-attention (lesson 05), masks (06), the
# block (09), and what a GPT is (11).

# %%
from itertools import pairwise
from time import get_clock_info, perf_counter, process_time

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from attnlab import attend, costs, fit, window
from attnlab.costs import LAYERS, MODELS, TRANSLATIONS
from attnlab.exercises import check, hint
from attnlab.tasks.text import Text
from attnlab.training import Step
from attnlab.transformer import gpt, modern_gpt
from widgets import BleuAgainstFlopsExplorer, Chart, LayerCostsExplorer, Predict, PredictNumber, ReceptiveFieldExplorer
from widgets import ScalingFitExplorer, Table, Training, TrainingCostExplorer, bars, curve, figure

# %%
torch.set_num_threads(1)  # one thread, so that time is work
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess: which one has more to do?
#
# A sentence of 70 words, each a vector of 512 numbers. A **recurrent** layer takes one word after the other; its work
# grows with the length. **Self-attention** compares all pairs; its work grows with the length squared.

# %% tags=["hide-input"]
Predict(
    "Which of the two layers needs more multiplications for this sentence?",
    choices=[
        ("self-attention, by far", "70 × 70 pairs are not many. The recurrent layer multiplies every word with a "
                                   "matrix of 512 × 512, and that is the large number here."),
        ("about the same", "They meet when a text has half as many words as a vector has numbers: at 256. This "
                           "sentence is far shorter."),
        ("the recurrent layer", "It grows more slowly, but it starts higher: each word costs 512 × 512, while a pair "
                                "costs only twice 512. Squared loses to linear until the text is long."),
    ],
    answer="the recurrent layer",
    then=LayerCostsExplorer(),
)

# %% [markdown]
# **Try.**
#
# 1. **Drag tokens** to the right, and find where the curves of *self-attention* and *recurrent* cross: near half of
#    **width**. Change **width**: the crossing moves along.
# 2. **Neighbourhood**: *restricted* self-attention, in which a token may only look at its r nearest, is parallel to
#    the recurrent curve, and below it as long as r is less than half the width.
# 3. **What**: *all multiply-adds*. Self-attention has four maps (query, key, value, output) that look at one token
#    alone. The table in the paper leaves them out. In a short text they are nearly everything.
# 4. **What**: *steps that must wait*. Here the recurrent layer stands alone.
# 5. **What**: *numbers kept for training*. Here self-attention does.
#
# ## 2. By hand
#
# Three words, each a vector of two numbers. **Self-attention:** 3 × 3 pairs; for each, query · key is 2
# multiplications, and weight × value 2 more: 36. **Recurrent:** 3 words, each time a state of 2 numbers goes through
# a matrix of 2 × 2: 12. **Convolution** of 3 words: for each of 3 outputs three matrices of 2 × 2: 36. **Restricted**
# self-attention, in which a word sees its two neighbours and itself: 7 of the 9 pairs are left, 28.

# %%
def self_attention_by_hand(query, value):
    count = 0
    for q in query:
        scores = [0.0] * len(value)
        for i, key in enumerate(value):  # the keys are the values here
            for j in range(len(q)):
                scores[i] += q[j] * key[j]
                count += 1
            count += len(key)  # later: weight i × value i
    return count


assert self_attention_by_hand([[1, 2]] * 3, [[3, 4]] * 3) == 36
for name, layer in LAYERS.items():
    print(f"{name:21}{layer.cost(tokens=3, dim=2, kernel=3, neighbourhood=3).mixing:3}")

# %% [markdown]
# ## 3. The formulas
#
# This is table 1 of *Attention Is All You Need*, for a text of $n$ tokens with vectors of $d$ numbers:
#
# | layer | work per layer | steps that wait | longest path |
# |---|---|---|---|
# | self-attention | $O(n^2 \cdot d)$ | $O(1)$ | $O(1)$ |
# | recurrent | $O(n \cdot d^2)$ | $O(n)$ | $O(n)$ |
# | convolution | $O(k \cdot n \cdot d^2)$ | $O(1)$ | $O(\log_k n)$ |
# | restricted self-attention | $O(r \cdot n \cdot d)$ | $O(1)$ | $O(n/r)$ |
#
# | paper | here | what it is |
# |---|---|---|
# | $n$, $d$ | `tokens`, `dim` | length of the text, width of a vector |
# | $k$ | `kernel` | tokens that a convolution takes together |
# | $r$ | `neighbourhood` | tokens that restricted attention may look at |
# | sequential operations | `steps` | what cannot begin before something else is done |
# | maximum path length | `path` | layers or steps between the two tokens that are farthest apart |
#
# $O(\ldots)$ hides factors. Attention meets each pair twice (scores, context), so it has $2 n^2 d$. Work is counted
# in **multiply-adds**; a **FLOP** is a multiplication *or* an addition, so there are two FLOPs to each. And two rows
# need a footnote. $\log_k n$ holds for a convolution whose tokens stand ever farther apart from layer to layer
# (dilated); with neighbouring tokens it is $n/k$, as the paper says in its section 4. And in the recurrent row, only
# one of the two matrices of the layer is counted, the one that must wait. (An LSTM has four such pairs: *3x more
# matrix multiplications*, says CMU's lecture. That moves the line up and leaves its slope.)
#
# ## 4. In torch
#
# The parts in which tokens meet, without the maps. Restricted attention deserves care: with a mask it would compute
# all $n^2$ scores and throw most of them away. To save the work, gather the neighbours of each token first.

# %%
def self_attention(x):  # [tokens, dim]
    weights = (x @ x.T / x.shape[1] ** 0.5).softmax(dim=-1)  # [tokens, tokens]
    return weights @ x


def recurrent(x, U):
    states = [torch.zeros(1, x.shape[1])]
    for row in x.split(1):
        states.append(torch.tanh(row + states[-1] @ U))
    return torch.cat(states[1:])


def convolution(x, kernel):  # kernel: [dim, dim, k]
    return nn.functional.conv1d(x.T, kernel, padding="same").T

# %%
def restricted(query, key, value, radius):
    def near(x):  # [tokens, dim] -> [tokens, dim, neighbours]
        padded = nn.functional.pad(x, (0, 0, radius, radius))
        return padded.unfold(0, 2 * radius + 1, 1)

    scores = (query.unsqueeze(1) @ near(key)).squeeze(1) / query.shape[1] ** 0.5
    inside = near(torch.ones(len(key), 1)).squeeze(1) > 0  # False beyond the ends
    weights = scores.masked_fill(~inside, -torch.inf).softmax(dim=-1)  # [tokens, neighbours]
    return (near(value) @ weights.unsqueeze(2)).squeeze(2)

# %%
torch.manual_seed(0)
query, key, value = torch.randn(3, 50, 16)
band = attend(query, key, value, mask=window(50, radius=8)).context
assert torch.allclose(restricted(query, key, value, radius=8), band, atol=1e-5)
assert torch.allclose(self_attention(value), attend(value, value, value).context, atol=1e-5)

# %% [markdown]
# Does it really do less? torch can count the FLOPs of a function while it runs. They should be twice the multiply-adds
# of `attnlab.costs`.

# %%
from torch.utils.flop_counter import FlopCounterMode

dim = 64
U, kernel = torch.randn(dim, dim) / dim, torch.randn(dim, dim, 9) / dim

# %%
ways = {
    "self_attention": self_attention,
    "recurrent": lambda x: recurrent(x, U),
    "convolution": lambda x: convolution(x, kernel),
    "restricted_attention": lambda x: restricted(x, x, x, radius=8),
}
for name, way in ways.items():
    with FlopCounterMode(display=False) as counter:
        way(torch.randn(512, dim))
    expected = 2 * LAYERS[name].cost(512, dim, kernel=9, neighbourhood=17).mixing
    counted = counter.get_total_flops()
    print(f"{name:21}{counted:>12,} FLOPs, {counted / expected:.2f} times the formula")

# %% [markdown]
# The 1 % too many of restricted attention are the padding beyond both ends.
#
# ## 5. Who sees whom?
#
# Work is one side. The other is what one gets for it: how far apart two words may stand and still meet. In Johnson's
# lecture, after one recurrent layer *h_T sees the whole sequence*, after one of self-attention *each output sees all
# inputs*, and a convolution needs many layers. That can be measured as in lesson 09: move an input a little, see which
# outputs answer.

# %% tags=["hide-input"]
PredictNumber(
    "25 words. A convolution takes each word together with the two before it. How many such layers until the last "
    "output depends on the first word?",
    answer=12, unit="layers", close=0,
    why="Every layer reaches two words further back, and there are 24 to go. Step through the layers and watch the "
        "last row of the second panel fill.",
    then=ReceptiveFieldExplorer(),
)

# %% [markdown]
# **Try.**
#
# 1. **Layers**, one by one. *Self-attention* is full from the first, *restricted* is a band that widens by one on
#    each side, *convolution* by two on one side.
# 2. **Dilated**: three layers are enough, for $3^3 = 27$ is more than 25. This is the paper's $\log_k n$.
# 3. **Show** *how strongly*, layers back to 1. The recurrent panel was a full triangle. Now look at its lower left
#    corner: the last output does depend on the first word, but only in theory. Each of the steps between them has made
#    the effect smaller. A path of length $n$ is a path on which things get lost (lesson 01).
#
# Two remarks on the slide. Of a recurrent layer only the *last* output sees everything; self-attention does it for
# all. And *good at long sequences* carries a minus sign in its column for self-attention, where a plus is meant.

# %%
def layers_needed(tokens, kernel, dilated):
    path = costs.dilated_path if dilated else costs.contiguous_path
    return path(tokens, kernel)


for tokens in (25, 1000, 100_000):
    side_by_side, dilated = (layers_needed(tokens, 3, apart) for apart in (False, True))
    print(f"{tokens:6} words, kernel 3: {side_by_side:5} layers, dilated {dilated:2}")

# %% [markdown]
# ## 6. Measured
#
# Now with a clock. How does the time grow with the length? For a law like $t = c \cdot n^p$, both axes logarithmic
# give a straight line, and its **slope** is $p$: 1 for linear, 2 for squared. We take processor time, not wall time,
# and of several rounds the least: other programs can only make it longer. Vectors have 64 numbers here, the
# convolution takes 9 tokens together, restricted attention sees 17.

# %%
fine = get_clock_info("process_time").resolution < 1e-4  # not so on Windows
clock = process_time if fine else perf_counter

# %%
@torch.no_grad()
def seconds(way, longest, rounds=12, shortest=64):
    best = {}
    for _ in range(rounds):
        for n in (2**k for k in range(shortest.bit_length() - 1, longest.bit_length())):
            x = torch.randn(n, dim)
            repeats = max(1, int(0.001 / best[n])) if n in best else 1
            start = clock()
            for _ in range(repeats):
                way(x)
            best[n] = min(best.get(n, 60), (clock() - start) / repeats)
    return best

# %%
def fused(x):  # the same numbers, but the weights are never written down
    x = x[None, None]  # [batch, heads, tokens, dim]
    return scaled_dot_product_attention(x, x, x)[0, 0]


assert torch.allclose(fused(value), self_attention(value), atol=1e-5)

# %%
times = {
    "self-attention": seconds(fused, 2048),
    "recurrent": seconds(ways["recurrent"], 8192),
    "convolution": seconds(ways["convolution"], 8192),
    "restricted": seconds(ways["restricted_attention"], 8192),
    "weights written out": seconds(self_attention, 2048),
}
formulas = dict(zip(times, [2, 1, 1, 1, 2], strict=True))
slopes = ScalingFitExplorer(times, formulas)
slopes

# %%
for way, slope in zip(times, slopes.slopes.tolist(), strict=True):
    if way != "weights written out":
        print(f"{way:15} slope within 0.25 of its formula: {abs(slope - formulas[way]) < 0.25}")

# %% [markdown]
# **Try.** Drag **shortest text** to the left. The slopes sink: short texts cost about the same whatever their length,
# because a call has costs of its own. A formula with $O(\ldots)$ speaks of the right end of the picture only.
#
# And look at *weights written out*, which is `self_attention` from above, word by word as in the formula. Its slope
# may be **above 2**, although it does exactly $2 n^2 d$ multiply-adds. Something else must grow faster. Suspect:
# memory. Here is the time for $n$ tokens as a multiple of that for half as many, and beside it that of a program which
# computes nothing and only fills a matrix of $n \times n$.

# %%
def only_fill(x):
    return torch.empty(len(x), len(x)).fill_(1.0)


growth = {"only filling n × n": seconds(only_fill, 2048)}
growth |= {name: times[name] for name in ("weights written out", "self-attention")}
Chart(figure(
    *(curve([t[n] / t[n // 2] for n in list(t)[1:]], list(t)[1:], name, role, line_width=3)
      for (name, t), role in zip(growth.items(), ("query", "key", "context"), strict=True)),
    x="tokens", y="times as long as for half as many", xaxis_type="log", xaxis_tickvals=[128, 256, 512, 1024, 2048],
    height=300,
))

# %%
longer = times["weights written out"][2048] / times["self-attention"][2048]
print("2048 tokens: writing the weights out takes longer than not doing so:", longer > 1)

# %% [markdown]
# Four times as long is what the formula says. Where *weights written out* rises above 4, look at the program that
# only writes: it has left 4 as well, and goes higher. A matrix of 2048 × 2048 takes 16.8 MB, more than the fast
# memory beside a processor core holds, and everything has to travel. The **fused** kernel takes a few keys at a
# time, keeps a running maximum and sum for the softmax, and never writes a weight down (Dao et al. 2022,
# *FlashAttention*). It does the same arithmetic; it only moves less. It is what `MultiHeadAttention` uses while
# nobody watches its weights.
#
# ### Memory
#
# Training must keep what the way back needs. torch can tell what that is:

# %%
def kept(way, tokens):
    """Bytes that are kept for the gradients of one head of one text."""
    found = {}

    def keep(tensor):
        found[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    query, key, value = (torch.randn(1, 1, tokens, dim, requires_grad=True) for _ in range(3))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        context = way(query, key, value)
    found = {at: tensor.untyped_storage().nbytes() for at, tensor in found.items()}
    del context  # until here it has held what was kept
    return sum(found.values())

# %%
def written_out(query, key, value):
    return (query @ key.mT / dim**0.5).softmax(dim=-1) @ value


lengths = [256, 512, 1024, 2048]
both = {"written out": written_out, "fused": scaled_dot_product_attention}
memory = {name: [kept(way, n) / 1e6 for n in lengths] for name, way in both.items()}
for name, megabytes in memory.items():
    print(f"{name:12} twice the text keeps {megabytes[-1] / megabytes[-2]:.1f} times as much")
print("2048 tokens, written out: 16.8 MB for the weights alone:", memory["written out"][-1] > 16.7)
print("2048 tokens, fused: below 4 MB:", memory["fused"][-1] < 4)

# %%
Chart(figure(
    curve(memory["written out"], lengths, "written out", "key", line_width=3),
    curve(memory["fused"], lengths, "fused", "context", line_width=3),
    x="tokens", y="MB kept for training, one head", height=280,
))

# %% [markdown]
# That is one head of one layer of one text. With 12 layers of 12 heads it is 144 times as much. *Very memory
# intensive* is the only complaint in Johnson's comparison, and of programs that write the weights out it is true. The
# **time** of attention is quadratic to this day; its **memory** need not be.
#
# ### Steps that must wait
#
# A recurrent layer's work grows with the text, not with its square. What it cannot do is compute it *at once*: below,
# 512 vectors go through the same matrix, one after the other and then all together.

# %%
matrix, vectors = torch.randn(256, 256) / 16, torch.randn(512, 256)


def one_by_one(x):
    state = vectors[:1]
    for _ in range(512):
        state = state @ matrix


def together(x):
    return vectors @ matrix



# %%
wait, at_once = (seconds(way, 64)[64] for way in (one_by_one, together))
print("the same multiply-adds take at least 1.5 times as long if they must wait:", wait > 1.5 * at_once)
Chart(figure(bars([512 * 256 * 256 * 2 / t / 1e9 for t in (wait, at_once)], ["one by one", "all together"],
                  role="query", texttemplate="%{y:.0f}", textposition="outside"),
             y="billions of FLOPs a second", height=240))

# %% [markdown]
# And this is one thread of one processor. Every further core or device can help with *all together*, none with *one by
# one*; a large GPU has thousands of cores. This, and not the number of operations, is why the field moved: CMU's
# lecture asks *why so fast?* beside the table of section 8, and this is its answer.
#
# ## 7. What a model weighs, and what it costs
#
# A block has maps of $d \times d$ for query, key, value and output, and a feed-forward network of $d \times 4d$ and
# back. That makes $4 d^2 + 8 d^2$:
#
# $$N \approx 12 \cdot \text{layers} \cdot d^2 \quad (\text{and the token table: vocabulary} \cdot d)$$
#
# For each token, each weight is multiplied once and added once: $2 N$ FLOPs forward. The way back computes two
# gradients, of the weights and of what came in: $4 N$. So training on $D$ tokens takes
#
# $$C \approx 6 \, N D$$
#
# and, where tokens meet, $12 \cdot \text{layers} \cdot d \cdot n$ for each token of a text of $n$.
#
# Count along on a real GPT, small enough for one second. torch's counter agrees to the last FLOP:

# %%
from torch.nn.attention import SDPBackend, sdpa_kernel

layers, dim, context, batch = 2, 64, 64, 16
torch.manual_seed(0)
small = gpt(vocabulary=100, dim=dim, heads=4, layers=layers, longest=context)
text = torch.randint(100, (batch, context))
maps = sum(p.numel() for p in small.blocks.parameters() if p.ndim == 2) + 100 * dim
meeting = costs.attention_flops(layers, dim, context, tokens=batch * context)
run = costs.training_flops(maps, tokens=batch * context) + meeting
with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
    small(text).sum().backward()
assert counter.get_total_flops() == run
assert sum(p.numel() for p in small.parameters()) == costs.decoder_only_parameters(layers, dim, 100, context)
print(f"one step: {run:,} FLOPs, {meeting / run:.0%} of them where tokens meet")

# %% [markdown]
# Now the lecture's table *Scaling up Transformers*, with the count from layers and width beside what is stated. Press
# the head of a column to sort.

# %%
Table({
    "model": list(MODELS),
    "layers": [model.layers for model in MODELS.values()],
    "width": [model.dim for model in MODELS.values()],
    "heads": [model.heads or "?" for model in MODELS.values()],
    "stated, million": [model.stated // 10**6 for model in MODELS.values()],
    "counted, million": [round(model.counted / 1e6) for model in MODELS.values()],
    "off by %": [round(100 * model.error, 1) for model in MODELS.values()],
    "text, GB": [model.gigabytes or "?" for model in MODELS.values()],
    "hardware": [model.hardware or "?" for model in MODELS.values()],
}, title="Scaling up Transformers")

# %%
off = {name: model for name, model in MODELS.items() if abs(model.error) > 0.03}
print(f"within 3 %: {len(MODELS) - len(off)} of {len(MODELS)}")
for name, model in off.items():
    print(f"\n{name}, {100 * model.error:+.1f} %: {model.note}")

# %% [markdown]
# What the count needs beside layers and width is said in `attnlab.costs`: a vocabulary (the output map is the token
# table once more, *tied*, so it counts once), learned positions or not, and in XLNet and Gopher one more map a block.
# The first two rows are 6 + 6 blocks; those of the decoder look at a source as well and have $16 d^2$.

# %% tags=["hide-input"]
Predict(
    "You may double one of these: layers, width, heads, the longest text. Which makes the model about four times as "
    "heavy?",
    choices=[
        ("layers", "Twice the blocks are twice the parameters."),
        ("width", "All maps of a block are width × width, and doubling both sides makes them four times as large."),
        ("heads", "They share the width: twice as many, each half as wide. Not one parameter more."),
        ("the longest text", "Attention has no parameter for a pair of places. Only the table of positions grows, "
                             "which is small."),
    ],
    answer="width",
    then=TrainingCostExplorer(),
)

# %% [markdown]
# **Try.** It opens with the size of the smallest GPT-2: 12 blocks of width 768.
#
# 1. **Layers** 96, **width** 12288, **heads** 96: you have built GPT-3, and stand on its dot. It was trained on 300
#    billion tokens, 1.7 for each parameter: set *tokens a parameter*, under *more*, to 1.5. Hoffmann and colleagues
#    found in 2022 that the same FLOPs buy more from a smaller model with about 20 tokens for each (*Chinchilla*).
# 2. **Heads** 1 to 128: no parameter more or less. But the weights of one text, if they are written out, grow.
# 3. **Width** 256, **layers** 2: nearly all of the model is its token table. That is why BERT's small sisters, and the
#    models of your own lessons, look larger than they are.
# 4. *Tokens in a text* from 1024 to 32768, with GPT-3's size and then with yours: in which of them does the quadratic
#    part matter? The wider a model, the less: what happens where tokens meet is $n / (6 d)$ of the maps' work.
#
# ### The bill
#
# The lecture's slide prices Gopher's training at 3,768,320 dollars of Google's cloud. That is 4096 chips (TPU v3) for
# 920 hours at one dollar, a reduced price for evaluation. Together with $6 N D$ one learns how hard the chips worked.

# %%
gopher, gpt3 = MODELS["Gopher"], MODELS["GPT-3"]
print(f"price: {costs.price(4096, 920, 1):,.0f} dollars")
flops = costs.training_flops(gopher.stated, gopher.tokens)
print(f"6 N D: {flops:.1e} FLOPs")
print(f"a chip did {flops / (4096 * 920 * 3600) / 1e12:.0f} TFLOPS, of 123 at best")
flops_3 = costs.training_flops(gpt3.counted, gpt3.tokens)
print(f"GPT-3, 6 N D: {flops_3:.2e} FLOPs (its paper: 3.14e+23)")
assert abs(flops_3 / 3.14e23 - 1) < 0.01

# %% [markdown]
# That is 30 %. (Chowdhery and colleagues, who count attention too, give Gopher 33 %, GPT-3 21 % and their own model
# 46 %.) So the calculator begins with 37 TFLOP/s at one dollar an hour: Gopher's. Set it to what you would rent.
#
# And **you**? A short training of the small GPT, timed on this machine:

# %%
training = fit(small, lambda g: nn.functional.cross_entropy(
    small(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()), steps=30)
laps = [clock()] + [clock() for _ in training]
step = min(after - before for before, after in pairwise(laps))
mine = run / step  # FLOPs a second
years = {name: cost / mine / 3600 / 24 / 365.25 for name, cost in {
    "small GPT, 500 steps": 500 * run, "Transformer, base": 3.3e18, "Transformer, big": 2.3e19,
    "GPT-3": flops_3, "Gopher": flops}.items()}
print("GPT-3 on this thread would take more than a thousand years:", years["GPT-3"] > 1000)
Chart(figure(bars([365.25 * 24 * 3600 * y for y in years.values()], list(years), role="query",
                  customdata=list(years.values()), hovertemplate="%{x}: %{customdata:.3g} years"),
             y="seconds on one thread of this machine", yaxis_type="log", yaxis_exponentformat="power",
             yaxis_dtick=3, height=300))

# %% [markdown]
# One year has $3 \cdot 10^7$ seconds, so everything above $10^9$ is for your grandchildren.
#
# **What must fit into the machine while it trains?** With Adam four numbers for each parameter: itself, its gradient,
# and two running averages. In 32 bit that is 16 bytes, before a single token is read.

# %%
adam = torch.optim.AdamW(small.parameters())
small(text).sum().backward()
adam.step()
tensors = [p for p in small.parameters()] + [p.grad for p in small.parameters()]
tensors += [kept for state in adam.state.values() for name, kept in state.items() if name != "step"]
parameters = sum(p.numel() for p in small.parameters())
print(f"{sum(t.nbytes for t in tensors) / parameters:.0f} bytes a parameter")
print(f"GPT-3: {16 * gpt3.counted / 1e12:.1f} TB")

# %% [markdown]
# ## 8. Was it worth it?
#
# Table 2 of the paper: quality of translation against the cost of training, English to German and to French, as far
# as the table has both numbers. High and left is good. Look at **both** languages.

# %%
BleuAgainstFlopsExplorer()

# %%
base, ensemble = TRANSLATIONS["Transformer (base model)"], TRANSLATIONS["ConvS2S Ensemble"]
print(f"German: {base.german} against {ensemble.german} of the best ensemble before, "
      f"for 1/{ensemble.german_flops / base.german_flops:.0f} of the FLOPs")
print(f"French: {base.french}; below every other row:",
      all(base.french < row.french for row in TRANSLATIONS.values() if row.french and row is not base))

# %%
needed = costs.training_flops(MODELS["Transformer-Base"].counted, tokens=100_000 * 25_000)
print(f"the table:                          {base.german_flops:.1e} FLOPs")
print(f"8 GPUs for 12 hours at 9.5 TFLOPS:  {costs.hardware_flops(8, 12, 9.5e12):.1e}")
print(f"6 N D:                              {needed:.1e}, {needed / base.german_flops:.0%} of it")

# %% [markdown]
# Into German, the base model beats every ensemble before it at a small fraction of the cost. Into French it does not:
# it is the *lowest* row, and only the big model wins. (By how much depends on where you read: 41.8 in the table, 41.0
# in the text of section 6.1, which is below two ensembles.) Note also what these FLOPs are. The authors multiplied
# hours by what they estimate a GPU to sustain. $6 N D$, with 100,000 steps of about 25,000 tokens on either side,
# comes to less than a third of that. Ask how a FLOP was counted before you compare two.
#
# ## 9. When *not* to take a Transformer
#
# CMU's lecture ends with two caveats: not all Transformers are the same, and they are *not always the right choice*:
# they often need more parameters than an LSTM for the same quality, and they are tricky on small hardware. Let us
# look for such cases.
#
# **A state that must be kept.** A light switch: 1 means it is pressed, 0 that it is not. After each time step, is the
# light on? A recurrent network with 1,700 parameters against a GPT with fifteen times as many, trained on 16 time
# steps, then asked about 16 and about 64.

# %%
class Recurrent(nn.Module):
    def __init__(self, vocabulary, dim):
        super().__init__()
        self.embedding, self.out = nn.Embedding(vocabulary, dim), nn.Linear(dim, vocabulary)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, tokens):  # [batch, tokens] -> [batch, tokens, vocabulary]
        return self.out(self.gru(self.embedding(tokens))[0])


def switch(count, length, generator):
    pressed = torch.randint(2, (count, length), generator=generator)
    return pressed, pressed.cumsum(dim=1) % 2  # is the light on?

# %%
makers = {"GRU": lambda: Recurrent(2, 16), "GPT": lambda: modern_gpt(2, 32, heads=4, layers=2, longest=64)}
rates = {"GRU": 1.5e-2, "GPT": 3e-3}


def train(name, seed, steps=120):
    torch.manual_seed(seed)
    model = makers[name]()

    def loss(generator):
        pressed, light = switch(32, 16, generator)
        return nn.functional.cross_entropy(model(pressed).flatten(0, 1), light.flatten())

    return model, fit(model, loss, steps, rates[name], seed)

# %%
@torch.no_grad()
def right(model, length):  # the share of right answers in the second half
    pressed, light = switch(200, length, torch.Generator().manual_seed(7))
    return (model(pressed).argmax(dim=-1) == light)[:, length // 2:].float().mean().item()


def start():  # Reset calls it again
    runs = {name: train(name, seed=0) for name in makers}
    models.update({name: model for name, (model, _) in runs.items()})
    for steps in zip(*(run for _, run in runs.values()), strict=True):
        at = steps[0].step
        metrics = {f"{name}, {n} steps": right(model, n) for name, model in models.items()
                   for n in (16, 64)} if at % 15 == 0 else {}
        yield Step(at, sum(one.loss for one in steps) / 2, metrics, last=at == 120)

# %%
models = {}
names = [f"{name}, {n} steps" for name in makers for n in (16, 64)]
lamp = Training(start, steps=120, seconds=3, name="light switch", metrics=names)

# %% tags=["hide-input"]
Predict(
    "Both see the same 120 batches of 16 time steps. Who will know whether the light is on after 64?",
    choices=[
        ("both", "The GPT will not even know after 16. Start the training and see."),
        ("only the GPT", "It has fifteen times the parameters, and looks at every press directly. But to look is not "
                         "to count: an average over 64 presses hardly changes with one more."),
        ("only the GRU", "It has to learn one rule, flip when pressed, and the rule does not know how long the stream "
                         "is. The GPT has to learn the answer for every length anew."),
        ("neither", "Then the rule would have to be hard to find. It is one bit of state, and a recurrent network "
                    "carries a state anyway."),
    ],
    answer="only the GRU",
    then=lamp,
)

# %% [markdown]
# Guess, then press **Start**. The curves show right answers; one half is guessing.

# %%
lamp.run()
found = {name: [right(models[name], 64)] for name in makers}
for name in makers:
    for seed in (1, 2):
        model, steps = train(name, seed)
        for _ in steps:
            pass
        found[name].append(right(model, 64))

Table({
    "model": list(found),
    "parameters": [sum(p.numel() for p in models[name].parameters()) for name in found],
    "right after 64 steps, three seeds": list(found.values()),
}, title="The light switch, after 120 training steps", roles={"right after 64 steps, three seeds": "context"})

# %%
print("the GRU is right on more than 99 %, every seed: ", min(found["GRU"]) > 0.99)
print("the GPT is right on less than 60 %, every seed: ", max(found["GPT"]) < 0.6)

# %% [markdown]
# One bit of state, and attention guesses. The GRU flips a bit. The GPT has to tell from all presses so far whether
# they are odd or even, in a fixed number of layers, and a softmax averages: the longer the text, the less a single
# press weighs (Hahn 2020). With ten times the training it gets 16 time steps right, but 64 stay a guess: try `steps`.
# **A running state is the home game of recurrence.**
#
# **A small data set.** 3,000 letters of the Python reference, about a page. A GRU of width 64, and a GPT with one
# block of that width, which has half as many parameters again; 100 steps each. What counts is the loss on unseen text.

# %%
def read(make, seed, text):
    torch.manual_seed(seed)
    model, losses = make(len(text.vocabulary)), []
    held_out, target = text.test(64, most=160)

    def loss(generator):
        seen, following = text.batch(16, 64, generator)
        return nn.functional.cross_entropy(model(seen).flatten(0, 1), following.flatten())

    for step in fit(model, loss, 100, 6e-3, seed):
        if step.step % 20 == 0:
            with torch.no_grad():
                logits = model(held_out).flatten(0, 1)
            losses.append(nn.functional.cross_entropy(logits, target.flatten()).item())
    return losses

# %%
from attnlab.tasks.text import reference_topics

training_text, held_out_text = reference_topics()
page = Text(training_text[:3000], held_out_text[:10_500])
readers = {"GRU": lambda size: Recurrent(size, 64), "GPT": lambda size: gpt(size, 64, 4, layers=1, longest=64)}
pages = {name: [read(make, seed, page) for seed in (0, 1)] for name, make in readers.items()}
worst, best = max(losses[-1] for losses in pages["GRU"]), min(losses[-1] for losses in pages["GPT"])
print("each GRU ends below each GPT:", worst < best)
Chart(figure(*(curve(one, range(20, 101, 20), f"{name}, seed {seed}", role, line_width=3)
               for (name, both), role in zip(pages.items(), ("query", "context"), strict=True)
               for seed, one in enumerate(both)),
             x="training step", y="loss on unseen text", height=300))

# %% [markdown]
# A recurrent network is *built* to believe that the last letters matter most. A Transformer has to find that out, and
# a page is little to learn it from. Do not read more into it: put `modern_gpt`, lesson 11's recipe, in the place of
# `gpt`, and most of the gap closes; give both 30,000 letters and twice the steps, and they are level.
#
# **A short input.** One pass over one text: two GRU layers against one block, each with 198,000 parameters.

# %%
from attnlab import MultiHeadAttention
from attnlab.blocks import EncoderBlock, FeedForward

dim = 128
block = EncoderBlock(MultiHeadAttention(dim, heads=4), FeedForward(dim, 4 * dim))
gru = nn.GRU(dim, dim, num_layers=2, batch_first=True)
passes = {name: seconds(lambda x, layer=layer: layer(x[None]), 512, shortest=1)
          for name, layer in {"two GRU layers": gru, "one block": block}.items()}
times_faster = passes["two GRU layers"][128] / passes["one block"][128]
print("128 tokens: the block is at least 1.5 times as fast:", times_faster > 1.5)

# %%
Chart(figure(*(curve([1e3 * t for t in found.values()], list(found), name, role, line_width=3)
               for (name, found), role in zip(passes.items(), ("query", "context"), strict=True)),
             x="tokens", y="milliseconds", xaxis_type="log", yaxis_type="log", yaxis_dtick=1,
             xaxis_tickvals=[1, 4, 16, 64, 256], height=280))

# %% [markdown]
# For a handful of tokens there is nothing to gain: few steps have to wait. From a few dozen on the block pulls away.
#
# **A stream.** A recurrent network that listens for a year has the same state as after a second. A Transformer that
# writes keeps a key and a value of each token in each layer: the **cache** of lesson 11.

# %% tags=["hide-input"]
PredictNumber(
    "GPT-3 has 96 layers of width 12288. Its numbers take 16 bit each. How many GB does its cache need for one text "
    "of 2048 tokens?",
    answer=lambda: costs.cache_bytes(96, 12_288, 2048) / 1e9, unit="GB", close=3,
    why="2 (key and value) × 96 layers × 12288 numbers × 2 bytes are 4.7 MB for each token: a million times what its "
        "letters take. A hundred readers at once need a terabyte.",
)

# %%
layers, dim, heads = 2, 64, 4
torch.manual_seed(0)
writer = gpt(100, dim, heads, layers, longest=1024)
caches, room = writer.caches(), {}
nothing = torch.zeros(1, heads, 0, dim // heads)
with torch.no_grad():
    for tokens in range(128, 1025, 128):
        writer(torch.randint(100, (1, 128)), caches)
        room[tokens] = sum(part.nbytes for cache in caches for part in cache.extend(nothing, nothing))
state = nn.GRU(dim, dim, num_layers=layers, batch_first=True)(torch.randn(1, 1024, dim))[1]
assert room[1024] == costs.cache_bytes(layers, dim, 1024, bytes_each=4)
print(f"after 1024 tokens: state {state.nbytes} bytes, cache {room[1024]} bytes")
Chart(figure(curve(list(room.values()), list(room), "cache of keys and values", "key", line_width=3),
             curve([state.nbytes] * 8, list(room), "state of a recurrent network", "query", line_width=3),
             x="tokens read", y="bytes", height=260))

# %% [markdown]
# **Writing is another bill.** Each new token takes $2 N$ FLOPs, which is little. But *all* weights have to come from
# memory for it: with GPT-3 in 16 bit, 350 GB for each token. One reader leaves the arithmetic waiting for the memory.
# Below, one matrix of a model, and 1 to 64 readers whose next tokens are computed together:

# %%
dim = 2048
weights = torch.randn(dim, 2 * dim) / dim**0.5  # 33.6 MB
readers = seconds(lambda x: x @ weights, longest=64, shortest=1)
print("16 readers at once take less than 8 times as long as one:", readers[16] < 8 * readers[1])
Chart(figure(curve([1e3 * t / n for n, t in readers.items()], list(readers), "one matrix", "query", line_width=3),
             x="readers at once", y="milliseconds for each reader", xaxis_type="log",
             xaxis_tickvals=list(readers), height=260))

# %% [markdown]
# That is why services write for many readers at once. And each reader brings a cache, which nobody else can use; so
# today one shrinks it: fewer keys than queries (*grouped* heads), windows, 8 bit.
#
# | take | when |
# |---|---|
# | a Transformer | much data, much hardware, texts of hundreds to thousands of tokens, far relations |
# | a recurrent network | an endless stream, a running state, a chip with kilobytes, little data |
# | a convolution | what matters stands near: sound, pictures, signals |
# | restricted attention | very long texts whose far relations can take several layers |
# | somebody else's trained model | nearly always, before you train your own (lesson 16) |
#
# ## 10. Exercises
#
# Replace the dots and run the cell; `check` names the mistake. All arguments are tensors of whole numbers, one entry
# for each model, so that one call fills a column of a table.
#
# **12.parameters.** A GPT: token table and learned positions, blocks with attention and feed-forward (4 dim), two
# norms each, a last norm, biases everywhere, the output tied.

# %%
def parameters(layers, dim, vocabulary, longest):
    ...


check("12.parameters", parameters)

# %%
hint("12.parameters")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def parameters(layers, dim, vocabulary, longest):
#     attention = 4 * (dim * dim + dim)
#     feed_forward = (4 * dim * dim + 4 * dim) + (4 * dim * dim + dim)
#     norm = 2 * dim
#     return (vocabulary + longest) * dim + layers * (attention + feed_forward + 2 * norm) + norm
# ```
# </details>
#
# **12.flops.** The FLOPs of training that GPT on `tokens` tokens in sequences of `context`: all maps, the output's
# too, and where tokens meet. Leave out biases and norms.

# %%
def flops(layers, dim, vocabulary, context, tokens):
    ...


check("12.flops", flops)

# %%
hint("12.flops")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def flops(layers, dim, vocabulary, context, tokens):
#     maps = 6 * (12 * layers * dim**2 + vocabulary * dim) * tokens
#     attention = 12 * layers * dim * context * tokens
#     return maps + attention
# ```
# </details>
#
# **12.cache.** The bytes that a writing model keeps for `batch` texts of `tokens` tokens.

# %%
def cache(layers, dim, tokens, batch, bytes_each):
    ...


check("12.cache", cache)

# %%
hint("12.cache")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def cache(layers, dim, tokens, batch, bytes_each):
#     return 2 * layers * dim * tokens * batch * bytes_each
# ```
# </details>
#
# ## 11. What you have, and what comes
#
# | you want | count |
# |---|---|
# | parameters | $12 \cdot \text{layers} \cdot d^2$, and vocabulary $\cdot\, d$ |
# | FLOPs of a training | $6 N D$ |
# | FLOPs of a written token | $2 N$ |
# | when the quadratic part matters | $n$ near $6 d$ and beyond |
# | memory of a training | 16 bytes a parameter, and the activations |
# | memory of a writer | $2 \cdot \text{layers} \cdot d \cdot n$ numbers for each text |
#
# Attention costs pairs, and buys a path of length one and work that need not wait. Where is that worth most? A picture
# of 1000 × 1000 pixels has a million "words", and so $10^{12}$ pairs. The next lesson, *seeing*, asks how attention
# can look at pictures all the same.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: tables 1 and 2, sections 4, 5.1 and 5.2,
# footnote 5. J. Johnson's lecture on attention (University of Michigan): the three ways to process sequences,
# *Scaling up Transformers* and the price of Gopher. The ECNU lecture shows table 1; CMU's (11-785) table 2, *why
# so fast?* and the caveats. J. Kaplan et al., *Scaling Laws for Neural Language Models*, 2020: 6 N D. J. Hoffmann
# et al., *Training Compute-Optimal Large Language Models*, 2022. J. Rae et al., *Scaling Language Models: Methods,
# Analysis & Insights from Training Gopher*, 2021. T. Brown et al., *Language Models are Few-Shot Learners*, 2020:
# table D.1. A. Chowdhery et al., *PaLM: Scaling Language Modeling with Pathways*, 2022: table 3 and appendix B. N.
# Jouppi et al., *A Domain-Specific Supercomputer for Training Deep Neural Networks*, 2020: 123 TFLOPS of a TPU v3.
# T. Dao et al., *FlashAttention*, 2022. I. Beltagy, M. Peters, A. Cohan, *Longformer*, 2020: windows. M. Hahn,
# *Theoretical Limitations of Self-Attention in Neural Sequence Models*, 2020. The papers of the other models stand
# in `attnlab.costs.MODELS`. All measurements are ours.
