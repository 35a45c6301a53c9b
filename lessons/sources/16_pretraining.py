# %% [markdown]
# # Pre-training: why train once and tune many times?
#
# In lesson 15 the ViT lost to a convolution, by most where labels were fewest. Text without labels is everywhere. The
# lectures say: download a lot of it, train a Transformer on it once, then *fine-tune the Transformer on your own NLP
# task*. What is there to learn from text that nobody has labelled, and how many labels does it save?
#
# **You will be able to** train a masked encoder (BERT) and a left-to-right model (GPT) out of the same blocks, say what
# 80 / 10 / 10 is for, fine-tune for topics, and judge a table of results, the bag of words included.
#
# The cells run for about a minute on two cores. **You should know** masks (lesson 06), the block (09) and the small
# GPT (11).

# %%
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab import causal, fit, measured, trained
from attnlab.analysis import bag_vectors, nearest_mean, rarity
from attnlab.exercises import check, hint
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.hidden_words import NOT_ASKED, hide_words
from attnlab.tasks.python_topics import TOPICS, PythonTopics, word_counts
from attnlab.transformer import TextClassifier
from widgets import FewLabelsExplorer, HiddenWordsExplorer, MixtureExplorer, PublishedScoresExplorer, guess
from widgets import Table, Training

# %%
task = PythonTopics()
models = trained.pretrained()
print(len(task.unlabelled()), "sentences;", len(task.text), "words and punctuation marks,", len(task.vocabulary),
      "different ones")

# %% [markdown]
# ## 1. Fill in the blank
#
# Two models have read the same text, sentences of Python's own language reference. They are equally large and were
# trained for equally many steps. One was asked for **hidden** words and sees both sides of them. The other
# was asked for the **next** word and sees what stands before.

# %% tags=["hide-input"]
shares = trained.pretraining_runs()["guesses"]
guess("16.hidden_word", then=[
    HiddenWordsExplorer(models, task),
    "Of all held-out words, each hidden alone, and three readings of each model:\n"
    + "\n".join(f"{name}: first guess right " + ", ".join(f"{100 * first:.0f} %" for first, _ in shares[name])
                + ", one of the first five " + ", ".join(f"{100 * five:.0f} %" for _, five in shares[name])
                for name in ("masked", "left to right"))
    + f"\nalways the most frequent word: {100 * shares['always the most frequent word']:.0f} %"])

# %% [markdown]
# **Press** any word to hide it. Below it stands the masked model's first guess; orange is the word that stood there.
# Then hide its **neighbours**, one by one, and watch the bars. Which words can be guessed from far away? Try the first
# and the last word of a sentence for both models, then a sentence of your own.
#
# To fill in “exception is ___” one must know the phrase, the grammar and the subject. Nobody has written down an
# answer: the text is its own label.
#
# ## 2. Same block, other mask, other question
#
# | | masked (BERT) | left to right (GPT) |
# |---|---|---|
# | block | attention, feed-forward, norms, residuals | the same |
# | who may look at whom | everyone at everyone | `causal`: nobody at what follows |
# | what is asked | some words, hidden | at each place, the next word |
# | asked for each piece of 64 words | about 9 | 64 |
# | made for | reading | reading and writing |
#
# Mind the word: BERT's `[MASK]` is a *token* that stands in place of a word, here `[HIDDEN]`. It is no attention mask.
# (BERT was also asked whether one sentence follows another. RoBERTa, 2019, left that out and lost nothing.) With $H$
# the places asked for, $n$ the number of words to foresee, and $\tilde x$ the text as it is read, some words of it
# hidden, the losses are
#
# $$L_\mathrm{masked} = -\frac1{|H|}\sum_{i \in H} \log p(x_i \mid \tilde x) \qquad
# L_\mathrm{next} = -\frac1n\sum_{i} \log p(x_{i+1} \mid x_1 \ldots x_i)$$

# %%
def masked_loss(model, pieces, generator):
    inputs, targets = hide_words(pieces, len(task.vocabulary), generator)
    asked = targets != NOT_ASKED
    return cross_entropy(model.output(model.encoder(inputs)[asked]), targets[asked])


def next_loss(model, pieces):
    logits = model.output(model.encoder(pieces[:, :-1], causal(pieces.shape[1] - 1)))
    return cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())

# %%
held_out = task.held_out.unfold(0, 65, 64)  # the test sentences, in pieces of 65 words
with torch.no_grad():
    losses = [masked_loss(models.masked, held_out[:, :64], torch.Generator().manual_seed(0)).item()]
    losses += [next_loss(models.left_to_right, held_out).item()]
print("held-out loss, masked: {:.1f} nats a word, left to right: {:.1f}; blind: 7.23".format(*losses))

# %% [markdown]
# Do not read them as a race. The two answer different questions: the masked model sees both sides. And the other was
# asked at every place, in some fifty passes over its text: it may know parts of it by heart. The models above come
# trained (1,600 steps each; `attnlab/trained` has script and log). Here is a masked one that has read nothing yet; it
# learns with Muon (lesson 11a). **Press Start** for its first steps.

# %%
def loss(generator):
    return masked_loss(live["model"], task.windows(24, 64, generator), generator)


def held_out_loss():
    generator = torch.Generator().manual_seed(0)
    return {"held-out loss": masked_loss(live["model"], held_out[:, :64], generator)}


def start():  # Reset calls it again
    torch.manual_seed(0)
    live["model"] = trained.new_reader()
    steps = fit(live["model"], loss, 200, rate=0.02, optimiser=muon, schedule=cool_down)
    return measured(steps, held_out_loss, every=25)

# %% tags=["hide-input"]
live = {}
training = Training(
    start, steps=200, seconds=20, name="hidden words", metrics=["held-out loss"],
    summary=lambda found:
        f"Held-out loss: from ln 1383 = 7.23 of a blind guess to about {found['held-out loss']:.0f}.")
training

# %%
training.run()  # trains it now, unless Start has done so

# %% [markdown]
# ## 3. Why 80 / 10 / 10?
#
# Of the words asked for, BERT hides only 80 %. 10 % are replaced by a word drawn from all, 10 % stay. **Move hidden,
# replaced and kept**: what could a model get away with if all were hidden? If all were kept?

# %%
MixtureExplorer(task)

# %% [markdown]
# If hidden words are all that is ever asked for, nobody asks what the model makes of words in sight. Yet these are the
# words that a fine-tuned model reads. Two mixtures, 200 steps, three seeds each; in the last column section 4's task,
# eight topics learned from 8 labelled sentences each:

# %%
table = trained.mixture_runs()["mixtures"]
columns = {"hidden": "hidden words", "kept": "words in sight", "topics": "topics"}
Table(
    {"mixture": list(table)} | {title: [runs[name] for runs in table.values()] for name, title in columns.items()},
    title="named right; topics with 8 labels each, after fine-tuning; three seeds: mean, lowest and highest",
)

# %% [markdown]
# A model that was never asked about words in sight looks at “class” and names another word, nearly always. With
# 80 / 10 / 10 it names three of four, and more of the hidden ones, too. But look at the last column: **the two are
# equal**. What 80 / 10 / 10 changes is real; this table cannot say whether a task gains from it: 200 steps are a short
# reading. (The numbers of section 4 come from longer readings and another rate, and cannot be compared.)
#
# ## 4. Few labels
#
# Now a task with labels: which of eight topics does a sentence belong to? Take the model's vectors, their mean, and
# one new linear map. **Fine-tuning** trains all of it. From **scratch** is the same without the reading. With two
# labelled sentences of each topic:

# %%
examples = task.few(2, torch.Generator().manual_seed(0))  # two sentences of each topic
tokens, lengths, labels = task.test


def topics_right(encoder):
    torch.manual_seed(0)
    classifier = TextClassifier(encoder, nn.Linear(64, len(TOPICS)))
    for _ in fit(classifier, lambda g: topic_loss(classifier, g), 80, rate=0.01):
        pass
    return (classifier(tokens, lengths).argmax(-1) == labels).float().mean().item()


def topic_loss(classifier, generator):
    drawn = torch.randperm(len(examples.labels), generator=generator)[:32]
    return cross_entropy(classifier(examples.tokens[drawn], examples.lengths[drawn]), examples.labels[drawn])

# %%
def ahead(way, other):
    """By how many points, to the nearest ten: machines differ by less."""
    return f"{way} is ahead of {other} by about {10 * round(10 * (right[way] - right[other]))} points"


torch.manual_seed(0)
right = {"fine-tuned": topics_right(trained.pretrained().masked.encoder)}
right["from scratch"] = topics_right(trained.new_reader().encoder)
print(ahead("fine-tuned", "from scratch"))

# %% [markdown]
# A third way needs no training at all: the **bag of words**. Count words, weigh each by how rare it is in the text
# without labels (tf-idf), and take the topic whose mean is nearest.

# %%
counts = [word_counts(part, len(task.vocabulary)) for part in (task.unlabelled(), examples.tokens, tokens)]
weights = rarity(counts[0])
known, unknown = (bag_vectors(part, weights) for part in counts[1:])
right["bag of words"] = (nearest_mean(unknown, known, examples.labels, len(TOPICS)) == labels).float().mean().item()
print(f"bag of words: {100 * right['bag of words']:.0f} %")
print(ahead("fine-tuned", "bag of words"))
print(ahead("bag of words", "from scratch"))

# %% tags=["hide-input"]
guess("16.labels", then=FewLabelsExplorer())

# %% [markdown]
# ## 5. The lectures' tables
#
# GPT (Radford et al., 2018) and BERT (Devlin et al., 2019) were measured on eight tasks with 2,500 to 392,000 labels.
# Two rows of the tables that the CMU lecture shows, and what lies between them:

# %%
PublishedScoresExplorer()

# %% [markdown]
# Question it. *Pre-training helps most where labels are few*: for GPT, pre-trained or not, the task with the fewest
# labels, RTE, gains the least. From GPT to BERT the gain is indeed smaller where there are more labels; but both are
# pre-trained, so this is not a gain *of* pre-training. The average mixes measures of different kinds. And no row shows
# how far apart its seeds lie (BERT large is the best of several), so how large must a difference be?
#
# ## 6. Exercise
#
# **16.hide.** What the masked model reads and what it is asked. All four are [batch, tokens]. Below 80 on the `dice` (0
# to 99) a word that is `asked` for (True) is hidden: its input is 1, the id of `[HIDDEN]`. From 80 to 89 the one in
# `others` stands there, from 90 on it stays. The target is the word that stood there, -100 wherever nothing is asked.
# Return `torch.stack([inputs, targets])`, [2, batch, tokens].

# %%
def hide(tokens, asked, dice, others):
    ...


check("16.hide", hide)

# %%
hint("16.hide")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def hide(tokens, asked, dice, others):
#     inputs = torch.where(asked & (dice < 90), others, tokens)
#     inputs = torch.where(asked & (dice < 80), 1, inputs)
#     targets = torch.where(asked, tokens, -100)
#     return torch.stack([inputs, targets])
# ```
# </details>
#
# ## 7. What is still broken
#
# * So why train once? Reading needs no labels; after masked reading, two labels of each topic did what eight did from
#   scratch.
# * Ours has read one small book, and it shows. **Lesson 17** opens models that have read far more, and asks what their
#   heads look at.
#
# **Sources.** A. Radford et al., *Improving Language Understanding by Generative Pre-Training*, 2018: sections 2 and 5.
# J. Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers*, 2019: sections 1 to 5. K. Spärck Jones, *A
# statistical interpretation of term specificity*, 1972: section 4. Lectures: *Sequence to Sequence models: Attention
# Models* (CMU), *Lecture 17: Attention* (Michigan). Text: the Python language reference, © Python Software Foundation.
