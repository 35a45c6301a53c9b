# %% [markdown]
# # Search: does the likeliest next word lead to the likeliest sentence?
#
# The decoder of lesson 02 wrote the likeliest character, then the likeliest after that, and so on. It cannot take a
# step back. Here it translates sentences, keeps several beginnings at once, and you see when that helps and when it
# does not.
#
# **You will be able to** read an alignment that turns the order of words around, write beam search in ten lines, and
# say from a measurement what a wider beam is worth.
#
# **You should know** lesson 02.

# %%
from textwrap import fill

import torch

from attnlab import AttentionSeq2Seq, beam, best, exact, fit, measured, teacher_forcing, trained
from attnlab.tasks import BOS, EOS, TASKS
from widgets import BeamSearchExplorer, Table, Training, TranslationExplorer, TwoWordsExplorer, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. By hand
#
# A sentence has two words. The first is A with probability 0.6, or B with 0.4. After A there are three ways to go on,
# about equally likely: x 0.35, y 0.33, z 0.32. After B there is mostly one: x 0.9. **Greedy** search takes the
# likeliest word at each step. The tree will give the natural logarithm of each chance, since logarithms are added where
# chances are multiplied: $\ln 0.6 = -0.51$ for A, and the nearer to 0, the likelier.

# %% tags=["hide-input"]
chances = {"A x": 0.6 * 0.35, "A y": 0.6 * 0.33, "A z": 0.6 * 0.32, "B x": 0.4 * 0.9}
guess("02a.greedy", then=[
    TwoWordsExplorer(),
    "The products say the same: " + ", ".join(f"{sentence} {chance:.2f}" for sentence, chance in chances.items())
    + ". Greedy search begins with A and ends at 0.21. The likeliest sentence begins with the less likely word."])

# %% [markdown]
# **Beam search** keeps the best few beginnings, say 2, each a **hypothesis**, extends each, and drops all but the best
# 2 again. So it keeps B, too, until it has seen what follows. **Try** the *chance of A*: where is greedy search wrong?
# By hand: where A is the likelier word, and yet $0.35\,p$ is less than $0.9\,(1 - p)$: between $p = 0.5$ and $0.72$.
#
# ## 2. Words in another order
#
# A small phrasebook, English to Spanish. Two things happen that no dictionary can do word by word. Words melt together:
# *we are* becomes *estamos*. And adjectives move behind their nouns: *the european economic area* becomes *la zona
# económica europea*.

# %%
task = TASKS["phrasebook"]()
sizes = len(task.source_vocabulary), len(task.target_vocabulary)
model, beginner = AttentionSeq2Seq(*sizes), AttentionSeq2Seq(*sizes)
some = task.collate(task.test[:200])
print(fill(f"its words: {' '.join(sorted(task.source_vocabulary[3:]))}", 88))
print("words and signs that it writes:", len(task.target_vocabulary))

# %%
def learn():
    for step in fit(model, lambda g: teacher_forcing(model, *task.batch(64, g)), steps=400, rate=8e-3):
        if step.step == 60:
            beginner.load_state_dict(model.state_dict())  # for later: a model in doubt
        yield step


def start():  # Reset calls it again
    torch.manual_seed(0)
    model.load_state_dict(AttentionSeq2Seq(*sizes).state_dict())
    return measured(learn(), lambda: {"exact": exact(model, *some).float().mean()}, every=40)

# %% tags=["hide-input"]
training = Training(start, steps=400, seconds=20, name="phrasebook",
                    metrics={"exact": "held-out sentences exact"})
order = TranslationExplorer(model, task, text="the european economic area", step=4, lock=training.lock)
training.on_step(lambda step: step.metrics and order.refresh())
guess("02a.area", then=[training, order])

# %% [markdown]
# Press **Start**; it takes about twenty seconds, and the matrix follows. The next cell finishes the training, if it is
# not done yet.

# %%
training.run()
training

# %% [markdown]
# The three words lie on the other diagonal: *zona* reads *area* and *económica* reads *economic*. *europea* reads
# mostly *european*, but not only. (That may be because each state has read its neighbours, too; it was not tested.)
# Now two words that melt into one, and two that change places. *estamos* reads *are* alone: that
# state has read *we*.

# %%
TranslationExplorer(model, task, text="we are eating red apples", step=4)

# %% [markdown]
# Now type sentences of your own from the words above. The picture tells you which words the model does not know.
#
# ## 3. A beam on a model
#
# Here is the search of section 1 on a model: the translator as it was after 60 steps of training, when it was still in
# doubt.

# %% tags=["hide-input"]
guess("02a.beam",
      then=BeamSearchExplorer(beginner, task, text="these new letters are expensive", width=2))

# %% [markdown]
# **Try** widths 1 to 5, and unroll the tree step by step. The dashed path is greedy search. A sentence that ends with
# `<EOS>`, end of sequence, is complete and keeps its place, so the search goes on with one fewer. A sentence's sum of
# logarithms is divided by its number of words, `<EOS>` included, to the power of the **length penalty**. At 1 the mean
# per word counts. Take it to 0: sums fall with every word, so short sentences are favoured.
#
# ## 4. In ten lines
#
# `next_word` asks the model for the next word after each beginning, and `search` adds up what it says:

# %%
@torch.no_grad()
def next_word(model, source, ids):  # natural logarithms, [vocabulary]
    given = torch.tensor([ids])
    return model(source[None], torch.tensor([len(source)]), given)[0, -1].log_softmax(-1)

# %%
def search(model, source, width, longest=50):
    kept, done = [([BOS], 0.0)], []
    for _ in range(longest):  # a model that has learned little may never write <EOS>
        grown = [([*ids, word], total + float(more)) for ids, total in kept
                 for word, more in enumerate(next_word(model, source, ids))]
        grown = sorted(grown, key=lambda one: -one[1])[: width - len(done)]
        done += [one for one in grown if one[0][-1] == EOS]
        kept = [one for one in grown if one[0][-1] != EOS]
    return max(done or kept, key=lambda one: one[1] / (len(one[0]) - 1))

# %%
source = task.read("the european economic area")
for each in model, beginner:
    found = best(list(beam(each, source, BOS, EOS, width=3)))
    assert abs(search(each, source, width=3)[1] - found.log_probability) < 1e-3
print(task.write(search(model, source, width=3)[0][1:]))

# %% [markdown]
# Each step runs the model once for each beginning that was kept. So a beam of five costs about five times the work.
# (This plain code also reads everything again each time, which `beam` does not.)
#
# ## 5. What is it worth?

# %% tags=["hide-input"]
runs = trained.search()["runs"]
exact_by_width = {f"width {width}": [", ".join(f"{300 * run[steps][width]:.0f}" for run in runs) for steps in runs[0]]
                  for width in "125"}

# %% tags=["hide-input"]
guess("02a.stages", then=Table({"steps of training": list(runs[0]), **exact_by_width},
                               title="exact sentences of 300, seed by seed"))

# %% [markdown]
# Measured by `attnlab/trained/train_search.py`.
#
# <details><summary>Think first, then unfold: why not keep all beginnings?</summary>
#
# With 170 words there are 170 beginnings of one word, 28,900 of two, and after ten words more than there are grains of
# sand. Each would have to be scored by the model. Without a limit on what is kept, the work grows by a factor of 170
# with every word.
# </details>
#
# <details><summary>For another day: 10.beam</summary>
#
# One step of beam search on tensors, which `check("10.beam", ...)` judges. It stands in lesson 10.
# </details>
#
# ## What is still broken
#
# Search chooses among what a model offers. It does not teach the model where to look. Lesson 03 asks how a match should
# be scored in the first place.
#
# **Sources.** I. Sutskever, O. Vinyals, Q. Le, *Sequence to Sequence Learning with Neural Networks*, 2014: beam search
# for translation. Y. Wu et al., *Google's Neural Machine Translation System*, 2016, section 7: the length penalty,
# there in a form of its own. *The european economic area* is from J. Johnson's lecture on attention; Bahdanau's figure
# has it into French. Beam search follows the ECNU lecture *Attention Is All You Need*.
