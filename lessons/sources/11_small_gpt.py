# %% [markdown]
# # A small GPT: can we build a GPT that writes?
#
# Take one stack of blocks, put a causal mask on it, and ask it one question again and again: *what comes next?* That
# is all a GPT is. Here you write one in forty lines, train it in front of your eyes from noise to words, look into
# its heads while it writes, and catch the small machine inside that copies.
#
# **You will be able to** build and train a GPT, say from its first loss whether it was built right, choose
# temperature, top-k and top-p knowing what they cut, explain why writing needs a cache, find an induction head by
# measurement, and doubt a model that seems to learn from examples.
#
# The cells run for less than a minute on two cores. **You should know** causal masks (lesson 06), rotary positions
# (07) and the block (09).

# %%
import re
import string
import time
from functools import partial
from math import log

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

from attnlab import MultiHeadAttention, causal, fit, measured, trained, write
from attnlab.blocks import AttentionBlock, EncoderBlock, FeedForward
from attnlab.decoding import draw, most_probable, temperature, top_k, top_p
from attnlab.decoding import with_cache, without_cache
from attnlab.exercises import check, hint

# %%
from attnlab.analysis.head_patterns import without
from attnlab.optimisers import adamw, muon
from attnlab.positions import Rotary
from attnlab.schedules import cool_down
from attnlab.tasks import BytePairs, Characters, LetterMapping, Repeated, Text, Votes
from attnlab.tasks.few_shot import accuracy
from attnlab.tasks.induction import after_copy, previous, share
from attnlab.training import weights_of
from attnlab.transformer import GPT, Embed, tied
from widgets import Chart, GPTMachineExplorer, HeadViewExplorer, NextTokenExplorer
from widgets import Predict, PredictNumber, Table, TextColumns, Training, bars, curve, figure, points

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then let it write
#
# A model comes with this lesson: a million parameters, trained by a script of ours for under five minutes on one
# core, on one text only, the Python language reference. It reads and writes **pieces** of words, 1024 of them; the
# script made them by joining, again and again, the two pieces that most often stand side by side (byte-pair encoding).

# %%
writer = trained.reference()
print("parameters:", sum(p.numel() for p in writer.model.parameters()))
print("pieces:", [writer.text.decode([i]) for i in writer.text.encode("an instance of the class")])

# %% tags=["hide-input"]
explorer = NextTokenExplorer(writer.model, writer.text, token=23)
Predict(
    "The model says how probable each piece is to come next. The safest policy seems to be: always take the most "
    "probable one. What does it write in this way?",
    choices=[
        ("its best text", "Each piece is the best one for its place, but the text as a whole is not. The first thing "
                          "to try below shows it."),
        ("the same phrase, over and over", "What was just written makes itself more probable, and nothing ever breaks "
                                           "the circle. The first thing to try below shows it."),
        ("a passage of its training text, word for word", "It is too small to know its text by heart: a million "
                                                         "numbers for 330 000 letters. See for yourself."),
    ],
    answer=1,
    then=explorer,
)

# %% [markdown]
# **Try.** The bars are the chances of the next piece; ␣ is a blank, ↵ a new line. Each step of **token** draws one
# piece and writes it.
#
# 1. Back to the first **token**, **temperature** 0.1, and press **play**: *the exception is raised, the exception is
#    raised …* Back again, 0.8, play: better. At 2 it invents words: a thousand improbable pieces are, together, quite
#    probable.
# 2. **Reset**, so that temperature is 1. Pull **top k** down from 60 to 5: the hatched bars are cut, and what is left
#    grows. Exactly five stay, whether the model is sure or not.
# 3. Back to 60. Pull **top p** down to 0.9, and step on. Now the number that stays follows the model's doubt: one piece
#    where it is sure, dozens where it is not. That is what top-p is for.
# 4. Type a beginning of your own, `class A` or `The`. Then put a blank at its end, and see the bars turn strange.
#    Pieces carry the blank in front of them, *␣same*: after a blank of its own the model expects something rare.
#
# ## 2. By hand
#
# A vocabulary of four pieces, and logits 2, 1, 0, 0. With a pencil: $e^2, e^1, e^0, e^0$ are 7.39, 2.72, 1, 1, their
# sum is 12.11, and the chances are 0.61, 0.22, 0.08, 0.08.
#
# * **Loss.** If the first piece does come next, the loss is $-\ln 0.61 = 0.49$. If it is the second: $-\ln 0.22 =
#   1.49$. A model that knows nothing says a quarter for each: $-\ln \tfrac14 = \ln 4 = 1.39$, whatever comes. To be
#   sure and wrong is worse than to know nothing.
# * **Temperature** ½ doubles the logits: 54.6, 7.39, 1, 1, so the first piece has 0.85.
# * **Top-k** with k = 2 leaves 7.39 and 2.72: 0.73 and 0.27.
# * **Top-p** with p = 0.8: the first alone has 0.61, too little; with the second it is 0.83, enough. The same two stay.

# %%
logits = torch.tensor([2.0, 1.0, 0.0, 0.0])
print("chances        ", logits.softmax(dim=-1))
print("losses         ", -logits.log_softmax(dim=-1))
print("temperature 0.5", temperature(logits, 0.5).softmax(dim=-1))
print("top-k, k = 2   ", top_k(logits, 2).softmax(dim=-1))
print("top-p, p = 0.8 ", top_p(logits, 0.8).softmax(dim=-1))

# %% [markdown]
# ## 3. The formula
#
# The probability of a text is a product: each piece, given those before it. No approximation is in this; it is how
# probabilities work. The network only has to give the factors, and the loss is the mean of their logarithms.
#
# $$p(x_1 \dots x_T) = \prod_{t=1}^{T} p(x_t \mid x_1 \dots x_{t-1}) \qquad
# L = -\frac1T \sum_{t=1}^{T} \ln p(x_t \mid x_1 \dots x_{t-1})$$
#
# $$h^0 = E[x] \qquad h^l = \mathrm{block}(h^{l-1}) \qquad
# p(x_{t+1} \mid x_1 \dots x_t) = \mathrm{softmax}\,(\mathrm{norm}(h^n_t)\, E^\top)$$
#
# | GPT paper | here | shape | what it is |
# |---|---|---|---|
# | $U$ | `tokens` | batch, tokens | ids of the pieces read |
# | $W_e$ | `tokens.weight` $E$ | vocabulary, dim | a vector for each piece, used at both ends |
# | $W_p$ | none | | places: the paper adds a learned vector; here queries and keys are turned (lesson 07) |
# | $h_l$ | `x` | batch, tokens, dim | the residual stream after block $l$ |
# | $P(u)$ | `logits` | batch, tokens, vocabulary | at each place, before the softmax: what comes next |
#
# One window of 64 pieces holds 64 questions, all answered at once. The causal mask keeps them honest.
#
# ## 4. In torch
#
# The whole of it, from `nn.Linear` and `nn.Embedding` up. First the rotation of lesson 07: each pair of numbers turns
# by an angle that grows with its place. Then attention with its causal mask, the block, the model.

# %%
def rotate(x):  # [batch, heads, tokens, head_dim]
    tokens, head_dim = x.shape[-2:]
    speed = 10_000 ** -(torch.arange(0, head_dim, 2) / head_dim)
    angle = torch.arange(tokens).unsqueeze(1) * speed  # [tokens, head_dim / 2]
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    return torch.stack(turned, dim=-1).flatten(-2)

# %%
class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):  # [batch, tokens, dim]
        q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for part in (self.query, self.key, self.value))  # in heads
        q, k = rotate(q), rotate(k)
        scores = q @ k.mT / q.shape[-1] ** 0.5  # [batch, heads, queries, keys]
        weights = scores.masked_fill(~causal(x.shape[1]), -torch.inf).softmax(dim=-1)
        return self.output((weights @ v).transpose(1, 2).flatten(-2))

# %%
class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention, self.norm_1 = Attention(dim, heads), nn.LayerNorm(dim)
        self.expand, self.contract = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.norm_2 = nn.LayerNorm(dim)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.contract(gelu(self.expand(self.norm_2(x))))

# %%
class SmallGPT(nn.Module):
    def __init__(self, vocabulary, dim=128, heads=4, layers=2, longest=64):
        super().__init__()
        self.longest = longest  # pieces that it is made to read
        self.tokens = nn.Embedding(vocabulary, dim)
        self.blocks = nn.Sequential(*(Block(dim, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(dim)
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens):  # [batch, tokens] -> [batch, tokens, vocabulary]
        x = self.norm(self.blocks(self.tokens(tokens)))
        return x @ self.tokens.weight.T

# %% [markdown]
# That is a GPT. Is it right? The library's parts, put together to the same plan and given the same numbers, must
# say the same:

# %%
def from_parts(vocabulary, dim=128, heads=4, layers=2, longest=64):
    table = nn.Embedding(vocabulary, dim)
    blocks = [EncoderBlock(MultiHeadAttention(dim, heads, Rotary(dim // heads, longest)),
                           FeedForward(dim, 4 * dim, gelu), nn.LayerNorm) for _ in range(layers)]
    return GPT(Embed(table), blocks, nn.LayerNorm(dim), tied(table), longest)


torch.manual_seed(0)
mine, theirs = SmallGPT(100), from_parts(100)
for own, other in zip(mine.parameters(), theirs.parameters(), strict=True):
    other.data = own.data
tokens = torch.randint(100, (3, 64))
assert torch.allclose(mine(tokens), theirs(tokens), atol=1e-4)
print("the same logits, from", sum(p.numel() for p in mine.parameters()), "parameters")

# %% [markdown]
# ## 5. Train it
#
# The text is the language reference that comes with every Python. **Or your own**: put the path of a text file
# between the quotes, anything from a few pages on.

# %%
path = ""  # "my_diary.txt", say: a text file in UTF-8
text = Text.from_file(path, BytePairs) if path else Text.python_reference(BytePairs)

vocabulary = len(text.vocabulary)
known = set(re.findall("[a-z]+", text.decode(text.training).lower()))  # the words that exist
print(vocabulary, "pieces; the text has more than 100 000 of them:", len(text.training) > 100_000)
print("different words, more than 2000:", len(known) > 2000)

# %%
inputs, targets = text.test(64, 60)  # held out: no part of them is in the training text


def new_model(seed=0):
    torch.manual_seed(seed)
    return SmallGPT(vocabulary)


@torch.no_grad()
def held_out(model):
    return cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()

# %% tags=["hide-input"]
PredictNumber(
    "512 pieces, and a model with random weights that are small. Before its first step: what is its loss, in nats a "
    "piece? (A calculator is allowed.)",
    answer=lambda: held_out(new_model()), close=0.2,
    why="It knows nothing, so each of the 512 gets about 1/512, and the loss is ln 512 = 6.24. A first loss far above "
        "that means that the weights start too large: the model is sure of itself before it has seen anything. One "
        "far below means that it can see the answer. It is the cheapest test there is of a model just built.",
)

# %%
losses = [held_out(new_model(seed)) for seed in range(3)]
print(f"ln {vocabulary} = {log(vocabulary):.2f}")
print("three models before their first step, all within 0.1 of it:",
      max(abs(loss - log(vocabulary)) for loss in losses) < 0.1)

# %% [markdown]
# Now the training. `fit` draws 16 windows a step; `muon` is the optimiser that section 10 is about. Every 20 steps the
# model writes a little: watch it find blanks and line ends first, then endings, then words.

# %%
model = new_model()


def loss(generator):
    windows, following = text.batch(16, 64, generator)
    return cross_entropy(model(windows).flatten(0, 1), following.flatten())


def start():  # Reset calls it again
    model.load_state_dict(new_model().state_dict())
    training = fit(model, loss, steps=200, rate=0.03, optimiser=muon, schedule=cool_down)
    return measured(training, lambda: {"held out": held_out(model)}, every=20)

# %%
def words(written):  # [piece of text, mark]: words of three letters or more that exist are marked
    parts = re.split("([A-Za-z]+)", written)
    return [[part, "word" if len(part) > 2 and part.lower() in known else ""] for part in parts]


def real(written):  # which share of the words exists
    found = [word.lower() for word in re.findall("[A-Za-z]+", written) if len(word) > 2]
    return sum(word in known for word in found) / max(1, len(found))


def writes(model, pieces=60, seed=0, warmth=0.7):
    generator = torch.Generator().manual_seed(seed)
    steps = write(model, text.encode("The"), pieces,
                  lambda logits: draw(temperature(logits, warmth), generator), without_cache)
    return text.decode([step.token for step in steps])

# %%
samples = TextColumns(measure="of its words exist")


def show(step):  # the training calls it after each step
    if step.step not in (1, 40) and step.step % 20:
        return
    name = {1: "after 1 step", 40: "after 40 steps"}.get(step.step, "the latest")
    kept = {} if step.step == 1 else dict(zip(samples.titles, samples.texts, strict=True))
    kept = {title: runs for title, runs in kept.items() if title != "the latest"}
    kept[name] = words("The" + writes(model))
    shares = [real("".join(part for part, _ in runs)) for runs in kept.values()]
    samples.show(titles=list(kept), texts=list(kept.values()), shares=shares)


samples

# %%
training = Training(start, steps=200, seconds=15, name="small GPT",
                    metrics={"held out": "held-out loss"})
training.on_step(show)
training

# %% [markdown]
# Press **Start**, scroll up a little to see the samples change, pause when you like, take single steps, press
# **Reset** to begin anew. The next cell finishes the training if you have not.

# %%
training.run()
share_of = {"a piece is as good as any": [], "pieces as often as in the text": [], "small GPT": []}
often = text.training.bincount(minlength=vocabulary).float()
for seed in range(3):
    generator = torch.Generator().manual_seed(seed)
    dice = [torch.ones(vocabulary), often]
    texts = [text.decode(torch.multinomial(d, 200, True, generator=generator)) for d in dice]
    for shares, written in zip(share_of.values(), [*texts, writes(model, 200, seed)], strict=True):
        shares.append(real(written))
Table({"writer": list(share_of), "words that exist": list(share_of.values())},
      title="Words of three letters or more, three samples of 200 pieces", roles={"words that exist": "value"})

# %%
dice, gpt = share_of["pieces as often as in the text"], share_of["small GPT"]
print("from ln", vocabulary, "to a held-out loss below 3.2:", training.result["held out"] < 3.2)
print("words that exist, every sample: dice below 0.4:", max(dice) < 0.4,
      " small GPT above 0.5:", min(gpt) > 0.5)

# %% [markdown]
# 200 steps of 16 windows are less than two readings of the text. What it has after them is the *look* of the text:
# words, quotes, headings, indentation. Meaning it has none, and the million parameters of section 1, trained twenty
# times as long, have hardly more. Meaning takes another kind of size: GPT-2 read 40 billion bytes, this text has a
# third of a million.
#
# ## 6. Look inside while it writes
#
# First the GPT that you have just trained, as a whole. The library's parts take over its numbers (section 4: they say
# the same), because everything in them can be watched and switched off.

# %%
small = from_parts(vocabulary).eval()
for own, other in zip(model.parameters(), small.parameters(), strict=True):
    other.data = own.data

# %% tags=["hide-input"]
machine = GPTMachineExplorer(small, text, begin="The value of an expression is")
Predict(
    "The vector of a piece goes into a block of your GPT at the left and comes out at the right. What do heads and "
    "feed-forward network do to it on the way?",
    choices=[
        ("each replaces it", "Follow the line in the picture: it runs through. A branch reads it at a dot, and comes "
                             "back at a plus."),
        ("each adds something to it", "A dot: a branch reads the line. A plus: it adds what it has made of it. The "
                                      "branch is as wide as what it adds."),
        ("each lets a part of it through", "Gates are the way of the LSTM. Here a branch reads the line at a dot, and "
                                           "comes back at a plus."),
    ],
    answer=1,
    then=machine,
)

# %% [markdown]
# **Try.**
#
# 1. Point at a **head**: lit is what flows into it, and where what it adds goes. Its line of code stands below.
# 2. Click **block 2**, then a head in it: from the stream to queries, keys and values, and back. **Esc** leads out.
# 3. Switch heads **off**, one by one. What is dashed is the model with all of them. Is there one that the next piece
#    hangs on? If there is, the sentence names it.
# 4. Step **token** forwards: the text grows by the likeliest piece, and all rows of all pictures with it.
#
# Now back to the larger model: four layers of four heads. Each row is a piece that the model has just read; the row
# says where one head looks from there, and beside it stand the chances of what comes next. Step **forwards and
# backwards** through the text, change **layer** and **head**, and switch a head **off**.

# %%
HeadViewExplorer(writer.model, writer.text, token=8)

# %% [markdown]
# **Try.**
#
# 1. It opens after *The value of "__name__" in the*. Go to **head** 3 of **layer** 1: 93 % of its weight lie on *name*.
#    Step back and forth: this head looks for the last word with a meaning and skips the small ones. Head 2 prefers
#    the small ones.
# 2. **Head** 1 of **layer** 4, and step through all of the text: it looks at the *start of the line*, at *The*, and
#    after the line end at ↵, from however far. Now put *token* on 8 and switch the head **off**: the chance of a line
#    end falls from 42 % to 17 %. Nobody told the model that lines have a length. Most other heads are hardly missed.
# 3. Higher up, a row says less and less about *which words* are used, since every vector has collected others by then.
#    **A weight says where a head looks, not what it takes from there.**
# 4. Type `the list and the list and the`. Does any head look at what came after the *the* before? Keep the question
#    for section 8.
#
# ## 7. Do not read it all again
#
# To write one more piece, the model needs the keys and values of *all* pieces before it. They do not change: what a
# piece becomes does not depend on what follows. So they can be kept. That is the **key-value cache**. Without it, the
# 300th piece costs 300 vectors through every layer; with it, one.

# %% tags=["hide-input"]
speed = Chart(figure(
    curve([], [], "with cache", "value"), curve([], [], "without", "context"), x_range=[0, 400],
    title="Pieces per second while a text grows", x="pieces already there", y="pieces per second"))
Predict(
    "A GPT writes 384 pieces, once with a cache and once without. How do the two curves of its speed look?",
    choices=[
        ("with: flat; without: it falls", "With a cache each piece costs one vector through the layers, plus a look "
                                          "at a growing cache, which is cheap. Without, the work grows with the text."),
        ("both fall alike", "Both look at more and more keys. But only one of them computes those keys again."),
        ("both flat, one higher", "Without a cache the 10th piece costs 10 vectors, the 300th costs 300."),
    ],
    answer=0,
    then=speed,
)

# %%
torch.manual_seed(0)
long = from_parts(vocabulary, layers=4, longest=384).eval()  # speed does not ask what it has learned
ways = {"with cache": with_cache, "without": without_cache}

# %%
written, speeds = {}, {}
for name, reader in ways.items():
    steps, speeds[name], written[name] = write(long, tokens[0, :1], 383, most_probable, reader), [], []
    for _ in range(12):
        begun = time.process_time()
        written[name] += [step.token for _, step in zip(range(31), steps, strict=False)]
        speeds[name].append(31 / (time.process_time() - begun))
        places = [31 * i + 16 for i in range(len(speeds[name]))]
        speed.update(traces={name: {"x": places, "y": speeds[name]}})  # the chart above grows

assert written["with cache"] == written["without"]
last = speeds["with cache"][-1] / speeds["without"][-1]
print("the same pieces, and at the end at least three times as fast:", last > 3)

# %% [markdown]
# The price is memory: two vectors for every piece and layer, for as long as the conversation lasts. For
# large models the cache, not the weights, decides how many people can be served at once. Lesson 12 counts it. Ours
# is the class `Cache` in `attnlab/multihead.py`.
#
# ## 8. A machine that copies
#
# Random letters, and then the same letters again: *qkzvb qkzvb*. No letter of the first round can be foreseen. In the
# second, every letter can, by someone who looks back: *where was the present letter before, and what came after it
# there?* The period is drawn anew for each text, so counting back a fixed distance does not help.

# %%
task = Repeated(symbols=26)
letters = Characters(string.ascii_lowercase)
test = task.batch(64, torch.Generator().manual_seed(99))
print(letters.decode(test.inputs[0]), "  period", int(test.period[0]))


def copier(layers, seed=0):  # attention alone: no feed-forward network
    torch.manual_seed(seed)
    blocks = [AttentionBlock(MultiHeadAttention(64, 2, Rotary(32, 48)), nn.LayerNorm)
              for _ in range(layers)]
    return GPT(Embed(nn.Embedding(26, 64)), blocks, nn.LayerNorm(64), nn.Linear(64, 26), 47).eval()

# %%
def copy_loss(model, generator):
    batch = task.batch(32, generator)
    return cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten())


def second_round(model):  # on the places that can be foreseen: share of right letters, and loss
    with torch.no_grad():
        logits = model(test.inputs)[test.predictable]
    targets = test.targets[test.predictable]
    return (logits.argmax(-1) == targets).float().mean().item(), cross_entropy(logits, targets).item()


def looks(model, layer):  # of each head: weight on the previous place, and on the place after the copy
    weights = weights_of(model, f"blocks.{layer}.attention", test.inputs)
    return share(weights, previous(47)), share(weights, after_copy(test.period, 47))

# %%
two = copier(layers=2)
one_text = letters.encode("qwertzuiqwertzuiq")[None]


def train_copier(model, seed=0):
    return fit(model, lambda g: copy_loss(model, g), 200, rate=6e-3, seed=seed,
               optimiser=partial(adamw, betas=(0.9, 0.98)))


def scores():  # of the model that you watch
    return {"second round right": second_round(two)[0],
            "looks at the previous": looks(two, 0)[0].max(),
            "looks behind the copy": looks(two, 1)[1].max()}

# %%
def begin():
    two.load_state_dict(copier(2).state_dict())
    return measured(train_copier(two), scores, every=10)


def watch():  # layer 1: the head most on the previous place; layer 2: most behind the copy
    best = [looks(two, layer)[layer].argmax() for layer in range(2)]
    return torch.stack([weights_of(two, f"blocks.{layer}.attention", one_text)[0][best[layer]]
                        for layer in range(2)])  # [2 panels, queries, keys]

# %%
copying = Training(
    begin, steps=200, watch=watch, film_every=5, seconds=5, name="induction",
    metrics={"second round right": "second round right", "looks at the previous": "layer 1: previous place",
             "looks behind the copy": "layer 2: behind the copy"},
    query_labels=list("qwertzuiqwertzuiq"), key_labels=list("qwertzuiqwertzuiq"),
    panel_names=["layer 1: most on the previous place", "layer 2: most behind the copy"],
)

# %% tags=["hide-input"]
Predict(
    "One layer of attention, or two: which of them can learn to foresee the second round?",
    choices=[
        ("both", "One layer can look for the present letter, and finds it: but what it needs stands one place "
                 "further, and no key there says “before me stood a q”."),
        ("only two layers", "The first layer tells each place which letter stood before it. Only then can the second "
                            "ask: who had my letter before him? And read that one."),
        ("neither, the letters are random", "They are random once. The second time they are a copy."),
    ],
    answer=1,
    then=copying,
)

# %% [markdown]
# Guess, then press **Start**. For some 75 steps next to nothing happens. Then, within a few dozen steps: a head of
# layer 1 turns to the **previous place** (the diagonal beside the diagonal), heads of layer 2 turn to the place
# **behind the earlier copy**, and the letters of the second round come out right. Drag the handle through that
# moment. A head of the second kind is called an **induction head**.

# %%
copying.run()
others = [copier(2, seed) for seed in (1, 2)]
control = copier(layers=1)
for seed, other in enumerate([*others, control], start=1):
    for _ in train_copier(other, seed):
        pass

models = [two, *others]

# %%
heads = [(layer, head) for layer in range(2) for head in range(2)]
names = [f"layer {layer + 1}, head {head + 1}" for layer, head in heads]
before, behind = ([[looks(m, layer)[kind][head].item() for m in models] for layer, head in heads]
                  for kind in range(2))
Table({"head": names, "on the previous place": before, "behind the earlier copy": behind},
      title="Where the weight lies, three seeds",
      roles={"on the previous place": "query", "behind the earlier copy": "key"})

# %%
best = [max(looks(m, 1)[1]).item() for m in models]
right = [second_round(m)[0] for m in models]
print("induction score of the best head, every seed above 0.6:", min(best) > 0.6)
print("the seeds differ by less than 0.2:", max(best) - min(best) < 0.2)
print("second round right, every seed above 0.8:", min(right) > 0.8)
print("one layer: below 0.4, and its best head behind the copy below 0.3:",
      second_round(control)[0] < 0.4, max(looks(control, 0)[1]).item() < 0.3)

# %% [markdown]
# The matrix says where a head looks. Is that also *why* the model is right? Switch heads off and measure: all four in
# turn, and then both of layer 2.

# %%
def loss_without(model, layer, *heads):
    with without(model, [(f"blocks.{layer}.attention", head) for head in heads]):
        return second_round(model)[1]


cases = {"all heads": [second_round(m)[1] for m in models]}
cases |= {f"without {name}": [loss_without(m, *head) for m in models]
          for name, head in zip(names, heads, strict=True)}
cases["without both of layer 2"] = [loss_without(m, 1, 0, 1) for m in models]

# %%
means = [sum(losses) / 3 for losses in cases.values()]
Chart(figure(
    bars(means, list(cases), "mean", "key", opacity=0.5),
    *(points(list(cases), [losses[seed] for losses in cases.values()], name=f"seed {seed}")
      for seed in range(3)),
    title="Loss on the second round when a head is switched off", y="nats a letter", showlegend=False,
))

# %%
off, on = cases["without both of layer 2"], cases["all heads"]
print("without the induction heads the loss is at least 2 nats higher, every seed:",
      all(a - b > 2 for a, b in zip(off, on, strict=True)))

# %% [markdown]
# Now use it. Type any letters and begin them again, such as `wortspielwort`: nobody ever taught it German, or words,
# or this text. It has not learned a text, it has learned to *copy what the text itself shows*. Step through, and
# switch heads off.

# %%
HeadViewExplorer(two, letters, begin="wortspielwort", length=5, warmth=0.1, token=13, layer=2)

# %% [markdown]
# ## 9. Does it learn from examples?
#
# GPT-3 was famous for this: show it a few examples in the prompt, and it does the task, without any training. Here are
# two small worlds in which every text is a task of its own.
#
# * **Letters.** Six letters stand for six others, at random, and anew in each text: `k v k v k v …`.
# * **Votes.** Four voters, yes or no; in each text another rule decides who counts, for or against. The model is
#   trained with 39 rules and asked about **9 others**. No input comes twice, so nothing can be looked up.
#
# Three models for each were trained by a script of ours, in a minute altogether, and come with the lesson. What they
# answer is measured here, on fresh texts.

# %% tags=["hide-input"]
Predict(
    "In both worlds the models get better with each example. What have they learned to do?",
    choices=[
        ("to infer the rule", "One would like to think so. Before one does, one asks which simpler rule would do just "
                              "as well, and draws its curve beside the measured one."),
        ("something simpler that works", "In the first world: to look up, which is the induction head again. In the "
                                         "second: something that took us by surprise. Run on."),
        ("nothing, it is chance", "Chance does not rise with the number of examples."),
    ],
    answer=1,
)

# %%
worlds = {"letters": (trained.letters().models, LetterMapping().batch),
          "votes": (trained.votes().models, Votes().unseen)}
curves = {}
for name, (answering, fresh) in worlds.items():
    shots = [fresh(1000, torch.Generator().manual_seed(seed)) for seed in range(3)]
    with torch.no_grad():
        curves[name] = torch.stack([accuracy(m(s.inputs), s)
                                    for m, s in zip(answering, shots, strict=True)])
lookup = [LetterMapping().lookup(n) for n in range(17)]
mirror = [Votes().mirror(n) for n in range(12)]

# %%
def few_shot_chart(measured, rule, name, title):
    spread = (measured.max(0).values - measured.min(0).values).max()
    return Chart(figure(
        *(points(range(len(rule)), row, name=f"seed {seed}", role="value")
          for seed, row in enumerate(measured)),
        curve(rule, range(len(rule)), name, "query", line_dash="dash"),
        title=title, x=f"examples before the question; the seeds differ by at most {spread:.2f}",
        y="right answers", y_range=[0, 1.05], showlegend=False, height=300,
    ))


few_shot_chart(curves["letters"], lookup, "look it up", "Letters: accuracy against examples")

# %%
few_shot_chart(curves["votes"], mirror, "turn the opposite round", "Votes, rules never trained")

# %% [markdown]
# **Letters.** The dashed curve is the rule *look the letter up if it was shown, else guess*: $1 - (5/6)^n$ and a
# little. The models follow it, and stay a little below where it gets high. No surprise after section 8.
#
# **Votes.** The dashed curve knows nothing about voting but this: *if the opposite input was shown, where every voter
# says the contrary, answer the opposite; else toss a coin.* It holds for every rule in the world, since they are all
# symmetric. The models lie on it. They have not seen through the votes; they found one regularity that all rules
# share, and that is how they answer rules they never met.

# %%
gap = {"letters": curves["letters"].mean(0) - torch.tensor(lookup),
       "votes": curves["votes"].mean(0) - torch.tensor(mirror)}
for name, measured_curves in curves.items():
    spread = (measured_curves.max(0).values - measured_curves.min(0).values).max().item()
    print(f"{name}: rises by more than 0.3:",
          bool(measured_curves[:, -1].min() - measured_curves[:, 0].max() > 0.3),
          "  never above the simple rule by 0.06:", gap[name].max().item() < 0.06,
          "  seeds within 0.1:", spread < 0.1)

# %% [markdown]
# It may be otherwise in large models, and it may not: *learning in context* is what one sees, not how it is done. The
# curve of the simplest rule belongs beside every such claim.
#
# Here is one of the letter models. Questions and answers in turn; the last letter is the question. Write a prompt of
# your own, and find the head that looks at the answer.

# %%
HeadViewExplorer(worlds["letters"][0][0], letters, begin="awbxczawczb", length=1, warmth=0.1, token=11, layer=2)

# %% [markdown]
# ## 10. What has changed since 2019?
#
# Your model is GPT-2's plan with rotary positions (its own were learned), moved by Muon (its optimiser was Adam). How
# much is each such change worth? A script of ours took the plain plan, with AdamW at the best of three rates and a
# warm-up, and changed **one part at a time** (Muon came with its own schedule, rates and decay): the same text and
# batches, 200 steps, three seeds. What follows is its log; the last column is our processor's time.

# %%
log_of = trained.switches()
runs = log_of["runs"]
plain = sum(run["held_out"] for run in runs["plain GPT"]) / 3
gains = {name: [plain - run["held_out"] for run in seeds] for name, seeds in runs.items()}
in_order = sorted(gains, key=lambda name: sum(gains[name]))
Chart(figure(
    bars([sum(gains[name]) / 3 for name in in_order], in_order, "mean", "value", opacity=0.5),
    *(points(in_order, [gains[name][seed] for name in in_order], name=f"seed {seed}")
      for seed in range(3)),
    title="Nats a piece gained on held-out text, one change at a time", y="gain", showlegend=False,
))

# %%
Table({
    "change": list(runs),
    "held-out loss": [f"{sum(r['held_out'] for r in seeds) / 3:.2f}" for seeds in runs.values()],
    "seconds": [f"{sum(r['seconds'] for r in seeds) / 3:.0f}" for seeds in runs.values()],
}, title=log_of["settings"])

# %% [markdown]
# * **Rotary positions** and **Muon** are each worth a third of a nat, with every seed. You have both. All changes
#   together, the library's `modern_gpt`, are worth nine tenths, for a step that takes two fifths longer.
# * **RMSNorm** and **squared relu** make no difference that three seeds would let one see: they are there to be
#   cheaper, or better much later. One of the three seeds with RMSNorm went astray. Who had tried that one alone would
#   have written that RMSNorm is bad.
# * **Token shift** alone makes it *worse*, by far. In `modern_gpt` it is a part of the best. A gain belongs to the
#   set-up in which it was measured.
#
# And 200 steps are the *start* of a training, where speed counts for everything; gains shrink later on.

# %%
worst = {name: min(found) for name, found in gains.items()}
print("gain of every seed above 0.2: rotary", worst["rotary positions"] > 0.2,
      " Muon", worst["Muon"] > 0.2)
print("all of them, every seed above 0.7:", worst["all of them"] > 0.7)
print("RMSNorm and squared relu, the best seed below 0.1:",
      max(gains["RMSNorm"] + gains["squared relu"]) < 0.1)
print("token shift alone, the best seed still a loss:", max(gains["token shift"]) < 0)

# %% [markdown]
# ## 11. Exercises
#
# The two cuts of section 1 are yours to write.
#
# **11.top_k.** `logits` [batch, vocabulary]; keep the `k` highest of each row, the rest becomes −∞. A `k` above the
# vocabulary's size keeps all.

# %%
def my_top_k(logits, k):
    ...


check("11.top_k", my_top_k)

# %%
hint("11.top_k")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def my_top_k(logits, k):
#     k = min(k, logits.shape[-1])
#     lowest = logits.topk(k, dim=-1).values[:, -1:]   # [batch, 1]: the k-th highest
#     return logits.masked_fill(logits < lowest, -torch.inf)
# ```
# </details>
#
# **11.top_p.** `logits` [batch, vocabulary]; keep the smallest set of each row whose probabilities reach `p`.

# %%
def my_top_p(logits, p):
    ...


check("11.top_p", my_top_p)

# %%
hint("11.top_p")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def my_top_p(logits, p):
#     ordered, ids = logits.sort(dim=-1, descending=True)
#     shares = ordered.softmax(dim=-1)
#     before = shares.cumsum(dim=-1) - shares          # what the more probable tokens have together
#     keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, before < p)
#     return logits.masked_fill(~keep, -torch.inf)
# ```
# </details>
#
# ## 12. What you have, and what is missing
#
# You have built a GPT, from `nn.Linear` to text. What separates it from the large ones is not a further idea but size:
# the same blocks, more of them, on more text. What is still missing:
#
# * **Cost.** Every piece looks at every piece before it: twice the context, four times the scores. **Lesson 12**
#   measures what that means, and when something else is cheaper.
# * **Data.** This model knows one book. **Lesson 16** trains once on much text and tunes many times on little.
# * **Reading a real one.** GPT-2's own heads, with the views of this page: **lesson 17**.
#
# Change one line and start again: `layers=1` in `SmallGPT` (can it still learn to copy?), a rate of 0.3, `path` with a
# text of yours.
#
# **Sources.** A. Radford et al., *Improving Language Understanding by Generative Pre-Training*, 2018, and *Language
# Models are Unsupervised Multitask Learners*, 2019: the plan of section 4. A. Holtzman et al., *The Curious Case of
# Neural Text Degeneration*, 2020: top-p, and why the most probable text circles. A. Fan, M. Lewis, Y. Dauphin,
# *Hierarchical Neural Story Generation*, 2018: top-k. R. Sennrich, B. Haddow, A. Birch, *Neural Machine Translation of
# Rare Words with Subword Units*, 2016: byte pairs. C. Olsson et al., *In-context Learning and Induction Heads*, 2022:
# section 8. T. Brown et al., *Language Models are Few-Shot Learners*, 2020: examples in the prompt. J. Su et al.,
# *RoFormer*, 2021: rotary positions. K. Jordan et al., *Muon*, 2024. B. Peng et al., *RWKV*, 2023: token shift. A.
# Karpathy's *nanoGPT* and lecture *Let's build GPT* set the measure for a GPT in few lines, and *Transformer
# Explainer* (A. Cho et al., 2024) for looking inside one while it writes. The text of all trainings is the Python
# language reference, © Python Software Foundation, under the PSF licence; `attnlab/trained/README.md` says more. The
# measurements are ours.
