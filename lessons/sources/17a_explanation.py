# %% [markdown]
# # Explanation: does a row of weights say why?
#
# "It said so because it looked there": rows of weights are shown as reasons everywhere. Jain and Wallace (2019) wrote
# "Attention is not explanation". The reply of Wiegreffe and Pinter (2019), "Attention is not *not* explanation", asks
# for tests that train anew. Here you try what they did, on made-up reviews.
#
# **You will be able to** change a row by hand with and without changing the answer, name four tests of whether weights
# explain it, and say what each shows.
#
# The trainings take about twenty seconds. **You should know** queries (lesson 04), and lesson 17.

# %%
from functools import partial

import torch
from torch import nn

from attnlab import measured, trained
from attnlab.pooling import TwoWay
from attnlab.trained import train_reviews as runs
from attnlab.training import side_by_side
from widgets import SwappedRowExplorer, Table, Training, guess

# %% [markdown]
# ## 1. By hand
#
# *the plot was weak , the film was great , the sound was fine.* Asked about the film: is it good? A reader reads the
# words forwards and backwards, one query weighs its states, and a linear map answers. One reader is always asked about
# the film, another about any of the three things. Both come trained, by `attnlab/trained/train_reviews.py`.

# %% tags=["hide-input"]
readers = trained.reviewers().readers  # {what is asked: reader}
few = {task: (reader, runs.TASKS[task](20, torch.Generator().manual_seed(1))) for task, reader in readers.items()}
guess("17a.other_row", then=SwappedRowExplorer(few))

# %% [markdown]
# These are not bad readers. Of 2,000 reviews that they have never read:

# %%
held_out = {task: runs.of_nobody(draw) for task, draw in runs.TASKS.items()}
own = {task: runs.own_weights for task in readers}


def rights(readers, weights):
    """The share of held-out answers that are right, of each task."""
    return {task: runs.right(readers[task], held_out[task], weights[task]) for task in readers}

# %%
def in_words(name, shares, meaning=""):
    """To the nearest 5 %: seeds and machines differ by less."""
    told = ", ".join(f"{task} {5 * round(20 * share)} %" for task, share in shares.items())
    return f"{name}. Right, to the nearest 5 %: {told}. {meaning}".strip()


print(in_words("Weights of their own", rights(readers, own)))

# %% [markdown]
# ## 2. Even weights
#
# The first test of the reply: were weights needed at all? A reader of each task learns anew, with weights that we give.

# %%
def trial(name, states, weights, meaning=""):
    """states: makes what reads the words. weights: of the reader above, those that the new one is given."""
    given = {task: weights(reader) for task, reader in readers.items()}

    def start():  # Reset calls it again
        new = {task: runs.fresh(states) for task in readers}
        steps = side_by_side([runs.learn(new[task], runs.TASKS[task], given[task]) for task in readers])
        return measured(steps, lambda: rights(new, given), every=20)

    return Training(start, steps=runs.STEPS, seconds=8, metrics=list(runs.TASKS),
                    summary=partial(in_words, name, meaning=meaning))

# %% tags=["hide-input"]
evenly = trial("Even weights", TwoWay, lambda reader: runs.even, meaning=(
    "If the question is always the same, even weights do. If it varies, they do not: 75 % is what the majority of the "
    "three opinions comes to."))
guess("17a.even", then=evenly)

# %%
evenly.run()
evenly

# %% [markdown]
# ## 3. Frozen weights
#
# Another of their tests: do the weights help another reader? Take words alone, which know nothing of each other.
# **Press Start** in both: the first has to find weights of its own, the second is given those of the reader above,
# which no longer learn.

# %%
alone = trial("Words alone", nn.Identity, lambda reader: runs.own_weights)
alone

# %%
frozen = trial("Words alone, frozen weights", nn.Identity, runs.weights_of, meaning=(
    "Alone, words miss one in four; with the reader's weights, none. So the weights carry what was missing: the place "
    "of the word, or simply the answer? Section 4."))
frozen

# %%
alone.run()  # trains it now, unless Start has done so
frozen.run()

# %% [markdown]
# ## 4. Other seeds, and told to look elsewhere
#
# Two more of their tests need many trainings: three seeds of each, made beforehand by the same script.

# %%
tasks = trained.review_runs()["tasks"]
names = list(tasks["any of three"]["right"])
Table({
    "held-out answers right": names,
    **{f"asked about: {task}": [rows["right"][name] for name in names] for task, rows in tasks.items()},
}, title="three seeds: mean, lowest and highest")

# %%
for task, rows in tasks.items():
    print(f"{task}: share of the weight that two seeds put on different words",
          " ".join(f"{one:.1f}" for one in rows["between seeds"]))
    elsewhere = rows["elsewhere"]
    for name in "differ", "right", "words alone, these weights":
        print(f"    told to look elsewhere, {name}:", " ".join(f"{one:.2f}" for one in elsewhere[name]))
    on_word = {"the first reader's": rows["on the word"], "told to look elsewhere": elsewhere["on the word"]}
    for name, shares in on_word.items():
        print(f"    weight on the deciding word, {name},", ", ".join(
            f"where it says {kind}: " + " ".join(f"{one:.2f}" for one in seeds) for kind, seeds in shares.items()))

# %% [markdown]
# * **Seeds** differ: two of them put 0.3 to 1.0 of their weight on different words, with the same answers.
# * **Told to look elsewhere**, with a penalty for all weight that it shares with the first, a reader is still right, or
#   nearly, and shares next to nothing. *Its* weights, frozen, do as well for words alone where the film is always
#   meant. How, if they lie elsewhere? See the lines about the deciding word: with the first seed, one reader weighs
#   it only where the film is good, the other only where it is bad. So neither row points at the word in every review,
#   and each spells the answer by *where* it lies. A row can pass this test by holding the answer. Where any of three
#   may be meant, such weights do harm: 75 % is possible with even weights.
#
# So ask not whether attention *is* an explanation, but which test it has passed.
#
# ## 5. What is still broken
#
# * These reviews were made by a rule, so what decides is known. In a real text, who says which word should count?
#
# **Sources.** S. Jain, B. Wallace, *Attention is not Explanation*, 2019. S. Wiegreffe, Y. Pinter, *Attention is not not
# Explanation*, 2019: sections 3 and 4 of the paper.
