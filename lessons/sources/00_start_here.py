# %% [markdown]
# # Start here: does everything work, and how do I use a lesson?
#
# You move one slider, make one guess, and let one exercise check you. Then you know how every lesson
# works.
#
# **You should know** some Python and what a matrix is. Nothing about attention yet.
#
# Click into the first cell below and press **Shift+Enter**, then again for each cell. *Run > Run All Cells* does it
# at once.

# %%
import torch

from attnlab.exercises import check, hint
from widgets import SixQuestions, TemperatureExplorer, guess

torch.manual_seed(0)
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess
#
# Lessons ask you to guess before they show. A guess costs nothing, stays in a file of yours, and helps the answer to
# stick. You can skip it.
#
# Behind the guess waits the picture at the heart of most lessons: a matrix of **attention weights**. Each row is a
# word that asks, the **query**. Each column is a word that may answer, the **key**. How well they match is a number,
# the **score**. The **softmax** turns a row of scores into weights: *e* to the power of each score, divided by the
# sum of these powers. So a row of weights sums to 1 and says how its attention is shared out. One slider, the
# *temperature*, divides all scores before the softmax.

# %% tags=["hide-input"]
explorer = TemperatureExplorer()
guess("00.temperature", then=explorer)

# %% [markdown]
# ## 2. Explore
#
# Now move the slider, with the mouse or with the arrow keys. Three things to try:
#
# * **Pull the temperature down to 0.1.** What does the row *cat* read now? Compare it with the two rows *the*, whose
#   two largest scores are nearly equal.
# * **Push it up to 4.** What has become of the differences between words?
# * **Point at a cell.** The margin shows its query, its key, its score and its weight. Click it, then walk with the
#   arrow keys. Here the scores come from a table written by hand; from lesson 02 on, models learn them.
#
# Below each picture, *the code of this picture* unfolds the few lines that compute it. They follow the sliders. And
# what you chose is an ordinary value in the next cell:

# %%
print("temperature:", explorer.temperature)
print(explorer.weights.sum(dim=-1))  # each row sums to 1

# %% [markdown]
# ## 3. Let an exercise check you
#
# Exercises are functions that you finish. `check` compares yours with a slow, plain version on inputs you have not
# seen, and says what is wrong, by name where it knows the mistake. Try it: run the cell as it is, then replace the
# dots, then make a mistake on purpose (leave the temperature out, say) and read what it tells you.

# %%
def weights(scores, temperature):
    """scores [queries, keys] -> weights of the same shape; each row sums to 1."""
    ...


check("00.weights", weights)

# %% [markdown]
# Stuck? Open one hint at a time.

# %%
hint("00.weights")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def weights(scores, temperature):
#     return (scores / temperature).softmax(dim=-1)
# ```
#
# `dim=-1` is the axis of the keys: each query shares its attention among all keys.
# </details>
#
# `from attnlab.exercises import status`, then `status()`, shows how far you are in the course. That is kept in a small
# file of your own, outside this folder, with your first guess at each question. `export()`, from the same place, writes
# it all into one file to take along; on another machine, `take_in("attnlab-progress.json")` adds it to what is there.
#
# ## 4. Six questions, for later
#
# What do you know already? Answer before you go on, even if all you can say is that you do not know yet. Your answers
# go into the same file, and nothing here says what is right. At the end of lesson 11a the same six come again
# (`SixQuestions("after")` asks them anywhere), and today's answers stand beside the new ones.

# %%
SixQuestions("before")

# %% [markdown]
# ## 5. Did everything work?
#
# If you saw the matrix and it followed your hand, yes. If not, open a terminal (menu *File*, then
# *New*, then *Terminal*) and type `python -m attnlab`: it lists what is installed and says what to do about what is
# missing.
#
# And if you open a lesson another day, there are words where pictures were (or *Error displaying widget*): the kernel
# that drew them is gone. Choose *Run*, then *Run All Cells*, and they are back.
#
# Change a lesson as you like. To have it anew, rename your copy; then `attnlab`, or a new start of your class's server,
# brings the lesson as it was (in a clone of the project, `git checkout lessons/NAME.ipynb` does). Your progress stays.
#
# In lesson 01 a network must keep all that it has read in one vector, and you watch it forget. Lessons with a number
# alone are the main road, each building on those before it. One with a letter goes deeper, and may be left out; only 13
# and 14 build on 03a, and 17 on 11b.
#
# <!-- the table of lessons -->
