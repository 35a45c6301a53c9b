# %% [markdown]
# # A small GPT: can we build a GPT that writes?
#
# Take a stack of blocks, put a causal mask on it, and ask again and again: *what comes next?* That is all a GPT is.
# Here you climb to it rung by rung, from counted pairs of letters.
#
# **You will be able to** build and train a GPT, say from its first loss whether its weights start too large, choose
# temperature, top-k and top-p knowing what they cut, and write a loop that reads each piece only once.
#
# **You should know** causal masks (06), rotary positions (07) and the block (09).

# %%
import torch

from attnlab import trained

torch.set_num_threads(1)  # with models this small, two threads wait for each other
writer = trained.reference()
print([writer.text.decode([piece]) for piece in writer.text.encode("an instance of the class")])

# %% [markdown]
# ## 1. Guess, then let it write
#
# This model comes with the lesson, trained for five minutes on one text, the Python language reference. It reads and
# writes **pieces** of words, 1024 of them (how: section 4; yours will have 512).

# %% tags=["hide-input"]
from widgets import NextTokenExplorer, guess

explorer = NextTokenExplorer(writer.model, writer.text, token=23)
guess("11.probable", then=explorer)

# %% [markdown]
# **Try.** The bars are the chances of the next piece; ␣ is a space, ↵ a new line. Each step of **token** draws one.
#
# 1. Back to the first **token**, **top k** 1, and press **play**: always the most probable piece. Back again, top k 60
#    (all), **temperature** 0.8, play. The temperature divides the logits: below 1 the likely becomes likelier. At 2 the
#    model invents words: a thousand improbable pieces are, together, quite probable.
# 2. **Reset**. Pull **top k** down to 5: five pieces stay, whether the model is sure or not.
# 3. Back to 60. Pull **top p** down to 0.9, and step on. Now as many stay as it takes to have 90 % of the chances: one
#    where the model is sure, dozens where it is not.
#
# ## 2. The first rung: count
#
# If the model gave the chance $p$ to what does come next, its **loss** is $-\ln p$, in *nats*. Averaged over a text
# that it has never seen, whose $T$ letters (in later sections, pieces) are $x_1$ to $x_T$:
#
# $$L = -\frac1T \sum_{t=1}^{T} \ln p(x_t \mid x_1 \dots x_{t-1})$$
#
# The simplest thing to know is which letter follows which:

# %%
import re
from collections import Counter
from itertools import pairwise

from torch import nn

from attnlab import causal, fit, measured, write
from attnlab.decoding import most_probable, without_cache
from attnlab.exercises import check, hint
from attnlab.positions import Rotary
from attnlab.tasks import BytePairs, Text
from attnlab.trained import train_ladder

# %%
letters = Text.python_reference()  # Python's own reference; a tenth of its topics is held out
size = len(letters.vocabulary)
counts = torch.ones(size, size)  # each pair once more than it was seen, so that none is impossible
counts.index_put_((letters.training[:-1], letters.training[1:]), torch.tensor(1.0), accumulate=True)  # 1 for each
chances = counts / counts.sum(dim=1, keepdim=True)  # [letter, next letter]
loss = -chances[letters.held_out[:-1], letters.held_out[1:]].log().mean()
print(f"held-out nats a letter: knowing nothing {torch.tensor(size).log():.1f}, counting pairs {loss:.1f}")

# %% [markdown]
# ## 3. One head, a block, a GPT
#
# A **head** looks further back than one letter: the newest asks all before it. Heads and a feed-forward network, each
# added to the stream, are a **block**. Blocks on top of each other, with the same table of vectors at the beginning and
# at the end, are a **GPT**:

# %%
class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.turn = heads, Rotary(dim // heads).rotate  # places, as in lesson 07
        self.query, self.key, self.value, self.output = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):  # [batch, tokens, dim]
        q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for part in (self.query, self.key, self.value))  # [batch, heads, tokens, head_dim]
        scores = self.turn(q) @ self.turn(k).mT / q.shape[-1] ** 0.5
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
        return x + self.contract(nn.functional.gelu(self.expand(self.norm_2(x))))  # relu without its corner

# %%
class SmallGPT(nn.Module):
    def __init__(self, vocabulary, dim=128, heads=4, layers=2, longest=64):
        super().__init__()
        self.longest = longest  # tokens that it is made to read
        self.tokens = nn.Embedding(vocabulary, dim)
        self.blocks = nn.Sequential(*(Block(dim, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(dim)
        for name, numbers in self.named_parameters():
            if "norm" not in name:  # matrices small, biases 0: at first it is sure of nothing
                nn.init.normal_(numbers, std=0.02 if numbers.ndim == 2 else 0.0)

    def forward(self, tokens):  # [batch, tokens] -> [batch, tokens, vocabulary]
        return self.norm(self.blocks(self.tokens(tokens))) @ self.tokens.weight.T

# %% [markdown]
# A window of 64 letters holds 64 questions, answered at once; the causal mask keeps the answers honest.
#
# ## 4. Larger letters
#
# To see further with the same work, let the tokens be larger: **byte-pair encoding** joins the two pieces that most
# often stand side by side within a word, again and again. At the beginning every letter is a piece:

# %%
# words, runs of other marks, white space: each with the space before it
words = Counter(re.findall(r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s", letters.decode(letters.training)))
words = {"\0".join(word): times for word, times in words.items()}  # \0 stands between two pieces of a word
made = []
while len(made) < 40:
    pairs = Counter()
    for word, times in words.items():
        for pair in pairwise(word.split("\0")):
            pairs[pair] += times
    [(best, _)] = pairs.most_common(1)
    made.append("".join(best))
    side_by_side = re.compile("(?<![^\0])" + re.escape("\0".join(best)) + "(?![^\0])")  # both whole
    words = {side_by_side.sub(lambda _: made[-1], word): times for word, times in words.items()}

# %%
path = ""  # "my_diary.txt", say: a text file in UTF-8, of a few pages or more
text = Text.from_file(path, BytePairs) if path else Text.python_reference(BytePairs)
print("the first pieces:", made[:5])
print(f"letters a piece: {text.letters_per_token:.1f}")
print(f"200 steps of 16 windows of 64 pieces read it {200 * 16 * 64 / len(text.training):.1f} times")

# %% [markdown]
# The library goes on to 512: the 256 bytes that any text is made of, and 256 joined pieces. With two letters a piece a
# window reaches twice as far back. (A loss *per piece* is larger. Our table divides it down to letters.) **For a text
# of your own**, put its path between the quotes.
#
# ## 5. Train it

# %% tags=["hide-input"]
vocabulary = len(text.vocabulary)
inputs, targets = text.test(64, 60)  # held out: no part of them is in the training text


@torch.no_grad()
def held_out(model):  # nats a piece
    return nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()

# %% tags=["hide-input"]
guess("11.first_loss", answer=lambda: held_out(SmallGPT(vocabulary)))

# %%
model = SmallGPT(vocabulary)


def loss_of(generator):  # 16 windows; each piece is asked for the one that follows
    windows, following = text.batch(16, 64, generator)
    return nn.functional.cross_entropy(model(windows).flatten(0, 1), following.flatten())


def start():  # Reset calls it again
    torch.manual_seed(0)
    model.load_state_dict(SmallGPT(vocabulary).state_dict())
    steps = fit(model, loss_of, 200, rate=4e-3, optimiser=train_ladder.adam)
    return measured(steps, lambda: {"held out": held_out(model) / text.letters_per_token}, every=25)

# %% tags=["hide-input"]
from attnlab.analysis import Samples
from widgets import TextColumns, Training

texts, samples = TextColumns(measure="of its letters stand in words that exist"), Samples(model, text)
training = Training(start, steps=200, seconds=15, name="small GPT", metrics={"held out": "held out, a letter"})
training.on_step(lambda step: texts.show(**samples.after(step.step)))
training

# %% [markdown]
# Press **Start**. Every 25 steps the model writes a little; words that exist are marked. What does it find first, what
# next?

# %%
training.run()
texts

# %% [markdown]
# In 200 steps it has read this text 1.3 times (printed in section 4). By then the model has learned the *look* of it:
# words, quotes, indentation. Is there meaning, too? Read and judge.
#
# ## 6. The ladder
#
# 200 steps of 16 windows; for each rung the best of five learning rates, three seeds.

# %% tags=["hide-input"]
from widgets import Table

found = trained.ladder()
losses = {"knowing nothing": [found["guessing evenly"]], "counting pairs": [found["counts of pairs"]]}
losses |= {name: rung["held_out"] for name, rung in found["rungs"].items()}
losses["control: longer windows"] = found["one block, letters, longer windows"]["held_out"]
losses["section 1's writer"] = [writer.header["held_out_loss"]]
ladder = Table({"rung": list(losses), "held-out nats a letter": list(losses.values())},
               title="Three seeds, where there is a range: mean, lowest and highest")

# %% tags=["hide-input"]
guess("11.gains", then=ladder)

# %% [markdown]
# <details><summary>Think first, then unfold: the model of section 1 reaches 1.20 here. Does it know more
# of Python than yours?</summary>
#
# It knows more of how this text goes on. On the text it was trained on, it had come down to 0.78 (its log is
# `attnlab/trained/reference.log`), so part of what it learned is that text itself. A loss says how well the next piece
# is predicted, and nothing about what is true.
# </details>
#
# ## 7. Your GPT as a machine
#
# The library's parts take over your numbers, and say the same:

# %% tags=["hide-input"]
from widgets import GPTMachineExplorer

assert path or training.result["held out"] < 1.8
whole = train_ladder.small_gpt(vocabulary).eval()
for own, other in zip(model.parameters(), whole.parameters(), strict=True):
    other.data = own.data
print(f"largest difference of a logit: {(model(inputs) - whole(inputs)).abs().max():.3f}")
guess("11.rows", then=GPTMachineExplorer(whole, text, begin="The value of an expression is"))

# %% [markdown]
# **Try.**
#
# 1. Point at a **head**: what it reads and where it adds light up.
# 2. Click **block 2**, then a head in it. **Esc** leads out.
# 3. Switch heads **off**, one by one.
#
# ## 8. Read each piece only once
#
# To write one more piece, the model needs the keys and values of *all* pieces before it. They do not change: with a
# causal mask, what a piece becomes does not depend on what follows. So they can be kept: the **key-value cache**. Then
# only the newest piece has to go through the blocks.
#
# **11.write.** Continue `prompt` [tokens] by `steps` tokens, each the most probable one, and return all of it.
# `logits, cache = model(new, cache)` reads the tokens `new` [n], which follow those in the cache (None at first), and
# gives logits [n, vocabulary].

# %%
def my_write(prompt, model, steps):
    ...


check("11.write", my_write)

# %%
hint("11.write")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def my_write(prompt, model, steps):
#     text, new, cache = prompt, prompt, None
#     for _ in range(steps):
#         logits, cache = model(new, cache)
#         new = logits[-1:].argmax(dim=-1)  # [1]: all that is left to read
#         text = torch.cat([text, new])
#     return text
# ```
# </details>
#
# The same loop for your GPT, whose blocks keep a cache each:

# %%
@torch.no_grad()
def continued(model, tokens, steps):  # tokens [1, tokens]
    caches, new, read = model.caches(), tokens, 0
    for _ in range(steps):
        read += new.shape[1]
        new = model(new, caches)[:, -1:].argmax(dim=-1)  # only what is new is read
        tokens = torch.cat([tokens, new], dim=1)
    return tokens[0], read

# %%
begun = text.encode("The value of an expression is")
written, read = continued(whole, begun[None], 50)  # print(text.decode(written))
careful = [step.token for step in write(whole, begun, 50, most_probable, without_cache)]
alike = sum(one == other for one, other in zip(written[-50:].tolist(), careful, strict=True))
print("as without a cache:", alike, "of 50 pieces; read:", read, "in place of", sum(len(begun) + i for i in range(50)))

# %% [markdown]
# <details><summary>What a head does with its cache</summary>
#
# ```python
# def newest(self, x, cache):  # a method of Attention; x: the new pieces alone; cache: a list, [] at first
#     q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
#                for part in (self.query, self.key, self.value))
#     read = cache[0].shape[2] if cache else 0
#     q, k = self.turn(q, read), self.turn(k, read)  # places go on from what was read
#     cache[:] = [torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)] if cache else [k, v]
#     scores = q @ cache[0].mT / q.shape[-1] ** 0.5
#     weights = scores.masked_fill(~causal(read + x.shape[1])[read:], -torch.inf).softmax(dim=-1)
#     return self.output((weights @ cache[1]).transpose(1, 2).flatten(-2))
# ```
# </details>
#
# The price is memory: two vectors for every piece and block (lesson 12b).
#
# <details><summary>For another day: four more exercises</summary>
#
# `check("11.windows", f)`, f(text, starts, context): what a GPT reads and what it is asked, one place further on.
# `check("11.causal_attention", f)`, f(query, key, value): the last few tokens ask, keys are there for all.
# `check("11.top_k", f)`, f(logits, k), and `check("11.top_p", f)`, f(logits, p): the two cuts of section 1, as logits
# in which what is cut is −∞. Each names the mistake. `hint("11.windows")`, and so on, unfolds the task in full.
# </details>
#
# ## 9. What is missing
#
# What has changed since 2019, what each change is worth, and a GPT of ten million parameters for those who have a GPU:
# **lesson 11a**. What its heads look for: **lesson 11b**. And every piece looks at every piece before it: **lesson 12**
# counts what that costs.
#
# **Sources.** A. Radford et al., *Language Models are Unsupervised Multitask Learners*, 2019: the plan of our section
# 3, but for its positions. A. Holtzman et al., *The Curious Case of Neural Text Degeneration*, 2020: top-p. A. Fan et
# al., *Hierarchical Neural Story Generation*, 2018: top-k. R. Sennrich et al., *Neural Machine Translation of Rare
# Words with Subword Units*, 2016: byte pairs. A. Karpathy's *nanoGPT*: a GPT in few lines. The text is © Python
# Software Foundation, under the PSF licence. The measurements are ours, by `attnlab/trained/train_ladder.py`.
