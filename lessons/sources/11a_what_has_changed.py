# %% [markdown]
# # What has changed: do you answer differently now?
#
# Before lesson 01 you were asked six questions (in lesson 00). Here they are again. Once you have answered one, your
# answer of then, your answer of now and the right one stand side by side; the last asks for a sentence of your own, to
# be compared with ours.

# %%
from widgets import SixQuestions

SixQuestions("after")

# %% [markdown]
# Where an answer is still not the right one, the number of the lesson to go back to stands beside it.
#
# `from attnlab.exercises import export, status` brings two more: `status()` shows the course so far, a line for each
# lesson, and `export("my_progress.json")` writes your answers and the exercises you have passed into one file, to keep
# or to hand in.
