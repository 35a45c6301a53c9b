# %% [markdown]
# # Inside: what happens between picture and answer?
#
# Lessons 13 to 15 trained three models that see: a captioner that looks at all places for each word, one that looks
# through four glimpses, and a vision transformer. You have seen where they look. Here you see all of each machine at
# work, with its own numbers.
#
# **You will be able to** follow a picture through three machines, and say for each where a choice is made and what it
# can still change.
#
# **You should know** lessons 13, 14 and 15.

# %%
import torch

from attnlab.tasks.digits import split
from attnlab.tasks.scenes import Scenes
from attnlab.trained import CANVAS, captioners, digits_vit, glimpses
from widgets import CaptionerMachineExplorer, GlimpseMachineExplorer, ViTMachineExplorer, guess

torch.set_num_threads(1)

# %% [markdown]
# ## 1. The glimpses: a choice that shapes what can be known
#
# The model of lesson 14, as it comes trained. One column for each glimpse: the place it chose, what its retina shows
# there, what it makes of *what* and *where*, the state, and what it would answer now.

# %% tags=["hide-input"]
glimpser, canvases = glimpses().model, CANVAS.unseen(60, torch.Generator().manual_seed(14))
guess("15a.second_glimpse", then=GlimpseMachineExplorer(glimpser, canvases))

# %% [markdown]
# **Drag** a place's numbers and lead the model astray. Can you make it answer wrongly? Dashes mark what it would have
# answered by itself.
#
# ## 2. The captioner: word by word
#
# Three of them, trained as in lesson 13: a soft one, the same after more steps with one drawn place for each word, and
# one that is given only the mean of the places.

# %%
task, come_trained = Scenes(), captioners().captioners
models = {looks: come_trained[looks] for looks in ("soft", "hard", "fixed vector")}
scenes = task.test[:12]

# %% tags=["hide-input"]
guess("15a.next_word", then=CaptionerMachineExplorer(models, task, scenes, step=8))

# %% [markdown]
# Choose *fixed vector*, where the same sum is passed on every time. And here is *hard*, where each word reads one place
# alone:

# %%
CaptionerMachineExplorer(models, task, scenes, look="hard", step=8)

# %% [markdown]
# ## 3. The vision transformer: everything at once
#
# Trained as in lesson 15.

# %%
model, (_, held_out) = digits_vit().model, split()

# %% tags=["hide-input"]
guess("15a.answer", then=ViTMachineExplorer(model, held_out, digit=8))

# %% [markdown]
# ## What they share, and what not
#
# * All three turn places into **vectors**. The soft captioner and the transformer ask by **scores** and add up by
#   **weights**; the glimpses have neither: one place is read, and no other.
# * They differ in **when** a choice is made: before each word, before each glimpse, or for all tokens at once in each
#   block. A glimpse that fell wrong is spent; only a later one can show what it missed. For the soft
#   captioner's last word and in the transformer's last block, every place can still be read.
#
# **Sources.** K. Xu et al., *Show, Attend and Tell*, 2015. V. Mnih et al., *Recurrent Models of Visual Attention*,
# 2014. A. Dosovitskiy et al., *An Image is Worth 16x16 Words*, 2021.
