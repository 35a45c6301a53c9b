# %% [markdown]
# # Against recurrence: what does a Transformer gain, and what does it not?
#
# Lesson 10 trains a translator without any recurrence. Does it learn faster than the recurrent one of lesson 02, which
# it was meant to replace? Here the two compete, on terms as equal as we could make them, and then recurrence comes back
# by another door.
#
# **You will be able to** compare two models fairly, say when a Transformer's training step is the shorter one, and tell
# what was learned by heart from what was understood.
#
# **You should know** lessons 02 and 10.

# %%
from attnlab import trained
from widgets import Chart, Table, curve, figure, guess

found = trained.translators()
roles, race = {"Transformer": "context", "recurrent": "query"}, found["runs"]


def half(run, of):  # the step or second at which half of the sentences are right for the first time
    return next(when for when, right in zip(of, run["exact"], strict=True) if right >= 0.5)

# %% [markdown]
# ## 1. Equal terms
#
# The phrasebook of lesson 10, 280 steps of 64 sentences. The two models have the same number of parameters to within
# one in a hundred, and are given the same batches. What is right for one may be wrong for the other, so the learning
# rate is chosen for each by itself: the best of 0.003, 0.006 and 0.012, with a seed that is not counted. (The recurrent
# one's is the highest of them, so a still higher one might suit it better.) Then three seeds each, measured by
# `attnlab/trained/train_translators.py`.

# %% tags=["hide-input"]
curves = Chart(figure(
    *(curve(run["exact"], found["steps"], name if run is runs[0] else "", roles[name], line_width=2)
      for name, runs in race.items() for run in runs),
    x="training step", y="held-out sentences exact", y_range=[0, 1.05], height=300,
    title="Equal parameters and batches, each at the best of three rates; three seeds"))
numbers = Table({
    "model": [*race],
    "right at the end": [[run["exact"][-1] for run in runs] for runs in race.values()],
    "half right after steps": [", ".join(str(half(run, found["steps"])) for run in runs) for runs in race.values()],
    "after seconds": [", ".join(f"{half(run, run['seconds']):.1f}" for run in runs) for runs in race.values()],
    "rate": [found["rates"][name] for name in race],
    "parameters": [found["parameters"][name] for name in race],
}, title="three seeds")
guess("10b.sooner", then=[curves, numbers])

# %% [markdown]
# ## 2. All places at once
#
# A recurrent network must read word after word: each state waits for the one before. A Transformer's training step
# computes all places at once. How long does a step take, a loss and its gradients, when sentences grow? The
# words are drawn from only 60, so the recurrent models are somewhat smaller; the time is that of one processor core.

# %% tags=["hide-input"]
looks = roles | {"recurrent, general score": "value", "recurrent, no attention": "key"}
lengths, spent = [4, 8, 16, 32, 64, 128], found["step times"]
shown = [(name, batch) for batch in ("4", "64") for name in spent if (name, batch) != ("recurrent, general score", "4")]
times = Chart(figure(
    *(curve(list(spent[name][batch].values()), lengths, f"{name}, {batch} at a time", looks[name], line_width=3,
            line_dash="solid" if batch == "64" else "dot")
      for name, batch in shown),
    x="words in source and in target", y="milliseconds a training step", xaxis_type="log", yaxis_type="log",
    xaxis_tickvals=lengths, yaxis_tickvals=[2, 5, 10, 30, 100, 300], height=340,
    title="A training step against the length",
))

# %% tags=["hide-input"]
numbers = Table({"words": lengths} | {
    f"{name}, {batch} at a time": [
        f"{spent[name][batch][str(words)] / spent['Transformer'][batch][str(words)]:.1f}" for words in lengths]
    for name, batch in shown if name != "Transformer"
}, title="a step takes so many times as long as the Transformer's")

# %% tags=["hide-input"]
guess("10b.step", then=[times, numbers])

# %% [markdown]
# All this is **one core**. A GPU can compute thousands of numbers at once and has little to do while it waits for the
# next small step, so there one would expect the gap to be far wider. We have not measured it. The paper calls it
# *significantly more parallelization*.
#
# <details><summary>Think first, then unfold: when it writes, is the Transformer faster, too?</summary>
#
# Then it has no advantage of this kind: both write one word after the other, for each word can only be read once it
# exists. And with every word the Transformer has more to look at, while a recurrent state stays as large as it was.
# Lessons 11 and 12 keep what can be kept, in a cache, and count what it costs.
# </details>
#
# ## 3. A world of names
#
# Names of countries, currencies and languages, English to French, letter by letter, from the Unicode consortium. Only
# short names are taken, and only those that differ in the two languages, so that a mere copy is never right. Both
# models learn for 400 steps at the same rate, 0.006; the Transformer is somewhat larger here. Beside the two
# stands a rule without a network (`by_ending` of `attnlab.analysis`): change the longest ending that is known from
# another name as it was changed there, and copy the rest.

# %% tags=["hide-input"]
names = found["names"]
shares = {name: [run["held out"] for run in runs] for name, runs in names["runs"].items()}
shares["a rule about endings"] = [names["by ending"]]
known = [[run["learned"] for run in runs] for runs in names["runs"].values()]
counts = f"{names['counts']['learned']} names to learn, {names['counts']['held out']} new"
numbers = Table(
    {"who translates": [*shares], "learned names exact": [*known, None], "new names exact": [*shares.values()]},
    title=f"{counts}; three seeds of each model: mean, lowest and highest", roles={"new names exact": "context"})

# %% tags=["hide-input"]
guess("10b.names", answer=round(100 * sum(shares["Transformer"]) / 3), then=numbers)

# %% [markdown]
# ## 4. Recurrence comes back
#
# If two layers are good, must they be different layers? The **Universal Transformer** has one block in each tower and
# repeats it: recurrent in its depth, not along the sentence. So depth costs no parameters, and it can be chosen when
# the training is over, within limits that we shall see. This one is trained with 1 to 4 repetitions, drawn anew for
# each batch; with the optimiser Muon, which makes each step of a matrix equally large in all directions (ten lines in
# lesson 11a), this takes some ten seconds.
#
# <details><summary>What Muon does</summary>
#
# Gradient descent moves a matrix by its gradient $G = U S V^\top$ (its singular value decomposition): far in the few
# directions where $S$ is large, hardly in all others. Muon leaves $S$ out and moves by $U V^\top$, equally far in each:
# `U, S, Vh = torch.linalg.svd(G, full_matrices=False)`, `step = U @ Vh`. In place of $G$ it takes a running mean of the
# gradients, and in place of the decomposition a few products that come close to it.
# </details>

# %%
from functools import partial

import torch

from attnlab import fit, teacher_forcing
from attnlab.optimisers import muon
from attnlab.schedules import cosine
from attnlab.tasks import TASKS
from attnlab.transformer import universal
from widgets import WeightSharingDepthExplorer

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %%
phrases = TASKS["phrasebook"]()
held_out = phrases.collate(phrases.test[:200])
torch.manual_seed(0)
sizes = len(phrases.source_vocabulary), len(phrases.target_vocabulary)
one_block = universal(*sizes, dim=64, heads=4, depth=3)


def loss(generator):
    batch, depth = phrases.batch(32, generator), int(torch.randint(1, 5, (), generator=generator))
    return teacher_forcing(one_block.at(depth), *batch)


schedule = partial(cosine, warmup=30, floor=0.02)
for _ in fit(one_block, loss, steps=180, rate=0.02, optimiser=muon, schedule=schedule):
    pass

# %% tags=["hide-input"]
numbers = Table({
    "repetitions": [str(depth) for depth in range(1, 9)],
    "exact": [list(shares) for shares in zip(*found["depths"], strict=True)],
}, title="held-out sentences exact; three seeds: mean, lowest and highest", roles={"exact": "context"})

# %% tags=["hide-input"]
guess(
    "10b.eight",
    then=[
    WeightSharingDepthExplorer(one_block, phrases, held_out, text="we are not eating the red apples"),
    numbers],
)

# %% [markdown]
# And what becomes of the sentence? **Try** your own, too, at every depth:

# %%
WeightSharingDepthExplorer(one_block, phrases, held_out, text="we are not eating the red apples", depth=8)

# %% [markdown]
# Left out here: the paper (Dehghani 2018) tells each repetition its number, and lets every word stop by itself when it
# is done.
#
# ## What you have
#
# * On this phrasebook the recurrent model learns faster. A Transformer computes all places of a training step at once.
#   On one core, with 4 sentences at a time, its step is the shorter one: from 8 words on, shorter even than that of a
#   recurrent model without attention. With 64 it beats only one with attention, at fewer words with an additive score.
# * Both can learn by heart what they were told, and that is not the same as having found a rule.
# * One block can be repeated, and how often can be chosen after the training, within limits.
#
# Back to [lesson 10](10_transformer.ipynb), or on to **lesson 11**.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: *significantly more parallelization*. M. Dehghani
# et al., *Universal Transformers*, 2018. Names: Unicode CLDR, through Babel. All measurements are ours.
