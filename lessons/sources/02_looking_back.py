# %% [markdown]
# # Looking back: what if the decoder could look back at every step?
#
# A network reads *mardi 3 mars 1992* and writes *1992-03-03*. In lesson 01 all that it kept of the source was one
# vector, and much was lost on the way. Here its decoder may look back, at every step, at everything that was read.
# Nobody tells it where to look. Watch it find out.
#
# **You will be able to** compute a context from scores by hand, write additive attention in five lines, read an
# alignment matrix, and change one so that the translation changes.
#
# **You should know** Python, matrix products, and that a recurrent network carries a state from one word to the next.

# %%
from textwrap import fill

import torch
from torch import nn

from attnlab import Additive, AttentionSeq2Seq, FixedContext, attend, exact, fit
from attnlab import greedy, measured, teacher_forcing, trained
from attnlab.analysis import even_digit_shares, mean_and_range
from attnlab.exercises import check, hint
from attnlab.tasks import BOS, EOS, TASKS, Progressives
from attnlab.training import weights_of
from widgets import DateTranslationExplorer, DecoderStepExplorer, EncoderDecoderExplorer
from widgets import Table, Training, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. One step by hand
#
# A favourite sentence of lectures is *we are eating bread*, in Spanish *estamos comiendo pan*. The encoder has turned
# each English word into a vector, its **state**. The decoder is about to write *comiendo* and gives every state a
# **score**: 0, 1, 2, 0. Softmax makes the scores **weights** that sum to 1, and the **context** is the mixture of the
# states in these proportions. With a pencil: $e^0, e^1, e^2, e^0$ are 1, 2.72, 7.39, 1; their sum is 12.11; so *eating*
# gets 7.39 / 12.11 = 0.61.

# %% tags=["hide-input"]
guess("02.all_rise", then=DecoderStepExplorer())

# %% [markdown]
# **Try** the four sliders. In the lower picture each state is a dot, as large as its weight. Raise *bread* slowly from
# 0 to 5: the weight flows from *eating* to *bread* without a jump, and the context slides along. So gradients can flow
# through the choice. Notice two limits: no finite score makes a weight exactly 0, and the context never leaves the area
# between the four dots. The same in code:

# %%
states = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [0.0, 3.0]])
scores = torch.tensor([0.0, 1.0, 2.0, 0.0])  # of we, are, eating, bread
weights = scores.exp() / scores.exp().sum()
context = weights @ states
print("weights", [round(weight, 2) for weight in weights.tolist()])
print("context", [round(number, 2) for number in context.tolist()])

# %% [markdown]
# <details><summary>Think first, then unfold: one lecture takes weights from a softmax and writes c = 1/N · (w₁h₁ + … +
# w_N h_N). What would become of the context?</summary>
#
# The weights sum to 1 already. Divided by the number of words, the context would shrink as the sentence grows: with
# four words to a quarter. It would still point in the same direction, and a network could learn to live with it, but
# it would no longer be a mixture of the states.
# </details>
#
# ## 2. Guess, then start the training
#
# The task: dates as eighteen languages and regions write them (from the Unicode Consortium's tables) become ISO dates.
# Year, month and day do not stand in the same order everywhere. A tenth of all days from 1900 to 2100 is held out:
# never seen in training, in any language.

# %%
task = TASKS["dates"]()
example = task.recognise("mardi 3 mars 1992")
one, held_out = task.collate([example]), task.collate(task.test)
for other in task.test[:6]:
    print(f"{other.locale:6} {other.target}  {other.source}")

# %%
model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary))


def start():  # Reset calls it again
    torch.manual_seed(0)
    model.load_state_dict(AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary)).state_dict())
    steps = fit(model, lambda g: teacher_forcing(model, *task.batch(64, g)), steps=200, rate=1.5e-2)
    return measured(steps, lambda: {"exact": exact(model, *held_out).float().mean()}, every=20)

# %%
def watch():  # the weights while it writes the one example
    return weights_of(model, "decoder.attention", one.source, one.source_lengths, one.target[:, :-1])[0, :10]

# %% tags=["hide-input"]
right = torch.zeros(10, 17)
for row, places in enumerate(task.alignment(example)):
    right[row, sorted(places)] = 1 / max(len(places), 1)

training = Training(
    start, steps=200, watch=watch, film_every=4, seconds=10, name="dates", metrics={"exact": "held-out dates exact"},
    query_labels=list(example.target), key_labels=list(example.source),
    summary=lambda found: f"Share of held-out dates exact, to a tenth: {found['exact']:.1f}.",
)

# %% tags=["hide-input"]
guess(
    "02.month",
    weights=right,
    answer=[(6, column) for column in sorted(task.alignment(example)[6])],
    query_labels=list(example.target),
    key_labels=list(example.source),
    current=6,
    then=training,
)

# %% [markdown]
# Press **Start** and read on while it learns; it needs about ten seconds. Rows are the characters that it writes,
# columns those that it reads; this matrix of all weights is called the **alignment**. Step 0 is the model before it has
# learned anything. While it learns, the decoder is fed the right previous character, not its own (**teacher forcing**),
# so that one early mistake does not spoil the rest.
#
# ## 3. The whole machine
#
# Section 1 took one step, with numbers chosen by hand. Here are all steps, with numbers that were learned: two
# translators of sentences like that one, so small that a state is eight numbers. One must pass everything through a
# single vector, the other looks back.

# %%
small = Progressives()  # "we are eating bread", "they are not reading letters" ...
print(fill(f"its words: {' '.join(small.source_vocabulary[3:])}", 88))


def small_translator(kind):
    torch.manual_seed(0)
    translator = kind(len(small.source_vocabulary), len(small.target_vocabulary), 8, 8, bidirectional=False)
    for _ in fit(translator, lambda g: teacher_forcing(translator, *small.batch(64, g)), steps=400, rate=1.5e-2):
        pass
    return translator

# %%
translators = {"looking back": small_translator(AttentionSeq2Seq), "one fixed vector": small_translator(FixedContext)}

# %% tags=["hide-input"]
machine = EncoderDecoderExplorer(translators, small, text="we are eating bread", step=12)
guess("02.pull", then=machine)

# %% [markdown]
# **Press play** and watch one word being made: the decoder's state asks all four states of the encoder, each answers
# with a score, softmax makes them weights, and each state crosses on a beam as wide as its weight. **Try**
#
# * at *weigh*, drag a weight up or down. What changes?
# * a sentence of your own, such as *they are not reading letters*.
#
# ## 4. The formula, and torch
#
# At step $t$ the decoder's previous state asks, and every encoder state answers:
#
# $$e_{t,i} = v^\top \tanh(W_q\, s_{t-1} + W_k\, h_i) \qquad \alpha_{t} = \mathrm{softmax}(e_{t})$$
#
# $$c_t = \sum_i \alpha_{t,i}\, h_i \qquad s_t = g(y_{t-1}, s_{t-1}, c_t)$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $s_{t-1}$ | `query` | batch, 1, 64 | what the decoder knows so far |
# | $h_i$ | `key` and `value` | batch, keys, 128 | two states of 64: one GRU's from the left, another's from the right |
# | $e_{t,i}$ | `scores` | batch, 1, keys | how well they match |
# | $\alpha_{t,i}$ | `weights` | batch, 1, keys | how much each is read; a row sums to 1 |
# | $c_t$ | `context` | batch, 1, 128 | what was read |
# | (Bahdanau) $W_a$, $U_a$, $v_a$ | $W_q$, $W_k$, $v$: `W_q`, `W_k`, `v` | | what the score has learned |
#
# Queries are rows and keys are columns, here and in every lesson. $W_q s$ and $W_k h_i$ are each computed
# once, and then added for every pair. `attend` does the rest: softmax and
# mixture.

# %%
class AdditiveScore(nn.Module):
    def __init__(self, query_dim, key_dim, dim):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)

    def forward(self, query, key):  # [batch, queries, dim], [batch, keys, dim]
        pairs = self.W_q(query).unsqueeze(2) + self.W_k(key).unsqueeze(1)
        return self.v(torch.tanh(pairs)).squeeze(3)  # [batch, queries, keys]

# %%
mine, theirs = AdditiveScore(64, 128, 64), Additive(64, 128, 64)
for own, other in zip(mine.parameters(), theirs.parameters(), strict=True):
    own.data = other.data  # the same numbers in both

query, key = torch.randn(2, 1, 64), torch.randn(2, 17, 128)
context = mine(query, key).softmax(dim=-1) @ key
mixed = key[:, torch.randperm(17)]
assert torch.allclose(attend(query, key, value=key, score=theirs).context, context, atol=1e-5)
assert torch.allclose(attend(query, mixed, value=mixed, score=theirs).context, context, atol=1e-5)

# %% [markdown]
# The last line is worth a pause: the states came in another order, and the context is the same. Attention has no use
# for the fact that what it looks at is a *sequence*. J. Johnson's lecture (see Sources) turns on this point, and so
# does half of this course: the states could be the parts of a picture (lesson 13), or the sequence itself (lesson 05).
# Whatever is known here of the order was put into the states by the encoder.
#
# **02.context.** One step of the decoder: its context [batch, dim]. `state` [batch, hidden] asks, `memory` [batch,
# source, dim] answers, `mask` [batch, source] is False at the padding that fills up short sources and must get no
# weight (a score of −∞ gets none). `score(query, key)` is any score: from [batch, queries, hidden] and [batch, keys,
# dim] it makes [batch, queries, keys], and the state is one query.

# %%
def context(state, memory, mask, score):
    ...


check("02.context", context)

# %%
hint("02.context")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def context(state, memory, mask, score):
#     scores = score(state.unsqueeze(1), memory)                          # [batch, 1, source]
#     weights = scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(dim=-1)
#     return (weights @ memory).squeeze(1)                                # [batch, dim]
# ```
# </details>
#
# ## 5. Where does it look?
#
# The next cell finishes the training, if it is not done yet.

# %%
training.run()
training

# %% [markdown]
# Drag the handle on the curve to play the film again. At first the dates come out wrong, and the model reads everything
# a little. Then, within a few dozen steps, most rows settle where a person would look, and the curve of exact dates
# rises at the same time. Nobody supervised the weights: the gradient of the loss went through them. A few rows look one
# character off; section 6 comes back to them.
#
# Now it is yours. **Type** a date in any of the eighteen languages and regions, one of these or your own:
#
# * `3. März 1992`
# * `1992年3月3日`
# * `٣ مارس ١٩٩٢`
# * `3 марта 1992 г.`
#
# **Step** through the writing. **Then take over.** Click a row of the year. In the strip below the matrix, pull up the
# bar under another digit of the year: the other bars shrink. Press *decode again from here*. The model now reads what
# you made it read, and goes on from there with what it wrote.

# %%
DateTranslationExplorer(model, task, text="mardi 3 mars 1992", step=7, lock=training.lock)

# %% [markdown]
# The same in code: here the third digit of the year is made to look at nothing but the last character. The weights
# are not decoration: change them, and the year changes.

# %%
look_at_the_end = torch.eye(17)[16]
for by_hand in {}, {2: look_at_the_end}:
    steps = greedy(model, task.read("mardi 3 mars 1992"), BOS, EOS, weights=by_hand)
    print(task.write([step.token for step in steps]))

# %% [markdown]
# ## 6. The measurement
#
# With dates the right place is known for every digit, so the alignment can be checked and not only admired. Two
# different questions: is the **output** right, and does the **weight** lie on the right part of the source (the year
# for the digits of the year, and so on)? Three seeds each, trained as above by `attnlab/trained/train_dates.py`, and
# beside them the control: the same encoder with a decoder that has one fixed vector (and fewer parameters), trained
# up to eight times as long.

# %%
looking, fixed = trained.dates()["runs"].values()
share = {f"{name}, {steps} steps": [run["exact"][steps] for run in runs]
         for name, runs in {"looking back": looking, "one fixed vector": fixed}.items() for steps in runs[0]["exact"]}
Table({"translator": list(share), "dates exact": list(share.values())}, roles={"dates exact": "context"},
      title="1,080 held-out dates; three seeds: mean, lowest and highest")

# %%
inside = [run["inside"] for run in looking]
print("weight on the right part, three seeds:", mean_and_range(inside, ".3f"))
print(f"spread evenly it would be {even_digit_shares(task.test).mean():.2f}")

# %% [markdown]
# Looking back is not the only way to get dates right. With eight times the steps the fixed vector gets there, too:
# dates are short, and all of them fit into 64 numbers. What looking back changes here is how few steps it takes. Lesson
# 01 shows what happens as sources grow longer.
#
# And most of the weight lies where it should. Most, not all: a state of the encoder has read its neighbours too, so a
# model can be right while it looks one character off. **Report both, and never take one for the other.**
#
# <details><summary>For another day: the other exercise, 02.additive</summary>
#
# The weights of additive attention, with a mask. `query` [batch, queries, query_dim], `key` [batch, keys, key_dim],
# `W_q` [query_dim, dim], `W_k` [key_dim, dim], `v` [dim], `mask` [batch, queries, keys] with True = may attend. A query
# that may attend to nothing gets weights of 0. `check("02.additive", additive_weights)` of `additive_weights(query,
# key, W_q, W_k, v, mask)` names the mistake.
# </details>
#
# ## 7. What is still broken
#
# * It wrote the likeliest character at each step and could not take one back. [Lesson 02a](02a_search.ipynb) gives it
#   several beginnings at once, and words in another order.
# * The score was one choice among many. Is a small network the best way to compare two vectors? **Lesson 03** tries
#   eight.
# * Encoder and decoder still crawl from word to word. Nothing in `attend` needs that: **lesson 05** throws the
#   recurrence away.
#
# **Sources.** D. Bahdanau, K. Cho, Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and
# Translate*, 2015: the mechanism. I. Sutskever, O. Vinyals, Q. Le, *Sequence to Sequence Learning with Neural
# Networks*, 2014: one fixed vector. The sentence *we are eating bread* is that of J. Johnson's lecture on attention
# (University of Michigan). Dates: Unicode CLDR, through Babel.
