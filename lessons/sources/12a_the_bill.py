# %% [markdown]
# # The bill: what does a whole model cost?
#
# How does one get from *layers* and *width* to the 175 billion parameters of GPT-3, and to the bill of another model,
# Gopher: 3.77 million dollars? With a pencil. Two short formulas tell what a model weighs, mostly within a few per cent
# of what its makers report, and roughly how much its training computes; a third says what has to fit into the machine.
#
# **You will be able to** compute a model's parameters, its training's FLOPs, days and dollars, and tell whether a
# reported training is possible.
#
# **You should know** the block (lesson 09), what a GPT is (11), and what a layer costs (12).

# %%
from textwrap import fill

import torch
from torch.nn.functional import cross_entropy

from attnlab import costs
from attnlab.analysis import flops, seconds
from attnlab.costs import MODELS
from attnlab.exercises import check, hint
from attnlab.transformer import gpt
from widgets import ModelSizeExplorer, Table, TrainingBillExplorer, guess

torch.set_num_threads(1)

# %% tags=["hide-input"]
guess("12a.double", then=ModelSizeExplorer())

# %% [markdown]
# ## 1. What a model weighs
#
# **Try.** The picture opens with the size of the smallest GPT-2: 12 blocks of width 768. Blue dots are models that were
# built; point at one for its name.
#
# 1. **Layers** 96 and **width** 12288: you have built GPT-3, and stand on its dot.
# 2. **Heads** 1 to 128: how many parameters more? The weights of one text, if they are written out, do grow.
# 3. **Width** 256, **layers** 2: its token table makes up seven eighths of the model. Pull **vocabulary** down to 2.
# 4. **Tokens in a text** from 1024 to 32768, once with GPT-3's size and once with width 768: where does the part in
#    which tokens meet matter? It is $n / (6 d)$ of the blocks' maps: the wider a model, the less.
#
# ### By hand
#
# A block has maps of $d \times d$ for query, key, value and output, and a feed-forward network from $d$ to $4d$ numbers
# and back. That makes $4 d^2 + 8 d^2$ weights:
#
# $$N \approx 12 \cdot \text{layers} \cdot d^2 \quad (\text{and the token table: vocabulary} \cdot d)$$
#
# GPT-3: $12 \cdot 96 \cdot 12288^2$ are 174 billion. Biases and norms are left out, $13 d$ beside $12 d^2$ in each
# block: next to nothing in a wide model, nearly two per cent at width 64. Count them all:
#
# **12.parameters.** The parameters of a GPT: token table and `longest` learned positions, blocks with attention and
# feed-forward network (4 dim), two norms each (gain and shift), a last norm, biases in all maps of the blocks. The
# output map is the token table once more (*tied*). All arguments are tensors of whole numbers, one entry for each
# model, so that one call fills a column of a table.

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
# ## 2. What was built
#
# Johnson's lecture has a table *Scaling up Transformers*. Here it is, with the count from layers and width beside what
# is stated. Press the head of a column to sort: which rows are off?

# %%
Table({
    "model": list(MODELS),
    "layers": [model.layers for model in MODELS.values()],
    "width": [model.dim for model in MODELS.values()],
    "stated, million": [model.stated // 10**6 for model in MODELS.values()],
    "counted, million": [round(model.counted / 1e6) for model in MODELS.values()],
    "off by %": [round(100 * model.error, 1) for model in MODELS.values()],
    "hardware": [model.hardware or "?" for model in MODELS.values()],
}, title="Scaling up Transformers")

# %%
off = {name: model for name, model in MODELS.items() if abs(model.error) > 0.03}
print(f"within 3 %: {len(MODELS) - len(off)} of {len(MODELS)}")
for name, model in off.items():
    print(fill(f"{name}, {100 * model.error:+.1f} %: {model.note}", 96, subsequent_indent="    "))

# %% [markdown]
# What the count needs beside layers and width (vocabulary, learned positions or none, one more map in each block of
# XLNet and Gopher) is in `attnlab.costs`. The first two rows are 6 + 6 blocks; those of the decoder look at a source as
# well and have $16 d^2$.
#
# ## 3. What its training costs
#
# For each token, each weight of a map is multiplied once and added once: $2 N$ FLOPs forward. The backward pass
# computes two gradients, of the weights and of what came in: $4 N$. So training on $D$ tokens takes
#
# $$C \approx 6 \, N D$$
#
# and, where tokens meet, $12 \cdot \text{layers} \cdot d \cdot n$ more for each token of a text of $n$. Here is a real
# GPT, small enough to count in a second. Torch counts the FLOPs of one step, forward and back:

# %%
layers, dim, context, batch = 2, 64, 64, 16
torch.manual_seed(0)
small = gpt(vocabulary=100, dim=dim, heads=4, layers=layers, longest=context)
text = torch.randint(100, (batch, context))
counted = flops(lambda text: small(text).sum().backward(), text)

maps = sum(p.numel() for p in small.blocks.parameters() if p.ndim == 2) + 100 * dim  # and the output map
meeting = costs.attention_flops(layers, dim, context, tokens=batch * context)
print(f"counted {counted:,} FLOPs; 6 N D {6 * maps * batch * context:,}; where tokens meet {meeting:,}")
assert counted == 6 * maps * batch * context + meeting

# %% [markdown]
# They agree to the last FLOP. Now for all models at once:
#
# **12.flops.** The FLOPs of training the GPT of 12.parameters on `tokens` tokens in sequences of `context`: all maps,
# the output's too, and where tokens meet. Leave out biases and norms. All arguments are tensors again.

# %%
def training_flops(layers, dim, vocabulary, context, tokens):
    ...


check("12.flops", training_flops)

# %%
hint("12.flops")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def training_flops(layers, dim, vocabulary, context, tokens):
#     maps = 6 * (12 * layers * dim**2 + vocabulary * dim) * tokens
#     attention = 12 * layers * dim * context * tokens
#     return maps + attention
# ```
# </details>
#
# ## 4. What does that cost?
#
# The lecture's slide prices Gopher's training at 3,768,320 dollars of Google's cloud. That is 4096 chips (TPU v3) for
# 920 hours, at one dollar an hour each (the slide says: *eval price*). Together with $6 N D$ it tells how hard the
# chips worked, in TFLOP/s, $10^{12}$ FLOPs a second.

# %%
gopher, gpt3 = MODELS["Gopher"], MODELS["GPT-3"]
print(f"price: {costs.price(4096, 920, 1):,.0f} dollars")
bill = costs.training_flops(gopher.stated, gopher.tokens)
print(f"6 N D: {bill:.1e} FLOPs")
print(f"a chip did {bill / (4096 * 920 * 3600) / 1e12:.0f} TFLOP/s, of 123 at best")
print(f"GPT-3, 6 N D: {costs.training_flops(gpt3.counted, gpt3.tokens):.2e} FLOPs (its paper: 3.14e+23)")

# %% [markdown]
# 37 of 123 are 30 %. (Chowdhery and colleagues, who count attention too, give Gopher 33 %, GPT-3 21 % and their own
# model 46 %.) So the calculator below begins with 37 TFLOP/s at one dollar an hour: Gopher's. Gopher and GPT-3 were
# both trained on 300 billion tokens, fewer than two for each parameter. Hoffmann and colleagues found in 2022 that the
# same FLOPs buy more from a smaller model with about 20 tokens a parameter (*Chinchilla*).

# %% tags=["hide-input"]
guess("12a.bill", then=TrainingBillExplorer())

# %% [markdown]
# **Try.** Move **parameters** along the line. Set **tokens a parameter** to 1.5: now the line runs between GPT-3 and
# Gopher. **Devices** change the days, not the dollars, as long as each still does its 37 TFLOP/s; waiting for one
# another is not in this bill, and neither are the trainings that failed, the people, and the data.
#
# And **you**? One training step of the small GPT is timed on this machine. At that speed, on one thread, GPT-3 would
# take:

# %%
@torch.enable_grad()  # which `seconds` switches off
def step(text):
    small.zero_grad()
    cross_entropy(small(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()).backward()


taken = seconds({"step": step}, [text])["step"][batch]
years = costs.training_flops(gpt3.counted, gpt3.tokens) / (counted / taken) / 3600 / 24 / 365
Table({"a training": ["GPT-3"], "years, roughly": [float(f"{years:.1g}")]})

# %% [markdown]
# ## 5. What must fit into the machine
#
# With Adam, training keeps four numbers for each parameter: itself, its gradient, and two running averages. In 32 bit
# that is 16 bytes, before a single token is read. (What the text adds for the backward pass comes on top: lesson 12.)

# %%
adam = torch.optim.AdamW(small.parameters())
step(text)
adam.step()
kept = [kept for state in adam.state.values() for name, kept in state.items() if name != "step"]
tensors = [*small.parameters(), *(p.grad for p in small.parameters()), *kept]
count = sum(p.numel() for p in small.parameters())
print(f"{sum(t.nbytes for t in tensors) / count:.0f} bytes a parameter;",
      f"GPT-3: {16 * gpt3.counted / 1e12:.1f} TB")

# %% [markdown]
# <details><summary>Think first, then unfold: a paper says that its model of 70 billion parameters was trained on 1.4
# trillion tokens by 512 GPUs in ten days. Each GPU can do 312 TFLOP/s at best. Do you believe it?</summary>
#
# 6 N D is 5.9e23 FLOPs. 512 GPUs have 4.4e8 seconds in ten days, so each would have done 1300 TFLOP/s, four times what
# it can do. Either there were more GPUs, or more days, or fewer tokens.
# </details>
#
# ## 6. What you have, and what comes
#
# | you want | count |
# |---|---|
# | parameters | $12 \cdot \text{layers} \cdot d^2$, and vocabulary $\cdot\, d$ |
# | FLOPs of a training | $6 N D$ |
# | when the quadratic part matters | $n$ near $6 d$ and beyond |
# | memory of a training | 16 bytes a parameter, and what is kept for the backward pass |
#
# The bill is paid. Was it worth it, and when is something else the better choice? **[12b](12b_when_not.ipynb)**.
#
# **Sources.** J. Johnson's lecture on attention (University of Michigan): *Scaling up Transformers* and the price of
# Gopher. J. Kaplan et al., *Scaling Laws for Neural Language Models*, 2020: 6 N D. J. Hoffmann et al., *Training
# Compute-Optimal Large Language Models*, 2022. J. Rae et al., *Scaling Language Models: Methods, Analysis & Insights
# from Training Gopher*, 2021. T. Brown et al., *Language Models are Few-Shot Learners*, 2020: table D.1. A. Chowdhery
# et al., *PaLM: Scaling Language Modeling with Pathways*, 2022: table 3 and appendix B. N. Jouppi et al., *A
# Domain-Specific Supercomputer for Training Deep Neural Networks*, 2020: 123 TFLOP/s of a TPU v3. The papers of the
# other models stand in `attnlab.costs.MODELS`. All measurements are ours.
