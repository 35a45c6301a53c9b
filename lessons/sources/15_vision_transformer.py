# %% [markdown]
# # Vision transformer: is an image a sequence?
#
# An image has no first word. Yet the CMU lecture needs only three lines for it: *Divide your image in patches with pos.
# encodings. Apply Self-Attention! Sequential and image problems are similar when using transformers.* Take them at
# their word.
#
# **You will be able to** turn an image into tokens, measure what positions are worth, say what a patch size costs, and
# check a map of attention against what the model needs.
#
# The cells run for about a minute on two cores. **You should know** self-attention (lesson 05), positions (07), heads
# (08) and the block (09).

# %%
import torch
from torch.nn.functional import cross_entropy

from attnlab import POSITIONS, device, fit, measured, to_device, trained
from attnlab.exercises import check, hint
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.digits import draw, shift, split
from attnlab.tasks.far_marks import far_marks, loss_at_marks
from attnlab.vision.feature_map_attention import FeatureMapAttention
from attnlab.vision.small_cnn import PlaceReader, pointwise
from attnlab.vision.vit import vit
from widgets import FarMarksExplorer, HeadsOnImageExplorer, PatchSizeExplorer, RolloutEffectExplorer
from widgets import ShuffledPatchesExplorer, Table, Training, guess

# %% [markdown]
# ## 1. How large is a word?
#
# The **Vision Transformer** (ViT; Dosovitskiy et al., 2021) cuts an image into squares, **patches**, and treats each as
# a word. Our images are handwritten digits of 28 × 28 pixels. Halve the side of a patch, and there are four times as
# many; attention compares every pair. A patch of 28 × 28 is the whole image.

# %% tags=["hide-input"]
learning, held_out = (to_device(part, device()) for part in split())
guess("15.patch_size", then=PatchSizeExplorer(held_out, digit=8))

# %% [markdown]
# ## 2. An image becomes tokens
#
# Now in symbols, with $N$ patches:
#
# $$x = \big(x_\mathrm{class};\; E p_1;\; \ldots;\; E p_N\big) + E_\mathrm{pos} \qquad
# x \leftarrow \mathrm{block}(x) \;\;(L \text{ times}) \qquad \mathrm{logits} = W\, \mathrm{norm}(x)_0$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $p_i$ | `patches` | 16, 49 | 7 × 7 pixels in a row, as one vector |
# | $E$ | `embed.pixels` | 49 to 64 | one linear map for all patches |
# | $x_\mathrm{class}$ | `embed.class_token` | 64 | learned, the same for all images; it collects the answer |
# | $E_\mathrm{pos}$ | `embed.positions` | 17, 64 | one learned vector for each place |
#
# $L$ counts the blocks, and $\mathrm{norm}(x)_0$ is the class token's vector. By hand: an image of 4 × 4 pixels with
# the numbers 1 to 16, in patches of 2 × 2, has four tokens; the first is (1, 2, 5, 6).

# %%
def cut(images, size):  # [batch, 1, height, width] -> [batch, patches, size * size]
    rows = images.unfold(2, size, size).unfold(3, size, size)  # [batch, 1, down, across, size, size]
    return rows.flatten(4).flatten(2, 3).squeeze(1)


def logits(model, images):
    seen = model.embed.pixels(cut(images, 7))
    first = model.embed.class_token.expand(len(images), 1, -1)
    x = model.embed.positions(torch.cat([first, seen], dim=1))
    for block in model.blocks:
        x = block(x)
    return model.output(model.norm(x)[:, 0])  # of the class token


print(cut(torch.arange(1, 17).view(1, 1, 4, 4), 2)[0].tolist())

# %% [markdown]
# The blocks are those of lesson 09, without a mask. Now for 4,000 handwritten digits of MNIST, each moved by up to 2
# pixels whenever it is drawn, and 1,000 more held out. The optimiser is Muon (lesson 11a); over the
# last 60 % of the steps its rate falls to 0 (`cool_down`). **Press Start.**

# %%
def loss_of(model, generator):
    images, labels = draw(*learning, 64, generator)
    return cross_entropy(model(shift(images, 2, generator).unsqueeze(1)), labels)


def right(model):
    return (model(held_out.images.unsqueeze(1)).argmax(dim=-1) == held_out.labels).float().mean()

# %%
def begin(positions):
    torch.manual_seed(0)
    model = vit(28, size=7, dim=64, heads=4, layers=3, place=POSITIONS[positions]).to(device())
    return model, fit(model, lambda g: loss_of(model, g), 300, rate=0.03, optimiser=muon, schedule=cool_down)


def start():  # Reset calls it again
    models["with positions"], steps = begin("learned")
    return measured(steps, lambda: {"held-out digits right": right(models["with positions"])}, every=50)


models = {}

# %% tags=["hide-input"]
training = Training(
    start, steps=300, seconds=10, name="digits", metrics=["held-out digits right"],
    summary=lambda found: f"Held-out digits right: {5 * int(20 * found['held-out digits right'])} % or more.")
training

# %%
training.run()  # trains it now, unless Start has done so
model = models["with positions"]
assert torch.allclose(logits(model, held_out.images[:5, None]), model(held_out.images[:5, None]), atol=1e-5)

# %% [markdown]
# ## 3. Shuffle it
#
# A second ViT, trained alike, is not told where a patch stands.

# %%
models["without positions"], steps = begin("none")
for _ in steps:
    pass

# %% tags=["hide-input"]
guess("15.exchanged", then=ShuffledPatchesExplorer(models, held_out, digit=8, lock=training.lock))

# %% [markdown]
# ## 4. Two marks far apart
#
# What does attention add to two convolutions, which see only what is near? A picture of 12 × 12 pixels holds two small
# marks, each a plus, a cross, a ring or a T, at least 7 pixels apart. **At the place of each mark, name the other
# one.** Two networks try. In both, two convolutions of 3 × 3 and a max-pooling of 2 × 2 make a map of 6 × 6 places, and
# at the end a small network answers at each place. Between the two, one has a layer of self-attention, the other a
# feed-forward network with one parameter fewer.

# %%
layers = {"self-attention": lambda: FeatureMapAttention(16, 16), "no attention": lambda: pointwise(16, 32)}


def train_reader(name, seed):
    torch.manual_seed(seed)
    model = PlaceReader(layers[name](), channels=16).to(device())
    for _ in fit(model, lambda g: loss_at_marks(model, to_device(far_marks(64, g), device())), 400, 0.01, seed):
        pass
    return model


readers = {name: [train_reader(name, seed) for seed in range(3)] for name in layers}
marks = to_device(far_marks(500, torch.Generator().manual_seed(99)), device())

# %% tags=["hide-input"]
guess("15.far_mark", then=FarMarksExplorer(readers, marks))

# %% [markdown]
# **Click** the place of the other mark, then an empty place. Step through some **pictures**: where does a mark look?
# Three seeds of each network are counted; you see the first.
#
# The layer is that of the Self-Attention GAN (Zhang et al., 2019). Three convolutions of 1 × 1, linear maps of each
# place alone, make queries, keys and values; a fourth, $W_O$, leads back to the channels. The scores are not divided by
# $\sqrt d$. With `gain` starting at 0,
#
# $$\mathrm{out} = \mathrm{maps} + \mathrm{gain} \cdot \mathrm{softmax}(Q K^\top)\, V\, W_O$$
#
# ## 5. Against a convolution
#
# A convolution knows before it learns that neighbours belong together, and that a stroke is a stroke anywhere. A ViT
# has little of this knowledge: the pixels of a patch are read together, and all patches by the same map; inside a patch
# a stroke that is moved by one pixel is something new. Both have the same number of parameters (within 1 %; this ViT is
# smaller) and steps, and no shifted copies. For each the best of six rates was taken, chosen with one more seed on the
# same held-out digits:

# %%
table = trained.race()
runs = {name: [[run["accuracy"] for run in seeds] for seeds in rows.values()] for name, rows in table["runs"].items()}
Table({"digits to learn from": list(table["runs"]["ViT"]), **runs},
      title="held-out digits right, three seeds: mean, lowest and highest")

# %% [markdown]
# The convolution wins in every row, and by most where digits are fewest. (There the lowest of the rates was the best
# for the convolution; a lower one was not tried.) In the paper, ViT overtakes large convolutional networks where both
# were first trained on some 300 million images.
#
# ## 6. What did it look at?
#
# All heads of the ViT with positions. **Let a patch ask**, click some, and climb the **blocks**. Can you find a head
# that puts nearly all of its weight on a patch without ink?

# %%
HeadsOnImageExplorer(model, held_out, digit=8, lock=training.lock)

# %% [markdown]
# Reading is not yet using. **Roll-out** (Abnar and Zuidema, 2020) follows the weights through all blocks: the mean of
# the heads in each block, half and half with the identity for the residual connection, and the product of the blocks.
# Does it find what the model needs? That can be measured: cover a patch and see how far the logit of the answer falls.
# How alike two orders of the patches are is their **rank correlation**: 1 for the same order, 0 for nothing in common,
# −1 for the opposite.

# %% tags=["hide-input"]
guess("15.covered", then=RolloutEffectExplorer(model, held_out, digit=8, lock=training.lock))

# %% [markdown]
# ## 7. Exercise
#
# **15.rollout.** The roll-out of one picture, [tokens, tokens]. `weights` [layers, heads, tokens, tokens], the first
# layer first. Row i of the answer says which share of each input roll-out finds in token i at the end; each row sums to
# 1.

# %%
def rollout(weights):
    ...


check("15.rollout", rollout)

# %%
hint("15.rollout")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def rollout(weights):
#     identity = torch.eye(weights.shape[-1])
#     whole = identity
#     for heads in weights:  # a later layer reads what the earlier ones have made: it stands on the left
#         whole = (0.5 * heads.mean(0) + 0.5 * identity) @ whole
#     return whole
# ```
# </details>
#
# ## 8. What is still broken
#
# * So is an image a sequence? To the ViT it is a *set* of patches, with an order if you add one.
# * Labels are few, and with 50 of them our ViT was far behind. **Lesson 16** lets a model learn first from data that
#   nobody has labelled.
#
# **Sources.** A. Dosovitskiy et al., *An Image is Worth 16x16 Words*, 2021: sections 1 to 3 and 5. H. Zhang et al.,
# *Self-Attention Generative Adversarial Networks*, 2019: section 4. S. Abnar, W. Zuidema, *Quantifying Attention Flow
# in Transformers*, 2020, and M. Zeiler, R. Fergus, *Visualizing and Understanding Convolutional Networks*, 2014:
# section 6. The three lines: *Sequence to Sequence models: Attention Models* (CMU). Digits: MNIST.
