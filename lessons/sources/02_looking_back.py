# %% [markdown]
# # Looking back: what if the decoder could look back at every step?
#
# A network reads *mardi 3 mars 1992* and writes *1992-03-03*. If all it keeps of the source is one vector, much is
# lost on the way. Here its decoder may look back, at every step, at everything that was read. Nobody tells it where
# to look. Watch it find out.
#
# **You will be able to** compute a context from scores by hand, write additive attention in five lines, read an
# alignment matrix, change it and see the translation change, and tell greedy search from beam search.
#
# The cells run for about a minute on two cores. **You should know** Python, matrix products, and that a recurrent
# network carries a state from one word to the next.

# %%
from copy import deepcopy

import torch
from torch import nn

from attnlab import Additive, AttentionSeq2Seq, FixedContext, attend
from attnlab import exact, fit, greedy, record, teacher_forcing
from attnlab.exercises import check, hint
from attnlab.tasks import BOS, EOS, TASKS, Progressives
from attnlab.training import measured
from widgets import BeamSearchExplorer, DateTranslationExplorer, DecoderStepExplorer, EncoderDecoderExplorer
from widgets import Chart, Predict, PredictCell, Training, TranslationExplorer, bars, figure

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Start the training, then guess
#
# The task: dates in eighteen languages and regions, from the Unicode consortium's collection, to the ISO form. Year,
# month and day stand in a different order in each. A tenth of all days from 1900 to 2100 is held out: never seen in
# training, in no language.

# %%
task = TASKS["dates"]()
example = task.recognise("mardi 3 mars 1992")
held_out = task.collate(task.test)


def new_model(seed, kind=AttentionSeq2Seq):
    torch.manual_seed(seed)
    return kind(len(task.source_vocabulary), len(task.target_vocabulary))


for other in task.test[:18]:  # one of each
    print(f"{other.locale:6} {other.target}  {other.source}")

# %% [markdown]
# Press **Start** and read on while it learns; it needs about ten seconds. The matrix shows one date of the film:
# the characters that are written are the rows, the characters that are read are the columns. Step 0 is the model
# before it has learned anything. Afterwards, drag the handle on the curve to play the film again.

# %%
model = new_model(seed=0)


def start():  # Reset calls it again
    model.load_state_dict(new_model(seed=0).state_dict())
    training = fit(model, lambda g: teacher_forcing(model, *task.batch(64, g)),
                   steps=200, rate=1.5e-2)
    return measured(training, exact_dates, every=20)


def exact_dates():
    return {"exact": exact(model, *held_out).float().mean()}

# %%
one = task.collate([example])


def watch():  # the weights while it writes the one example
    with torch.no_grad(), record(model) as trace:
        model(one.source, one.source_lengths, one.target[:, :-1])
    return torch.cat([seen.weights[0] for seen in trace["decoder.attention"]])[:10]


training = Training(
    start, steps=200, watch=watch, film_every=4, seconds=10, name="dates",
    metrics={"exact": "held-out dates exact"},
    query_labels=list(example.target), key_labels=list(example.source),
)
training

# %% tags=["hide-input"]
right = torch.zeros(10, 17)
for row, places in enumerate(task.alignment(example)):
    right[row, sorted(places)] = 1 / max(len(places), 1)

PredictCell(
    "The decoder has written 1992-0. Now comes the 3 of the month. Which character must it read? Click one.",
    right,
    answer=[(6, column) for column in sorted(task.alignment(example)[6])],
    why="The month stands in “mars”; the 3 before it is the day. The filled cells are where a person would look. The "
        "model is never shown them: it is only told which character comes next. Compare with the film above.",
    query_labels=list(example.target), key_labels=list(example.source), current=6,
)

# %% [markdown]
# ## 2. By hand
#
# Lectures like the sentence *we are eating bread*, in Spanish *estamos comiendo pan*. The encoder has turned each
# English word into a vector, its **state**. The decoder is about to write *comiendo* and gives every state a
# **score**. Softmax makes the scores **weights** that sum to 1, and the **context** is the mixture of the states in
# these proportions. With a pencil: $e^0, e^1, e^2, e^0$ are 1, 2.72, 7.39, 1; their sum is 12.11; so *eating* gets
# 7.39 / 12.11.

# %%
states = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [0.0, 3.0]])
scores = torch.tensor([0.0, 1.0, 2.0, 0.0])  # of we, are, eating, bread
weights = scores.exp() / scores.exp().sum()
context = weights @ states
print("weights", weights)
print("context", context)

# %% tags=["hide-input"]
glance = DecoderStepExplorer()
Predict(
    "All four scores rise by 1. What happens to the weights?",
    choices=[
        ("they all rise", "They cannot all rise: they sum to 1."),
        ("the largest gains", "That would happen if the scores were multiplied. Adding is not multiplying."),
        ("nothing", "Each term e^score grows by the same factor e, and the division takes it out again. Only the "
                    "differences between scores count."),
    ],
    answer="nothing",
    then=glance,
)

# %% [markdown]
# **Try** the four sliders. In the lower picture each state is a dot, as large as its weight. Raise *bread* slowly from
# 0 to 5: the weight flows from *eating* to *bread* without a jump, and the context slides along. That is the point of
# soft weights: a small change of a score is a small change of the context, so gradients can flow through the choice.
# Notice two limits: no score makes a weight exactly 0, and the context never leaves the area between the four dots.
#
# **The whole machine.** That was one step, with numbers by hand. Here is all of it, with numbers that were learned: two
# translators of sentences of this kind, so small that a state is eight numbers. One must pass everything through a
# single vector, the other looks back.

# %%
small = Progressives()  # "we are eating bread", "they are not reading letters" ...


def small_translator(kind):
    torch.manual_seed(0)
    model = kind(len(small.source_vocabulary), len(small.target_vocabulary), 8, 8, bidirectional=False)
    for _ in fit(model, lambda g: teacher_forcing(model, *small.batch(64, g)), steps=400, rate=1.5e-2):
        pass
    return model

# %%
translators = {"looking back": small_translator(AttentionSeq2Seq), "one fixed vector": small_translator(FixedContext)}
came_right = [exact(each, *small.collate(small.test)).float().mean().item() for each in translators.values()]
print("looking back: at least 90 % of unseen sentences exact:", came_right[0] >= 0.9)
print("one fixed vector: at most 70 %:", came_right[1] <= 0.7)

# %% tags=["hide-input"]
machine = EncoderDecoderExplorer(translators, small, text="we are eating bread", step=12)
Predict(
    "The decoder is about to write its second word. You take hold of a weight and pull it up. What may change?",
    choices=[
        ("the context of this step, nothing else", "The context goes into the decoder's next state, and that state "
                                                   "names the word."),
        ("this word and all that follow", "The context makes the next state. It names this word, and it is what asks "
                                          "for the next one."),
        ("all words", "What is written is written: nothing goes back to the words before."),
    ],
    answer="this word and all that follow",
    then=machine,
)

# %% [markdown]
# **Press play** and watch one word come about: the decoder's state asks all four states of the encoder, each answers
# with a score, softmax makes them weights, and each state crosses on a beam as wide as its weight. All beams together
# are exactly as wide as the context, because the weights sum to 1. **Try**
#
# * *context from* one fixed vector: the same word, the same moment, without a choice. What does it write?
# * at *weigh*, drag a weight up or down. The words after it follow.
# * a sentence of your own, such as *they are not reading letters*.
#
# ## 3. The formula
#
# At step $t$ the decoder's previous state asks, and every encoder state answers:
#
# $$e_{t,i} = v^\top \tanh(W_q\, s_{t-1} + W_k\, h_i) \qquad a_{t} = \mathrm{softmax}(e_{t})$$
#
# $$c_t = \sum_i a_{t,i}\, h_i \qquad s_t = g(y_{t-1}, s_{t-1}, c_t)$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $s_{t-1}$ | `query` | batch, 1, 64 | what the decoder knows so far |
# | $h_i$ | `key` and `value` | batch, keys, 128 | what the encoder made of each character, read in both directions |
# | $e_{t,i}$ | `scores` | batch, 1, keys | how well they match |
# | $a_{t,i}$ | `weights` | batch, 1, keys | how much each is read; a row sums to 1 |
# | $c_t$ | `context` | batch, 1, 128 | what was read |
#
# Queries are rows and keys are columns, here and in every lesson. Keys and values are the same vectors; lesson 04
# separates them.
#
# ## 4. In torch
#
# The score is a small network. Its first layer is linear in the query and in the key, so each is multiplied once and
# the sums are made for all pairs. `attend` does the rest.

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
torch.manual_seed(0)
mine, theirs = AdditiveScore(64, 128, 64), Additive(64, 128, 64)
for own, other in zip(mine.parameters(), theirs.parameters(), strict=True):
    own.data = other.data  # the same numbers in both

query, key = torch.randn(2, 1, 64), torch.randn(2, 17, 128)
weights = mine(query, key).softmax(dim=-1)
context = weights @ key

found = attend(query, key, value=key, score=theirs)
assert torch.allclose(found.weights, weights, atol=1e-6)
assert torch.allclose(found.context, context, atol=1e-5)
for name, tensor in found._asdict().items():
    print(f"{name:8}", list(tensor.shape))

# %% [markdown]
# **Teacher forcing.** While it learns, the decoder is fed the right previous character, not its own, so that one
# early mistake does not spoil the rest. In training and at work it therefore sees different things; when all goes
# well, the same.

# %%
ids = task.target_ids(example.target).tolist()
names = task.target_vocabulary
print("is fed      ", " ".join(names[i] for i in ids[:-1]))
print("must write  ", " ".join(names[i] for i in ids[1:]))

# %% [markdown]
# ## 5. Where does it look?
#
# The next cell finishes the training, if it is not done yet. Then look at the film once more. First the dates come
# out wrong and all cells have the same faint tint: the model reads everything a little. Then, within a few dozen
# steps, most rows settle where a person would look, and the curve of exact dates shoots up at the same time. Nobody
# supervised the weights: the gradient of the loss went through them. A few rows look one character aside, or
# nowhere in particular. Section 6 comes back to them.

# %%
training.run()
print("at least 98 % of held-out dates exact:", training.result["exact"] >= 0.98)
training

# %% [markdown]
# Now it is yours. **Type** a date in any of the eighteen languages and regions, one of these or your own:
#
# * `March 3, 1992`
# * `3. März 1992`
# * `1992年3月3日`
# * `٣ مارس ١٩٩٢`
# * `3 марта 1992 г.`
#
# **Step** through the writing. The row now written is outlined, and beside it stand the model's chances for the next
# character.
#
# **Then take over.** Click a row of the year. In the strip below the matrix, pull up the bar under another digit of
# the year: the other bars shrink. Press *decode again from here*. The model now reads what you made it read, and goes
# on from there with what it wrote.

# %%
dates = DateTranslationExplorer(model, task, text="mardi 3 mars 1992", step=7,
                     lock=training.lock)
dates

# %% [markdown]
# The same in code: `greedy` takes weights by hand for any step. Here the third digit of the year is made to look at
# nothing but the last character. The weights are not decoration: change them, and the year changes.

# %%
source = task.read("mardi 3 mars 1992")
look_at_the_end = torch.zeros(17)
look_at_the_end[16] = 1.0

for by_hand in {}, {2: look_at_the_end}:
    steps = greedy(model, source, BOS, EOS, weights=by_hand)
    print(task.write([step.token for step in steps]))

# %% [markdown]
# ## 6. The measurement
#
# With dates the right place is known for every digit, so the alignment can be checked and not only admired. Two
# questions, and they are different ones: is the **output** right, and does the **weight** lie on the right part of
# the source (the year for the digits of the year, and so on)? Three seeds for the model that looks back; beside it
# the same network with one fixed vector instead of attention, trained the same number of steps.

# %%
def weight_on_the_right_part(model):
    with torch.no_grad(), record(model) as trace:
        model(held_out.source, held_out.source_lengths, held_out.target[:, :-1])
    steps = [seen.weights for seen in trace["decoder.attention"]]
    weights = torch.cat(steps, dim=1)  # [batch, queries, keys]
    shares = [weights[i, row, places].sum() for i, row, places in right_places]
    return torch.stack(shares).mean().item()


right_places = [(i, row, sorted(places)) for i, example in enumerate(task.test)
                for row, places in enumerate(task.alignment(example)) if places]
even = [len(places) / len(task.test[i].source) for i, _, places in right_places]
print(f"weights spread evenly would give {sum(even) / len(even):.2f}")

# %%
def train(seed, kind=AttentionSeq2Seq):
    model = new_model(seed, kind)
    for _ in fit(model, lambda g: teacher_forcing(model, *task.batch(64, g)),
                 steps=200, rate=1.5e-2, seed=seed):
        pass
    return model


models = [model, train(seed=1), train(seed=2)]
fixed = train(seed=0, kind=FixedContext)
dates_right = [exact(m, *held_out).float().mean().item() for m in [*models, fixed]]
shares = [weight_on_the_right_part(m) for m in models]

# %%
seeds, mean = ["seed 0", "seed 1", "seed 2"], sum(shares) / 3
spread = f"mean weight {mean:.3f}, seeds {min(shares):.3f} to {max(shares):.3f}"
Chart(figure(
    bars(dates_right, [*seeds, "one fixed vector"], "dates exact", "context",
         text=dates_right),
    bars(shares, seeds, "weight on the right part", "key", text=shares),
    title="Right answers, and weights in the right place", x=spread, y_range=[0, 1.1],
).update_traces(texttemplate="%{text:.3f}", textposition="outside"))

# %%
print("each seed at least 98 % exact:", min(dates_right[:3]) >= 0.98)
print("one fixed vector below 50 % exact:", dates_right[3] < 0.5)
print("weight on the right part at least 0.85 for each seed:", min(shares) >= 0.85)
print("the seeds differ by less than 0.1:", max(shares) - min(shares) < 0.1)

# %% [markdown]
# The numbers on the bars are those of this run. The model that looks back gets practically every date right; with one
# fixed vector, the same number of steps is not enough for half of them. And most of the weight lies where it should.
# Most, not all: the two measures are not the same. A state of the encoder has read its neighbours too, so a model can
# be right while it looks one character aside. **Report both, and never take one for the other.**
#
# ## 7. Words, and a search that keeps its options
#
# From characters to words: a small phrasebook, English to Spanish. Two things happen that no word-by-word dictionary
# can do. Verbs melt together, *we are* becomes *estamos*. And adjectives swap: *the european economic area* becomes
# *la zona económica europea*, three words in reverse order.

# %%
phrases = TASKS["phrasebook"]()
unseen = phrases.collate(phrases.test)
torch.manual_seed(0)
translator = AttentionSeq2Seq(
    len(phrases.source_vocabulary), len(phrases.target_vocabulary))
for step in fit(translator, lambda g: teacher_forcing(translator, *phrases.batch(64, g)),
                steps=400, rate=8e-3):
    if step.step == 90:
        beginner = deepcopy(translator)  # for later: a model in doubt
share = exact(translator, *unseen).float().mean().item()
print("at least 95 % of unseen sentences exact:", share >= 0.95)

# %% tags=["hide-input"]
reading = TranslationExplorer(translator, phrases, text="the european economic area", step=4)
Predict(
    "Keys from left to right, queries from top to bottom. Where will the large weights lie?",
    choices=[
        ("on one diagonal, down to the right", "That would be a translation word by word, “european” before “area”."),
        ("top left, then down to the left", "“la” reads “the”. Then the order turns around: “zona” comes first and "
                                            "reads the last word."),
        ("all in the last column", "That is all a model with one fixed vector has. This one may look anywhere."),
    ],
    answer=1,
    then=reading,
)

# %% [markdown]
# The three words lie on the other diagonal: *zona* reads *area* and *económica* reads *economic*. *europea* reads
# mostly *european*, and a good part of it elsewhere: each state has read its neighbours in both directions, so there
# is more than one place to find out. Now type *we are eating bread*, and then sentences of your own; a word that it
# does not know it will name.
#
# So far the decoder took the most probable word at each step: **greedy** search. It cannot take a step back. **Beam
# search** keeps the best few beginnings, extends each, and drops all but the best again. One that ends with `<EOS>`
# is complete and leaves the beam.

# %%
BeamSearchExplorer(translator, phrases, text="the european economic area", width=3)

# %% [markdown]
# **Try** widths 1 to 5, and unroll the tree step by step. Width 1 is greedy search. With a model as sure as this one
# the best path is the greedy one, and the others die early. Search matters where a model is in doubt. Here is the
# same model as it was after 90 steps of training. Unroll the tree: greedy search, the dashed path, takes the
# likeliest first word and cannot repent. The beam keeps less likely ones too, and one of them overtakes.

# %%
BeamSearchExplorer(beginner, phrases, text="the european economic area", width=3)

# %% [markdown]
# ## 8. Exercises
#
# Two functions are yours to write. Replace the dots and run the cell; `check` names the mistake.
#
# **02.additive.** The weights of additive attention, with a mask. `query` [batch, queries, query_dim], `key` [batch,
# keys, key_dim], `W_q` [query_dim, dim], `W_k` [key_dim, dim], `v` [dim], `mask` [batch, queries, keys] with True =
# may attend. A query that may attend to nothing gets weights of 0.

# %%
def additive_weights(query, key, W_q, W_k, v, mask):
    ...


check("02.additive", additive_weights)

# %%
hint("02.additive")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def additive_weights(query, key, W_q, W_k, v, mask):
#     pairs = (query @ W_q).unsqueeze(2) + (key @ W_k).unsqueeze(1)  # [batch, queries, keys, dim]
#     scores = torch.tanh(pairs) @ v                                 # [batch, queries, keys]
#     weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
#     return weights.masked_fill(~mask, 0)                           # an empty row is NaN before this line
# ```
# </details>
#
# **02.context.** One step of the decoder: its context [batch, dim]. `state` [batch, hidden] asks, `memory` [batch,
# source, dim] answers, `mask` [batch, source] is False at the padding, `score(query, key)` is any score.

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
# ## 9. What is still broken
#
# * The score was one choice among many. Is a small network the best way to compare two vectors? **Lesson 03** tries
#   eight.
# * Encoder and decoder still crawl from word to word. Nothing in `attend` needs that: **lesson 05** throws the
#   recurrence away.
# * Every character that is written is compared with every character that was read: a text twice as long costs four
#   times as much. **Lesson 12** measures it.
#
# **Sources.** D. Bahdanau, K. Cho, Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and
# Translate*, 2015: the mechanism of sections 2 to 5. I. Sutskever, O. Vinyals, Q. Le, *Sequence to Sequence Learning
# with Neural Networks*, 2014: one fixed vector, and beam search. The sentences *we are eating bread* and *the
# european economic area* are those of J. Johnson's lecture on attention (University of Michigan); the second comes
# from Bahdanau's figure, there into French. Beam search follows the ECNU lecture *Attention Is All You Need*. Dates:
# Unicode CLDR, through Babel.
