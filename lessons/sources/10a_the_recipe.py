# %% [markdown]
# # The recipe: what are warm-up, label smoothing and dropout good for?
#
# The paper of 2017 did not only bring a model. It brought a way to train it, three habits that became known with it: a
# learning rate that first rises, labels that are not quite sure, and numbers that are dropped at random. Are they
# needed? It depends, and here you measure on what.
#
# **You will be able to** read the paper's schedule, write the loss with smoothed labels, and say for each of the three
# in which setting it pays, with numbers.
#
# **You should know** lesson 10; post-norm from lesson 09.

# %%
import torch

from attnlab import trained
from attnlab.analysis import mean_and_range
from attnlab.exercises import check, hint
from attnlab.training import smoothed_cross_entropy
from widgets import Chart, LearningRateScheduleExplorer, Table, TrainingAblationExplorer
from widgets import curve, figure, guess

# %% [markdown]
# ## 1. A rate that rises first
#
# $$\mathrm{rate}(t) = d_\mathrm{model}^{-1/2} \cdot \min\left(t^{-1/2},\; t \cdot \mathrm{warmup}^{-3/2}\right)$$
#
# A straight line up for the steps of the **warm-up**, then down as $1/\sqrt{t}$. The two meet at $t =
# \mathrm{warmup}$. In the paper that is step 4,000.

# %% tags=["hide-input"]
guess("10a.warm_up", then=LearningRateScheduleExplorer(width=32, warm_up=60))

# %% [markdown]
# **Try.** *Warm-up steps* up: where does the peak go? *Width* up: everything is lower. With the
# paper's numbers, width 512 and 4,000 steps (more than the slider has), the peak is 0.0007. The other schedules are
# there to compare.
#
# ## 2. What does the warm-up buy?
#
# Translators, post-norm as in the paper, with one layer in each tower or with four, trained in pairs. Within a pair,
# the initial weights, the batches, the highest rate and the decay from step 50 on are the same. One rises to the rate
# for 50 steps, the other starts at full rate. AdamW with the paper's betas, without clipping; 200 steps of 32
# sentences, three seeds, measured by `attnlab/trained/train_recipe.py`.

# %% tags=["hide-input"]
def mean(numbers):
    return sum(numbers) / len(numbers)

# %% tags=["hide-input"]
by_layers = dict(sorted(trained.recipe()["warm_up"].items(), reverse=True))  # four layers first
looks = {"warm-up": "context", "full rate at once": "query"}
charts = [Chart(figure(
    *(curve([mean([run["exact"] or 0 for run in runs]) for runs in rates.values()], [*map(float, rates)], name,
            looks[name], line_width=3) for name, rates in schedules.items()),
    x="highest rate", y="held-out sentences exact", xaxis_type="log", xaxis_tickvals=[0.003, 0.006, 0.012, 0.024],
    y_range=[0, 1], height=240, title=f"Layers: {layers}. After 200 steps"))
    for layers, schedules in by_layers.items()]
rows = [(layers, rate) for layers, schedules in by_layers.items() for rate in schedules["warm-up"]]
numbers = Table(
    {"layers": [int(layers) for layers, _ in rows], "highest rate": [float(rate) for _, rate in rows]}
    | {name: [[run["exact"] or 0 for run in by_layers[layers][name][rate]] for layers, rate in rows] for name in looks},
    title="held-out sentences exact; three seeds: mean, lowest and highest", roles=looks)

# %% tags=["hide-input"]
guess("10a.pays", then=[*charts, numbers])

# %% [markdown]
# ## 3. Labels that are not quite sure
#
# Cross-entropy wants all the probability on the right word. It is never content: from 0.99 to 0.999 there is still
# something to gain. **Label smoothing** wants a little less: every word of the vocabulary, the right one too,
# should get $\epsilon$ / vocabulary, and the right one $1 - \epsilon$ more. By hand, with five words and
# $\epsilon = 0.1$: 0.92 for the right one, 0.02 for each other.

# %%
def losses(right):  # right: the probability of the right word, of five
    logits = torch.tensor([[right, *4 * [(1 - right) / 4]]]).log()
    return [smoothed_cross_entropy(logits, torch.tensor([0]), share).item() for share in (0.0, 0.1)]


for right in 0.5, 0.92, 0.99, 0.9999:
    plain, smoothed = losses(right)
    print(f"probability of the right word {right:6}: loss {plain:.3f}, smoothed {smoothed:.3f}")
certain = [0.5 + step / 250 for step in range(125)] + [0.999, 0.9999]
Chart(figure(*(curve([losses(right)[i] for right in certain], certain, name, role, line_width=3)
               for i, (name, role) in enumerate({"plain": "context", "smoothed": "query"}.items())),
             x="probability of the right word", y="loss", height=240))

# %% [markdown]
# The plain loss falls all the way. The smoothed one is lowest at 0.92 and rises again: it punishes certainty.
#
# **10.smoothing.** This loss, one number for each token: `logits` [tokens, vocabulary], `target` [tokens],
# `smoothing` from 0 to 1.

# %%
def smoothed_loss(logits, target, smoothing):
    ...


check("10.smoothing", smoothed_loss)

# %%
hint("10.smoothing")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def smoothed_loss(logits, target, smoothing):
#     vocabulary = logits.shape[-1]
#     wanted = (1 - smoothing) * torch.nn.functional.one_hot(target, vocabulary) + smoothing / vocabulary
#     return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)
# ```
# </details>
#
# ## 4. With and without
#
# While the model learns, **dropout** sets to zero a tenth of the numbers of the embeddings and of what each part adds
# to the stream, different ones at each step, and multiplies the others by 10/9. Smoothing and dropout are both said to
# prevent learning by heart, and so to help with what is new. Trainings of 320 steps: with 300 sentences, which come
# back some thirty times, and with 20,000, of which less than half are seen. One layer, width 32, three seeds of every
# recipe, measured by `attnlab/trained/train_recipe.py`.

# %% tags=["hide-input"]
runs = trained.recipe_runs()
rows = [(sentences, one) for sentences, recipes in trained.recipe()["switches"].items() for one in recipes]
numbers = Table({
    "sentences": [f"{int(sentences):,}" for sentences, _ in rows],
    "with": [" and ".join(part for part in ("smoothing", "dropout") if one[part]) or "neither" for _, one in rows],
    "new ones exact": [[run["exact"][-1] for run in one["runs"]] for _, one in rows],
    "old ones exact": [[run["known"] for run in one["runs"]] for _, one in rows],
    "loss on new ones": [mean_and_range([run["loss"] for run in one["runs"]]) for _, one in rows],
}, title="after 320 steps; three seeds: mean, lowest and highest", roles={"new ones exact": "context"})

# %% tags=["hide-input"]
guess("10a.dropout", then=[
    TrainingAblationExplorer(runs, sentences="300"),
    ...,
    numbers,
    ...,
    ...,
    TrainingAblationExplorer(runs, sentences="20,000", smoothing=True, dropout=True)])

# %% [markdown]
# <details><summary>Think first, then unfold: with 20,000 sentences smoothing makes the loss worse and the sentences no
# worse. With 300 it makes even the loss better. How can both be?</summary>
#
# A sentence is right when at each place the right word is the likeliest; how likely does not matter. For the loss it
# does: a smoothed model keeps a little for every word and pays for it at each place. But a model that has learned a
# few sentences by heart can be sure of wrong words in new ones, and to be sure and wrong costs most. There some doubt
# saves more than it costs.
# </details>
#
# ## What to take along
#
# * With a **warm-up** a deep post-norm model arrived in three seeds of three, in place of two. At its best rate a
#   shallow one did not need it.
# * **Smoothing and dropout** helped where the same sentences came back often, so count how often yours do.
# * Take none of them by habit. What helps in one setting costs in another: measure it in yours.
#
# Back to [lesson 10](10_transformer.ipynb), on to [lesson 10b](10b_against_recurrence.ipynb): what is the Transformer
# worth against the recurrent model?
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: section 5.3, equation 3, the rate; 5.4 dropout and
# smoothing, with the sentence quoted. C. Szegedy et al., *Rethinking the Inception Architecture for Computer Vision*,
# 2016: label smoothing. N. Srivastava et al., *Dropout*, 2014. East China Normal University's lecture *Attention Is All
# You Need*: warm-up, dropout, label smoothing. R. Xiong et al., *On Layer Normalization in the Transformer
# Architecture*, 2020: post-norm and the warm-up. All measurements are ours.
