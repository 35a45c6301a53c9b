# %% [markdown]
# # Seeing: can attention look at pictures?
#
# In lesson 02 a decoder looked back at the words of a sentence. Attention never asked whether they were words: it
# takes a list of vectors. A picture can be such a list, one vector for each part of it. Here a model says what it
# sees, and for each word you watch where it looks. Then you move its gaze.
#
# **You will be able to** turn a picture into keys, say by a number whether a map points at the right thing, change a
# caption by dragging weights, and recognise a model whose attention has silently died.
#
# The cells run for about a minute on two cores. **You should know** additive attention and its decoder (lesson 02),
# and hard attention (03) for section 4.

# %%
import torch

from attnlab import exact, fit, teacher_forcing
from attnlab.analysis import caption_steps, drag_to_other, word_shares
from attnlab.exercises import check
from attnlab.optimisers import muon
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import Scenes, Thing, caption, cells, draw
from attnlab.trained import captions, train_captions
from attnlab.training import measured, weights_of
from attnlab.vision import Captioner
from widgets import CaptionExplorer, GazePathExplorer, OneMapExplorer, QuestionExplorer
from widgets import Picture, Predict, Table, Training

# %% [markdown]
# ## 1. Two pictures, one vector
#
# A small convolutional network turns a picture of 32 × 32 pixels into 8 × 8 vectors. Each sees 10 × 10 pixels around
# its place, and knows which place that is. A decoder without attention is given their **mean**.

# %%
torch.set_num_threads(1)  # with models this small, two threads wait for each other
square, circle = Thing("red", "square", 13, 9), Thing("blue", "circle", 13, 21)
both = [(square, circle), (circle._replace(column=9), square._replace(column=21))]
pictures = torch.stack([draw(scene) for scene in both])
Picture(pictures.permute(0, 2, 3, 1)[None], titles=[caption(scene) for scene in both])

# %% tags=["hide-input"]
Predict(
    "Each picture becomes 64 vectors, and the decoder is given their mean. How far apart are the means of these two?",
    choices=[
        ("very far", "Place by place the grids differ a lot, but the mean adds up all places, and adding forgets the "
                     "order."),
        ("hardly at all", "What was left is now right, and a sum does not care. Each vector does know its place, but "
                          "that part of it adds up to the same in every picture."),
    ],
    answer="hardly at all",
)

# %%
torch.manual_seed(0)
grids = Captioner(18).encode(pictures).keys  # [pictures, places, dim]
print(f"largest difference, place by place: {(grids[0] - grids[1]).abs().max():.2f}")
print(f"largest difference of the means:    {(grids[0].mean(0) - grids[1].mean(0)).abs().max():.2f}")

# %% [markdown]
# So the two captions, which differ in every noun, must be read from two vectors that are nearly the same. (What is left
# comes from the rim, where the network sees beyond the picture.) With attention, the decoder takes another mixture for
# each word.
#
# ## 2. Start the training, then guess
#
# 8,000 generated scenes, of two things, one, or none. A fifth of all pairs, such as red square with blue circle, is
# held out: never seen together in training. Nobody says where the things are.

# %%
task = Scenes()
held_out = task.collate(task.test)
for scene in task.test[:4]:
    print(caption(scene))

# %%
def right(model):
    return float(exact(model, *held_out).float().mean())


def start():  # Reset calls it again
    torch.manual_seed(0)
    soft.load_state_dict(Captioner(len(task.vocabulary)).state_dict())
    steps = fit(soft, lambda g: teacher_forcing(soft, *task.batch(64, g)), 400, rate=2e-2, optimiser=muon)
    return measured(steps, lambda: {"right": right(soft)}, every=25)

# %%
soft = Captioner(len(task.vocabulary)).eval()
first = task.collate(task.test[:1])


def watch():  # the maps of the words "green" and "red"
    maps = weights_of(soft, "decoder.attention", *first[:2], first.captions[:, :-1])[0]
    return maps[[1, 6]].unflatten(1, (8, 8))


training = Training(start, steps=400, watch=watch, film_every=10, seconds=25, name="captions",
                    metrics={"right": "held-out captions right"}, panel_names=["green", "red"],
                    query_title="row", key_title="column")
training

# %% [markdown]
# Press **Start**. The two matrices are the grid of the first scene, *a green square left of a red cross*: where the
# model looks before it writes *green*, and before it writes *red*.

# %% tags=["hide-input"]
Predict(
    "The same network, the same 400 steps, but the decoder is given the mean of the grid. How many of the 400 held-out "
    "captions will be right?",
    choices=[
        ("nearly all", "It would have to read from the mean which of two things is the left one."),
        ("about half", "That would be so if it knew both things and guessed their order. It does not get that far."),
        ("fewer than one in ten", "With one vector for everything it must keep two colours, two shapes and their order "
                                  "apart in one sum. In 400 steps it does not learn to."),
    ],
    answer="fewer than one in ten",
)

# %%
training.run()
fixed, _ = train_captions.caption(task, "fixed vector", seed=0)  # the same steps and batches
print("right captions, looking: over 95 %:  ", right(soft) > 0.95)
print("right captions, the mean: under 10 %:", right(fixed) < 0.1)

# %% [markdown]
# ## 3. Look, and move its gaze
#
# A third model joins: the soft one, which learned on for 60 steps looking at one place alone (section 4).

# %%
hard, _ = train_captions.harden(task, soft, seed=0)
models = {"soft": soft, "hard": hard, "fixed vector": fixed}
some = task.test[:12]

# %% tags=["hide-input"]
Predict(
    "Below, the caption is “a green square left of a red cross”. You drag the weights of “green” and of “square” "
    "onto the cross. What does the model write first?",
    choices=[
        ("a green square", "It would, if it knew the things from somewhere else. Its first state is 0: all it knows of "
                           "the picture came through the weights."),
        ("a red cross", "What it looks at is what it says. Try it below: the map moves with the hand, and the caption "
                        "is written anew."),
        ("nonsense", "A mixture that it has never met might do that. But looking at the cross for these words is "
                     "nothing new: in other pictures the first thing stands there."),
    ],
    answer="a red cross",
    then=CaptionExplorer(models, task, some, word=1, lock=training.lock),
)

# %% [markdown]
# What has weight keeps its colour, the rest is pale.
#
# 1. **Step** through the words. Where does it look for *left*?
# 2. **Drag** the weights of both words to the other thing. The hand takes a cell with those around it;
#    **reset** puts all back.
# 3. Choose **hides a part** and paint over one thing. Which words break?
# 4. **Hard** looks at one drawn place for each word (section 4). **Draw again** a few times.
# 5. **Fixed vector**: the same mixture before every word.
#
# A map that looks right proves little. Two numbers say more: how much of a word's weight lies on its thing, beside the
# share of the picture that the thing covers; and what becomes of the word when its weights are dragged elsewhere.

# %%
area = torch.stack([cells(thing).float().mean() for scene in task.test for thing in scene]).mean()
print(f"share of the picture that a thing covers: {area:.2f}")
print("weight on the right thing, mean over 0.9:", bool(word_shares(soft, task, task.test).mean() > 0.9))
print("both words follow the hand, over 90 %:   ", drag_to_other(soft, task, task.test[:200]).both > 0.9)

# %%
runs = captions()["runs"]  # three seeds of each, trained beforehand as here
kinds = ["soft", "one map", "fixed vector"]
Table({
    "looks": kinds,
    "right captions": [[run["exact"] for run in runs[kind]] for kind in kinds],
    "weight on the thing": [[run.get("inside", 0.0) for run in runs[kind]] for kind in kinds],
    "words follow the hand": [[run.get("dragged", 0.0) for run in runs[kind]] for kind in kinds],
}, title="400 steps, three seeds: mean, lowest and highest", roles={"right captions": "context"})

# %% [markdown]
# The fixed vector has no weights to measure. *One map* is section 7's patient: its words obey the hand too, so the
# last column alone would not have found it. It takes several measurements to trust a map.
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
    h = model.encoder(picture[None]).keys[0]  # [64 places, dim]
    s, word, written = torch.zeros(64), torch.tensor(BOS), []
    while word != EOS:
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
# **13.blind_spot.** The weights of all words, `scores` [batch, words, rows, columns], where only the places that are
# True in `allowed` [batch, rows, columns] may be looked at. All 0 where nothing may.

# %%
def blind_spot(scores, allowed):
    ...


check("13.blind_spot", blind_spot)

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
# Xu et al. also tried **hard** attention: draw one place from the weights. Soft weights were not made for that. Then
# the model learns on for 60 steps with drawn places: a look that led to likelier words becomes likelier itself (lesson
# 03's REINFORCE). Captions that come out right with drawn places:

# %%
Table({
    "learned": ["softly", "then 60 steps with drawn places"],
    "right, drawn": [[run["drawn"] for run in runs[kind]] for kind in ("soft", "hard")],
}, title="three seeds: mean, lowest and highest")

# %% [markdown]
# Soft weights may be a mixture that works only as a whole; how often a draw from it works differs from seed to seed.
#
# ## 5. Saccades
#
# Your eye is sharp only in the fovea, a spot of about two degrees, and jumps a few times a second. Johnson's lecture
# likens the weights of a captioner to these jumps. Here are its looks in their order:

# %%
GazePathExplorer(soft, task, some, looks=4, lock=training.lock)

# %% [markdown]
# The likeness has limits. The eye sees the rest unsharply and plans its jump from that; this model has computed the
# whole grid before its first look, and looking elsewhere costs it nothing. Lesson 14 takes that away.
#
# ## 6. X, attend and Y
#
# Show, attend and tell; ask, attend and answer; listen, attend and spell: what asks and what is looked at may be
# anything. Here the last state of a **question** is the query, and the grid is the captioner's own.

# %%
answerer, _ = train_captions.question(task, soft, seed=0)  # 200 steps

# %% tags=["hide-input"]
Predict(
    "The question: what colour is the square? You hide the square. What is the answer?",
    choices=[
        ("green", "It has no other way to the colour than the places you have hidden."),
        ("red", "The other thing is red, but it is a cross, and a question about a square does not ask there."),
        ("none", "For the model the square is not there. It has learned to say so from questions about what is "
                 "missing."),
    ],
    answer="none",
    then=QuestionExplorer(answerer, task, some, question="what colour is the square", lock=training.lock),
)

# %% [markdown]
# **Try** all nine questions. Where does it look for what is not there? Somewhere it must: softmax has no *nowhere*.
#
# ## 7. One map for all words
#
# The last model is broken, and no error says so. Its loss falls, and about half of its captions are right. It leaves
# the tanh out: $e_{t,i} = v^\top (W_q s_{t-1} + W_k h_i)$, which is lesson 03's *concat*.

# %%
concat, _ = train_captions.caption(task, "one map", seed=0)  # the same steps and batches
print("right captions, over 20 %:", right(concat) > 0.2)

# %%
OneMapExplorer({"with tanh": soft, "without": concat}, task, some, lock=training.lock)

# %% [markdown]
# Without tanh the score falls into two parts, $v^\top W_q s_{t-1}$ and $v^\top W_k h_i$. The first is the same for all
# places, and softmax takes out what is added to all scores (lesson 02). So **the query has no say**: all words share
# one map, and the model keeps what it can of two things in one mixture. Always look at several maps side by side.
#
# Xu et al. add a penalty that asks the words of a caption to look at each place once: it is exercise **13.coverage**.
# **13.drag** moves a map as your hand does. Both are for a quiet hour; `hint` and `check` know them.
#
# ## What is still broken
#
# Every place was computed before the first look, so looking saves nothing, and a picture twice as large costs four
# times as much. What if a model sees only where it looks, and must choose?
