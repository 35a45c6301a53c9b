# %% [markdown]
# # The bottleneck: how much can one vector remember?
#
# The first neural translators read a whole sentence into one vector. A second network then wrote the translation from
# that vector alone, without another look at the sentence. How much gets through? Here you put digits into such a
# memory, take them out again, and see where it gives way.
#
# **You will be able to** write an encoder and a decoder, measure how much of a source comes back from one vector, and
# distinguish what does not *fit* from what was not *learned*.
#
# **You should know** Python with a little PyTorch, matrix products, and that a recurrent network carries a **state**, a
# vector, from one word to the next.

# %%
from math import log2

import torch
from torch import nn

from attnlab import AttentionSeq2Seq, FixedContext, exact, fit, measured, teacher_forcing, trained
from attnlab.analysis import share_by_length
from attnlab.exercises import check, hint
from attnlab.tasks import TASKS
from attnlab.tasks.reverse import same_length
from attnlab.trained import train_recall
from attnlab.training import side_by_side
from widgets import RecallByModelExplorer, Table, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. Be the memory
#
# Suppose that all you can keep is **one number**. There is a way to put any string of digits into it: each new digit
# goes in front and pushes the others one place to the right.

# %% tags=["hide-input"]
from widgets import DigitsInOneNumberExplorer

guess("01.digits", then=DigitsInOneNumberExplorer())

# %% [markdown]
# **Try** the slider *read the first*. From some length on, the digits read first, at the left, come back wrong: in the
# number the newest stand in front, and the oldest fall off its end. Choose float64 and look for the limit again.
#
# **By hand.** Read 3, 1, 4. Begin with 0.5, a sign for "nothing yet"; add the digit, divide by 10:
#
# * 0.5 → 3: (0.5 + 3) / 10 = **0.35** → 1: (0.35 + 1) / 10 = **0.135** → 4: (0.135 + 4) / 10 = **0.4135**
#
# This is an **encoder**: the same small step for each digit, a state that is carried on, and at the end one number, the
# **context** $c$. The **decoder** multiplies by 10 and takes the whole part away, again and again: 4.135 gives **4**
# and leaves 0.135, then 1.35 gives **1**, then 3.5 gives **3** and leaves 0.5: the end. What went in last comes out
# first. And only one digit lies open at a time; the others are folded in behind it.
#
# ## 2. The same with vectors
#
# Nobody writes down how to pack: the network learns it.
#
# $$h_t = f(x_t, h_{t-1}) \qquad c = \tanh(W_c\, h_T)$$
#
# $$s_t = g(y_{t-1}, c, s_{t-1}), \quad s_0 = c \qquad \text{logits}_t = W_o\, [s_t; c]$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $x_t$, $y_{t-1}$ | a row of `embedding` | batch, 32 | the vectors of the digit read and the digit written last |
# | $h_t$, $s_t$ | `h`, `s` | batch, hidden | the states of encoder and decoder |
# | $c$ | `c` | batch, hidden | **the context: all that the decoder ever hears of the source** |
# | $\text{logits}_t$ | output of `Decoder` | batch, 13 | one number for each token; the largest is written |
#
# $[s_t; c]$ is one vector after the other. A **token** is a digit or one of three special marks: padding, begin, end.
# Biases are left out. $f$ and $g$ are GRU cells: recurrent steps that learn how much of the old state to keep.
# [Lesson 01a](01a_fading_gradients.ipynb) asks what that buys.

# %%
class Encoder(nn.Module):
    def __init__(self, vocabulary, embedding, hidden):
        super().__init__()
        self.embedding, self.f = nn.Embedding(vocabulary, embedding), nn.GRUCell(embedding, hidden)
        self.W_c = nn.Linear(hidden, hidden)

    def forward(self, source):  # [batch, tokens] -> c [batch, hidden]
        h = torch.zeros(len(source), self.f.hidden_size)
        for x in self.embedding(source).unbind(dim=1):
            h = self.f(x, h)
        return torch.tanh(self.W_c(h))

# %%
class Decoder(nn.Module):
    def __init__(self, vocabulary, embedding, hidden):
        super().__init__()
        self.embedding, self.g = nn.Embedding(vocabulary, embedding), nn.GRUCell(embedding + hidden, hidden)
        self.W_o = nn.Linear(2 * hidden, vocabulary)

    def forward(self, token, s, c):  # one step: [batch], [batch, hidden], [batch, hidden]
        s = self.g(torch.cat([self.embedding(token), c], dim=1), s)
        return self.W_o(torch.cat([s, c], dim=1)), s

# %% [markdown]
# attnlab has the same model. The folded cell gives both the same numbers, and context and first logits agree:

# %% tags=["hide-input"]
theirs = FixedContext(13, 13, 32, 32, bidirectional=False)  # ten digits and three special marks
encoder, decoder = Encoder(13, 32, 32), Decoder(13, 32, 32)
for mine, other in (encoder, theirs.encoder), (decoder, theirs.decoder):
    for own, copied in zip(mine.parameters(), other.parameters(), strict=True):
        own.data = copied.data  # the same numbers in both

source, source_lengths, target = same_length(5, torch.Generator().manual_seed(2))
memory, c = theirs.encode(source, source_lengths), encoder(source)
first = theirs.step(target[:, 0], theirs.start(memory), memory)[0]
assert torch.allclose(decoder(target[:, 0], c, c)[0], first, atol=1e-5)
print("c after 2 and after 200 digits:", *(list(encoder(torch.full((1, n), 3)).shape) for n in (2, 200)))

# %% [markdown]
# However long the source, $c$ has the same shape.
#
# **01.unpack.** Let the decoder write. `step(token, state, c)` is one step like the one above: it returns logits
# [batch, vocabulary] and the next state. The state begins as `c` [batch, hidden], the first token is `begin`, and each
# step reads one token for each string, [batch], the one that the step before found likeliest. `begin` and `count` are
# whole numbers. Give the logits of all `count` steps, [batch, count, vocabulary].

# %%
def unpack(c, step, begin, count):
    ...


check("01.unpack", unpack)

# %%
hint("01.unpack")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def unpack(c, step, begin, count):
#     state, token, written = c, torch.full((len(c),), begin), []
#     for _ in range(count):
#         logits, state = step(token, state, c)    # the state moves on, the context never
#         token = logits.argmax(dim=-1)            # what is written is what is read next
#         written.append(logits)
#     return torch.stack(written, dim=1)
# ```
# </details>
#
# ## 3. The race
#
# The task: read digits, write them backwards. 31415 becomes 51413. Nothing has to be understood, only remembered.
# Training strings have 1 to 12 digits and are drawn anew for every step; the test strings were drawn separately.
# (There are only a thousand strings of three digits, so most of these are met in training, too.)
#
# Four models learn side by side, from the same strings. Three pass everything through one vector, of 16, 32 or 64
# numbers. The fourth has states of 32 numbers and may look back at all of them; lesson 02 shows how. All read in one
# direction, from left to right.

# %%
lengths, steps = range(3, 13), 700
task = TASKS["reverse"](shortest=3, longest=12, tests_per_length=100)
held_out = task.collate(task.test)


def new_models():
    models = {}
    for size in 16, 32, 64:
        torch.manual_seed(0)
        models[f"{size} numbers"] = FixedContext(13, 13, size, 32, bidirectional=False)
    torch.manual_seed(0)
    models["looking back"] = AttentionSeq2Seq(13, 13, 32, 32, bidirectional=False)
    return models

# %%
models, history = new_models(), []

# %% tags=["hide-input"]
from widgets import AccuracyByLengthExplorer, Training


def measure():  # the share of test strings that come back without a mistake, of each length
    shares = [share_by_length(exact(m, *held_out), held_out.source_lengths) for m in models.values()]
    history.append((50 * len(history), torch.stack(shares)))
    return {"vector": shares[1].mean(), "back": shares[-1].mean()}

# %%
def start():  # Reset calls it again
    history[:] = [(0, torch.zeros(4, len(lengths)))]
    for name, fresh in new_models().items():
        models[name].load_state_dict(fresh.state_dict())
    runs = [fit(m, lambda g, m=m: teacher_forcing(m, *same_length(64, g)), steps, rate=1e-2) for m in models.values()]
    return measured(side_by_side(runs), measure, every=50)

# %% tags=["hide-input"]
training = Training(start, steps, seconds=20, name="race", metrics={
    "vector": "32 numbers, exact", "back": "looking back, exact"})
cliff = AccuracyByLengthExplorer(history, models, lengths, steps, vector=1, lock=training.lock)
training.on_step(lambda step: step.metrics and cliff.refresh())

# %% tags=["hide-input"]
guess("01.width", then=[training, cliff])

# %% [markdown]
# Press **Start**; it takes about twenty seconds. In training each decoder is fed the right previous digit and
# not its own (**teacher forcing**). The **loss** says how improbable the right digits were to the model, and training
# lowers it. It jumps, since the length of the strings changes from batch to batch.

# %%
training.run()
training

# %% [markdown]
# Then, in the chart under the training, step through the sizes of the vector: how far does each doubling move the
# curve? **Play it again** with the slider *training step*: the curves of the fixed vectors advance from the left, fast
# at first, then slower. When does the curve of the model that looks back begin to rise, and where does it end?
#
# One string, and what each of them writes:

# %%
RecallByModelExplorer(models, task, digits="314159265358", length=4, lock=training.lock)

# %% [markdown]
# **Try** the slider: lengthen the string. Which models give up first? Does one recover? One string is luck; section 4
# counts. They write from right to left, so that each digit stands under the one that it should repeat. A dot: the
# model stopped too early.
#
# ## 4. Is the race fair?
#
# It had one **seed**, that is, one draw of the numbers it began with, and one length of training. Here are three seeds
# (`attnlab/trained/train_recall.py`), and two controls: a vector in a model with more than twice the parameters of the
# one that looks back, and four times the training.

# %%
recall = trained.recall()
runs = {f"{name}, {steps} steps": (name, run) for name, by_steps in recall["runs"].items()
        for steps, run in by_steps.items()}
Table({
    "model": list(runs),
    "parameters": [recall["parameters"][name] for name, _ in runs.values()],
    **{f"{n} digits": [[seed[n - 3] for seed in run] for _, run in runs.values()] for n in (4, 6, 8, 10, 12)},
}, title="strings that come back without a mistake; three seeds: mean, lowest and highest")

# %% [markdown]
# With 32 numbers, half of the strings get lost at about 6 digits; with four times the training at about 9, and of the
# strings of 12 digits less than a tenth come back. Looking back returns more than four in five of these, after the
# short training, and with less than half the parameters of the vector of 64. So **in as many steps** looking back wins
# this task by far. Four times the training moves the limit of the vector by about three digits; it is still there.
#
# **Learned, or fits?** Twelve digits are 40 bits. Section 1 packs 7 digits into a single float32, so a vector of 32 of
# them has room for more than 200 digits. It is not full. What you see is how much the network has *learned* to pack in
# so many steps. A model that looks back need not pack the whole string into one vector.
#
# <details><summary>Think first, then unfold: could a vector of 32 float32 numbers hold strings of any length, if only
# the training were long enough?</summary>
#
# No. It has 32 · 32 = 1,024 bits, so at most 2¹⁰²⁴ ≈ 1.8 · 10³⁰⁸ different contexts. There are 10³⁰⁹ strings of 309
# digits. So two must share a context, and no decoder can tell them apart. That is far away here. But a memory of fixed
# size has a limit, while one with a state for each word grows with the source.
# </details>
#
# ## 5. Not only digits
#
# The words of a sentence predict each other, so there is less to keep. Two more translators, so small that a state is
# eight numbers and can be drawn, learn from five hundred sentences like *we are eating bread*.

# %%
translators = {"looking back": train_recall.translator(AttentionSeq2Seq, 8),
               "one fixed vector": train_recall.translator(FixedContext, 8)}
for name, right in recall["sentences"].items():  # three seeds
    print(f"{name:24} {', '.join(map(str, right))} of 60 new sentences without a mistake")
sentences = len(train_recall.PHRASES.pairs()) + 60
print(f"there are {sentences} such sentences in all, so one of them is {log2(sentences):.0f} bits")

# %% tags=["hide-input"]
from widgets import EncoderDecoderExplorer

machine = EncoderDecoderExplorer(
    translators, train_recall.PHRASES, text="we are eating bread", mode="one fixed vector", step=7)
guess("01.due", then=machine)

# %% [markdown]
# **Step through it.** The encoder leaves a state at every word, but only the last is handed over. Where does the
# translation go wrong? Then choose *looking back* and see where that model takes the same word from. With 16 numbers
# (printed above) nearly all come out right: one of 564 sentences is less to remember than
# three digits.
#
# **In the papers.** Cho and others (2014) measured it: their translator did well on short sentences and got worse
# quickly with length. Sutskever and others (2014) took a state of 8,000 numbers and had no difficulty with long
# sentences. They read the source **backwards**: the first words, which are needed first, are then the
# newest. Bahdanau and others (2015, figure 2) drew such curves with real sentences.
#
# <details><summary>For another day: the other exercise, 01.step</summary>
#
# One step of a plain recurrent decoder with a fixed context. `y` [batch, dim] is the vector of the token written last,
# `state` [batch, hidden], `c` [batch, context]; the next state is tanh(y W + state U + c C + b).
# `check("01.step", decoder_step)` of `decoder_step(y, state, c, W, U, C, b)` names the mistake.
# </details>
#
# ## 6. What is still broken
#
# * The size of the memory does not depend on the size of the source.
# * Every state $h_1 \dots h_T$ of the encoder was computed, and all but the last were thrown away.
#
# So why not keep all the states, and let the decoder look at the ones it needs? **Lesson 02**.
#
# **Sources.** I. Sutskever, O. Vinyals, Q. Le, *Sequence to Sequence Learning with Neural Networks*, 2014 (sections
# 3.3, 3.4 and 3.7). K. Cho and others, *Learning Phrase Representations using RNN Encoder-Decoder*, 2014 (the model
# that section 2 simplifies), and *On the Properties of Neural Machine Translation*, 2014 (quality and length). D.
# Bahdanau, K. Cho, Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate*, 2015. The
# question comes from J. Johnson's lecture on attention (University of Michigan), the packed digits from arithmetic
# coding.
