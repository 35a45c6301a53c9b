# %% [markdown]
# # A photograph: what does an eye give up?
#
# Lesson 14's pictures were made for its retina: one digit on empty paper. Here it is given photographs, and the one who
# looks is you.
#
# **You will be able to** say what a sharp spot costs, and when it is worth that.
#
# **You should know** the retina of lesson 14.

# %%
import torch

from attnlab.analysis import glimpses_and_thumbnail
from attnlab.tasks.photographs import photographs
from widgets import PhotographExplorer, Table, guess

# %% [markdown]
# ## 1. You look
#
# A photograph of 160 × 160 pixels lies in the dark. Each click opens a square of 8 × 8 pixels, sharp, and three around
# it, each twice as wide as the one before and blurred to 8 × 8 colours. That is 1 % of the photograph's numbers. You
# have five glimpses; the first is open, in the middle. Say what it is as soon as you dare.

# %%
PhotographExplorer(glimpses=[[0.0, 0.0]])

# %% [markdown]
# **Go through all four.** Which squares told you what it is, the sharp ones or the blurred? Then choose *the last
# glimpse*: that is all an eye has at any one moment. The rest you remember, as lesson 14's model does in its state.
#
# ## 2. As many numbers, spread evenly
#
# A camera has no fovea. The numbers of five glimpses, spread evenly, make a thumbnail of 35 × 35 pixels. Nobody aims
# here: 20 paths of five random places, the same for each photograph. What none of the five has shown is given the mean
# colour of what they showed.

# %%
paths = 2 * torch.rand(20, 5, 2, generator=torch.Generator().manual_seed(0)) - 1
found = [[glimpses_and_thumbnail(photograph, path, size=8, scales=4) for path in paths]
         for photograph in photographs().values()]
measures = {"five glimpses": "off", "thumbnail": "thumbnail_off",
            "thumbnail, where the glimpses are sharp": "thumbnail_off_where_sharp"}
table = Table({"photograph": list(photographs())} | {title: [[getattr(one, name) for one in row] for row in found]
                                                     for title, name in measures.items()},
              title="how far a colour is off, from 0 to 1: mean of 20 paths, lowest and highest")

# %% tags=["hide-input"]
guess("14a.same_numbers", then=table)

# %% [markdown]
# A sharp spot is a bet on knowing where to look. It is lost where all pixels count alike. It may be won where the
# answer lies in a small place and the gaze finds it: lesson 14's network was far better at places that it chose than at
# random ones, but hardly better than on a fixed path, and no thumbnail was tried there. Your eye bets, too: some
# hundred million receptors share about a million fibres of the nerve. And where people look at a picture depends on
# what they were asked about it (Yarbus).
#
# Lesson 15's model spends its numbers evenly.
#
# **Sources.** V. Mnih et al., *Recurrent Models of Visual Attention*, 2014: the retina. C. Curcio et al., *Human
# Photoreceptor Topography*, 1990, and J. Jonas et al., *Human Optic Nerve Fiber Count and Optic Disc Size*, 1992: the
# eye. A. Yarbus, *Eye Movements and Vision*, 1967. Photographs: S. van der Walt, R. Michetti, NASA and SpaceX, as
# scikit-image has them. All measurements are ours.
