# %% [markdown]
# # Seeing: can attention look at pictures?
#
# Attention takes a list of vectors, and never asked whether they were words. A picture can be such a list, one vector
# for each part of it. Here a model says what it sees; you watch where it looks for each word, and move its gaze.
#
# **You will be able to** turn a picture into keys, measure whether a map points at the right thing, and recognise a
# model whose attention has silently died.
#
# The cells run for half a minute on two cores. **You should know** additive attention and its decoder (lesson 02),
# and hard attention (03a) for section 4.

# %%
import torch

from attnlab import device, exact, fit, measured, teacher_forcing, to_device
from attnlab.analysis import caption_steps
from attnlab.exercises import check, hint
from attnlab.optimisers import muon
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import Scenes, Thing, caption, cells, draw
from attnlab.trained import captioners, captions, train_captions
from attnlab.training import weights_of
from attnlab.vision import Captioner
from widgets import CaptionExplorer, GazePathExplorer, OneMapExplorer, QuestionExplorer
from widgets import Picture, Table, Training, guess

# %% [markdown]
# ## 1. Two pictures
#
# A small convolutional network makes 8 × 8 vectors of a picture of 32 × 32 pixels. Each sees 10 × 10 pixels and knows
# its place. A decoder without attention is given their **mean**.

# %%
here = device()  # of the CPU one thread, since with models this small two wait for each other
square, circle = Thing("red", "square", 13, 9), Thing("blue", "circle", 13, 21)
both = [(square, circle), (circle._replace(column=9), square._replace(column=21))]
pictures = torch.stack([draw(scene) for scene in both])
Picture(pictures.permute(0, 2, 3, 1)[None], titles=[caption(scene) for scene in both])

# %%
torch.manual_seed(0)
third = draw((square, circle._replace(colour="green")))
one, other, green = Captioner(18).encode(torch.stack([*pictures, third])).keys  # [places, dim] each; untrained
apart = (f"Largest difference, place by place: {(one - other).abs().max():.4f}.\n"
         f"Largest difference of the means: {(one.mean(0) - other.mean(0)).abs().max():.4f}.\n"
         f"Largest difference of the means if the first picture's circle were green instead: "
         f"{(one.mean(0) - green.mean(0)).abs().max():.4f}.")

# %% tags=["hide-input"]
guess("13.means", then=apart)

# %% [markdown]
# ## 2. Nobody says where to look
#
# 8,000 generated scenes, of two things, one, or none. A fifth of all pairs, such as green square with red cross, is
# held out: never seen together in training. (The captioner learns with Muon, lesson 11a.)

# %%
task = Scenes()
held_out = task.collate(task.test)
soft = Captioner(len(task.vocabulary)).to(here).eval()


def start():  # Reset calls it again
    torch.manual_seed(0)
    soft.load_state_dict(Captioner(len(task.vocabulary)).state_dict())
    steps = fit(soft, lambda g: teacher_forcing(soft, *task.batch(64, g)), 350, rate=2e-2, optimiser=muon,
                schedule=train_captions.longer_warm_up)
    return measured(steps, lambda: {"right": float(exact(soft, *held_out).float().mean())}, every=50)

# %%
first = to_device(task.collate(task.test[:1]), here)


def watch():  # the maps of the words "green" and "red"
    maps = weights_of(soft, "decoder.attention", *first[:2], first.captions[:, :-1])[0]
    return maps[[1, 6]].unflatten(1, (8, 8))

# %% tags=["hide-input"]
training = Training(
    start, steps=350, watch=watch, film_every=10, seconds=25, name="captions",
    metrics={"right": "held-out captions right"}, panel_names=["green", "red"],
    query_title="row", key_title="column",
    summary=lambda found: f"Held-out captions right, to the nearest 5 %: {5 * round(20 * found['right'])} %.")
training

# %% [markdown]
# Press **Start**. The matrices show where the model looks in the first scene, *a green square left of a red cross*
# (row 4, columns 2 and 7), before it writes *green* and *red*.

# %%
training.run()  # trains it now, unless Start has done so

# %% [markdown]
# ## 3. Look, and move its gaze
#
# Yours is *soft*. Two models join it: *fixed vector*, trained beforehand, which is given the **mean** before every
# word, and *hard*, a copy of yours that learns for 60 more steps to look at one drawn place a word (section 4).

# %%
come_trained = captioners()  # the same steps and batches: attnlab/trained/train_captions.py
fixed = come_trained.captioners["fixed vector"].to(here)
hard, _ = train_captions.harden(task, soft, seed=0)
models, some = {"soft": soft, "hard": hard, "fixed vector": fixed}, task.test[:12]

# %% tags=["hide-input"]
guess("13.cross", then=CaptionExplorer(models, task, some, word=1, lock=training.lock))

# %% [markdown]
# 1. **Step** through the words. Where does it look for *left*?
# 2. **Drag** the weights of *green* and of *square* to the other thing. The hand takes a cell with those around it;
#    **reset** puts all back.
# 3. Choose **hides a part** and paint over one thing. Which words break?
# 4. **Hard** looks at one drawn place for each word (section 4). **Draw again** a few times.
#
# A map that looks right proves little. Two numbers say more: how much of a word's weight lies on its thing, and what
# becomes of the word when that weight is dragged away. Both, for three seeds of each model:

# %%
area = torch.stack([cells(thing).float().mean() for scene in task.test for thing in scene]).mean()
runs = captions()["runs"]  # trained beforehand, as here
kinds = ["soft", "hard", "one map", "fixed vector"]
measures = {"right captions": "exact", "right, looks drawn": "drawn", "weight on the thing": "inside",
            "words follow the hand": "dragged"}
table = Table({"looks": kinds} | {title: [[run[name] for run in runs[kind]] if name in runs[kind][0] else None
                                          for kind in kinds] for title, name in measures.items()},
              title=f"mean of three seeds, lowest and highest; a thing covers {area:.0%} of its picture")

# %% tags=["hide-input"]
guess("13.fixed", then=table)

# %% [markdown]
# *One map* is section 7's patient, whose attention is broken: its words obey the hand too, so the last column alone
# would not have found it.
#
# **The formula** is lesson 02's with a grid in place of a sentence (Xu et al. 2015):
#
# $$e_{t,i} = v^\top \tanh(W_q s_{t-1} + W_k h_i) \qquad a_t = \mathrm{softmax}(e_t) \qquad c_t = \sum_i a_{t,i}\, h_i$$
#
# where $i$ runs over all 64 places: the softmax knows nothing of rows and columns. By hand:

# %%
@torch.no_grad()
def by_hand(model, picture):
    decoder, score = model.decoder, model.decoder.attention.score
    h = model.encoder(picture[None].to(here)).keys[0]  # [64 places, dim]
    s, word, written = h.new_zeros(64), torch.tensor(BOS, device=here), []
    while word != EOS and len(written) < 10:  # one that has learned little may never end
        e = torch.tanh(score.query(s) + score.key(h)) @ score.combine.weight[0]
        c = e.softmax(0) @ h
        s = decoder.cell(torch.cat([decoder.embedding(word), c]), s)
        word = decoder.output(torch.cat([s, c])).argmax()
        written.append(int(word))
    return written

# %%
assert all(by_hand(soft, draw(scene)) == caption_steps(soft, draw(scene)).tokens for scene in some)
print(task.write(by_hand(soft, draw(some[0]))))

# %% [markdown]
# **13.blind_spot.** From `scores` [batch, words, rows, columns] make the weights, of the same shape: those of a word
# sum to 1 over rows and columns together. Only places that are True in `allowed` [batch, rows, columns] may be looked
# at. Where a picture has none, all its weights are 0.

# %%
def blind_spot(scores, allowed):
    ...


check("13.blind_spot", blind_spot)

# %%
hint("13.blind_spot")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def blind_spot(scores, allowed):
#     seen = allowed.unsqueeze(1).expand_as(scores).flatten(2)
#     weights = scores.flatten(2).masked_fill(~seen, -1e30).softmax(-1) * seen
#     return weights.unflatten(2, scores.shape[2:])
# ```
# </details>
#
# ## 4. One place instead of a mixture
#
# Xu et al. also tried **hard** attention: draw one place from the weights, as the table's column *right, looks drawn*
# does. *Soft* never learned to, and its seeds differ widely. *Hard* learned for 60 more steps with drawn places: a look
# that led to likelier words became likelier itself (lesson 03a's REINFORCE). In the column *right captions* it looks at
# the likeliest place instead.
#
# ## 5. Saccades
#
# Your eye is sharp only in the fovea, about two degrees wide, and jumps a few times a second. Johnson's lecture likens
# a captioner's weights to these jumps. Here are its looks in order:

# %%
GazePathExplorer(soft, task, some, looks=4, lock=training.lock)

# %% [markdown]
# ## 6. X, attend and Y
#
# Show, attend and tell; ask, attend and answer; listen, attend and spell. Here the last state of a **question** is the
# query, and the network that sees began with a captioner's weights.

# %%
answerer = come_trained.answerer.to(here)

# %% tags=["hide-input"]
guess(
    "13.hidden",
    then=QuestionExplorer(answerer, task, some, question="what colour is the square", lock=training.lock),
)

# %% [markdown]
# **Try** all nine questions. Where does it look for what is not there? Somewhere it must: softmax has no *nowhere*.
#
# ## 7. One map for all words
#
# The last model is broken, and no error says so: its loss falls, about a third of its captions are right. It leaves out
# the tanh: $e_{t,i} = v^\top (W_q s_{t-1} + W_k h_i)$, which is lesson 03's *concat*.

# %%
maps = {"with tanh": soft, "without": come_trained.captioners["one map"].to(here)}
OneMapExplorer(maps, task, some, lock=training.lock)

# %% [markdown]
# Without tanh the score falls into two parts, $v^\top W_q s_{t-1}$ and $v^\top W_k h_i$. The first is the same for all
# places, and softmax ignores what is added to all scores (lesson 03). So **the query has no say**: all words share
# one map. Always look at several maps side by side.
#
# <details><summary>For a quiet hour: two more exercises, 13.coverage and 13.drag</summary>
#
# **13.coverage**, Xu et al.'s penalty for looking at a place more or less than once a caption: `coverage(weights,
# lengths, total)` gives one number a picture, [batch]. Sum the weight that all words of the caption give to each
# place, square how far that is from `total`, and add up over the places. `weights` is [batch, words, places];
# after `lengths` [batch] words lies padding.
#
# **13.drag**: `drag(weights, down, right)` moves a map [rows, columns] as a whole. What leaves the grid is lost, and
# the rest is scaled to the old sum.
#
# `check("13.coverage", coverage)` names the mistake.
# </details>
#
# ## What is still broken
#
# Every place was computed before the first look, so looking saves nothing, and a picture twice as wide and twice
# as high costs four times as much. What if a model sees only where it looks, and must choose?
#
# **Sources.** K. Xu et al., *Show, Attend and Tell*, 2015. H. Xu and K. Saenko, *Ask, Attend and Answer*, 2016. W. Chan
# et al., *Listen, Attend and Spell*, 2016. J. Johnson's lecture on attention.
