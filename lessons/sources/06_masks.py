# %% [markdown]
# # Masks: who may look at whom?
#
# In lesson 05 every word looks at every word. That is not always allowed. A model that writes must not see what it is
# about to write; the blanks that fill up a batch are not words; two texts in one row have nothing to say to each other.
# One table of yes and no settles all of it: the **mask**. It costs one line. And what does it cost to forget it?
#
# **You will be able to** write each of the usual masks with a comparison or two, join masks, say where in the formula
# they belong and why, say what a row without any key gives, and find a leak with a test that needs no training.
#
# **You should know** queries, keys and the softmax (lesson 04), and self-attention (lesson 05).

# %%
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab import attend, causal, causal_window, document, everything, fit
from attnlab import measured, padding, prefix, trained, window
from attnlab.analysis import mean_and_range
from attnlab.exercises import check, hint
from attnlab.tasks.next_letter import loss_of_next, two_models
from attnlab.tasks.text import Text
from attnlab.training import side_by_side, weights_of
from widgets import MaskPlacementExplorer, MasksExplorer, NextLetterLeakExplorer, Training, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then paint
#
# Eight places: *the cat sat*, a second text *fish eat fish*, and two places of padding that only fill the row up. Each
# row is a query and shares its attention out among the keys, so it sums to 1. Now one key of a row is masked: the
# query may no longer look at it.

# %% tags=["hide-input"]
guess("06.share", then=MasksExplorer())

# %% [markdown]
# **Paint.** In the row of *eat*, the first *fish* has a third of the weight. Click that cell: it is hatched, *eat* may
# no longer look there. The row stands below as bars, and the sentence says what has become of the others. Drag
# across several cells. Mask a whole row: all its weights are 0.
#
# **Then choose.** Press *reset*, pull *size* down from 7 to 0 and see the window close. Try *causal* (nobody sees what
# follows) and *document* (nobody sees the other text). Join two: *causal* **and** *padding* is for a model that
# writes, trained on texts of different lengths. *document* **and** *padding* leaves two rows empty: which, and why?
#
# ## 2. By hand
#
# Three scores of one query: 0, 1, 2. It must not see the third key. With a pencil: $e^0, e^1, e^2$ are 1, 2.72 and
# 7.39. There are three ways to be rid of the third, and two of them are wrong.

# %%
scores = torch.tensor([0.0, 1.0, 2.0])
mask = torch.tensor([True, True, False])  # True = may attend

ways = {
    "minus infinity before": scores.masked_fill(~mask, -torch.inf).softmax(dim=-1),
    "zero after": scores.softmax(dim=-1) * mask,
    "zero as a score": (scores * mask).softmax(dim=-1),
}
for name, weights in ways.items():
    print(f"{name:22}", weights, f"sum {weights.sum():.2f}")

# %% [markdown]
# * **Minus infinity before the softmax**: $e^{-\infty} = 0$, so the third term is gone from the top *and* from the sum:
#   1 / 3.72 and 2.72 / 3.72. The key has left no trace.
# * **Zero after the softmax**: the third weight is gone, but 7.39 still stands in the sum: 1 / 11.11 and 2.72 / 11.11.
#   Two thirds of the row are missing.
# * **Zero as a score**: $e^0 = 1$. A score of zero is a score like any other, and the hidden key gets a fifth.
#
# ## 3. The formula
#
# $$a_{ij} = \frac{m_{ij}\, e^{s_{ij}}}{\sum_k m_{ik}\, e^{s_{ik}}} = \mathrm{softmax}_j\,(s_{ij} + \log m_{ij})$$
#
# Here $s$ are the `scores`, $m$ the `mask`, [queries, keys] or [batch, queries, keys], and $a$ the `weights`.
#
# $\log 1 = 0$ and $\log 0 = -\infty$: to multiply the terms by the mask is to add $-\infty$ to the scores. In our
# code, as in torch's `scaled_dot_product_attention`, **True means may attend**. Torch's `nn.MultiheadAttention` means
# the opposite: there True is forbidden.
#
# Who may look at whom is one comparison, or two joined, mostly of the places $i$ (of the query) and $j$ (of the key):
#
# | mask | $i$ may look at $j$ when | where one meets it |
# |---|---|---|
# | causal | $j \le i$ | every model that writes from left to right |
# | padding | $j <$ length of the text | every batch of texts of different length |
# | window | $\lvert i - j\rvert \le$ radius | long texts, where all pairs are too many |
# | prefix | $j \le i$ or $j <$ length of the prefix | a question is read whole, the answer is written |
# | document | $i$ and $j$ lie in the same text | several short texts packed into one row |
#
# ## 4. In torch

# %%
i, j = torch.arange(8).unsqueeze(1), torch.arange(8)  # [queries, 1] and [keys]
texts = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2])

assert torch.equal(j <= i, causal(8))
assert torch.equal((i - j).abs() <= 2, window(8, radius=2))
assert torch.equal((j <= i) & (i - j <= 2), causal_window(8, radius=2))
assert torch.equal((j <= i) | (j < 3), prefix(8, length=3))
assert torch.equal(texts.unsqueeze(1) == texts, document(texts))

lengths = torch.tensor([8, 6])  # of two texts in one batch
assert torch.equal((j < lengths.unsqueeze(1)).unsqueeze(1), padding(lengths, 8))
both = causal(8) & padding(lengths, 8)
print("padding:", list(padding(lengths, 8).shape), " with causal:", list(both.shape))

# %% [markdown]
# Padding hides **columns**, hence [batch, 1, keys]; causal is the same for all texts, [queries, keys]. `&` broadcasts
# them. And the attention itself:

# %%
def masked_attention(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, queries, keys]
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights @ value, weights


torch.manual_seed(0)
query, key, value = (torch.randn(2, 8, 16) for _ in range(3))
context, weights = masked_attention(query, key, value, both)
assert torch.allclose(attend(query, key, value, mask=both).context, context, atol=1e-6)

# %% [markdown]
# ## 5. Before the softmax, or after?

# %% tags=["hide-input"]
guess("06.after", then=MaskPlacementExplorer())

# %% [markdown]
# **Try** the slider: it adds to the scores of *mat*, which only the last row may see. Do the rows above it move in the
# first panel? In the second? And in the third, which divides each row by its sum again?
#
# ## 6. A row with nothing to look at
#
# Padding at the left together with a causal mask: rows without any key arise by themselves. What then?

# %%
scores = torch.tensor([[1.0, 2.0], [3.0, 0.0]])
mask = torch.tensor([[True, False], [False, False]])  # the second query may look at nothing

print("minus infinity ", scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)[1])
print("a large number ", scores.masked_fill(~mask, -1e9).softmax(dim=-1)[1])
print("attend         ", attend(scores, torch.eye(2), torch.eye(2), mask=mask).weights[1])

# %% [markdown]
# * With **minus infinity**, 0 / 0: not a number.
# * With **a large negative number**, common in code, all keys are equally bad, and so equally good: the query reads the
#   mean of all that it must not see, and nobody is told.
# * `attend` gives **weights 0, context 0**.
#
# A NaN never stays alone. Two texts of two places, one row of the four is empty:

# %%
vectors, to_value = torch.randn(2, 2, 4), nn.Linear(4, 4)
one_empty = causal(2) & torch.tensor([[True, True], [False, True]]).unsqueeze(1)  # 2nd text: padded left
for name, attention in [("naive", masked_attention), ("attend", attend)]:
    to_value.zero_grad()
    attention(vectors, vectors, to_value(vectors), mask=one_empty)[0].square().mean().backward()
    print(f"{name:7} gradients that are NaN: {100 * to_value.weight.grad.isnan().float().mean():.0f} %")

# %% [markdown]
# ## 7. One word apart
#
# A language model reads a text and names, at every place, the letter that comes next. All places of an excerpt learn at
# once.
#
# Here is a small Transformer that writes: embeddings of letters and of their places, one block (lesson 09 takes it
# apart), and a map to letters. Two of them, with the same weights to begin with and the same batches. **One word
# differs**: who may look at whom. The loss is counted in **nats**, the unit of natural logarithms.

# %%
task = Text.python_reference()  # the language reference that comes with every Python
inputs, targets = task.test(64, 64)  # held out, never seen in training
models = two_models(task)  # the same LetterModel with mask=everything and with mask=causal


def start():  # Reset calls it again
    for name, fresh in two_models(task).items():
        models[name].load_state_dict(fresh.state_dict())
    runs = [fit(model, lambda g, model=model: loss_of_next(model, task, g), 400, rate=1e-2)
            for model in models.values()]
    return measured(side_by_side(runs), held_out_losses, every=10)


def held_out_losses():
    return {name: cross_entropy(m(inputs).flatten(0, 1), targets.flatten()) for name, m in models.items()}

# %% tags=["hide-input"]
letters = task.encode("return value")[None]


def watch():  # the mean of the four heads, one panel a model
    return torch.stack([weights_of(model, "blocks.0.attention", letters)[0].mean(dim=0)
                        for model in models.values()])

# %% tags=["hide-input"]
training = Training(
    start, steps=400, watch=watch, film_every=10, seconds=20, name="two models",
    metrics={"no mask": "held-out, no mask", "causal": "held-out, causal"},
    summary=lambda loss: f"Held-out loss, to the nearest nat: no mask {loss['no mask']:.0f}, causal "
                         f"{loss['causal']:.0f}. Going by that, which of the two would you let write?",
    panel_names=[*models], query_labels=list("return value"), key_labels=list("return value"),
    mask=torch.stack([everything(12), causal(12)]),
)

# %% tags=["hide-input"]
guess("06.no_mask", then=training)

# %% [markdown]
# Press **Start**. The two curves above are the losses on the held-out text. For a hundred steps there is nothing to
# see. Then watch the matrix: where does every letter look? What stands there, and what hides it from the other model?

# %%
training.run()
training

# %% [markdown]
# Now step through a text letter by letter, as each model would have to write it. Columns are the letters of the text; a
# cell is the chance that the model gave to this letter. What is not shown yet is hatched. (A line break stands before
# the first.)

# %%
NextLetterLeakExplorer(models, task, text="the return value of a function", shown=12, lock=training.lock)

# %% [markdown]
# **Press play**, or type a text of your own. The upper row is dark wherever the letter has already been shown, and pale
# at the next one: it copies, it does not predict. Watch the *lower* row while letters are added: what stands there
# never changes again. That is what causal means: **the future cannot change the past**. It is also a test that finds
# leaks without training anything. Write it:
#
# **06.leaks.** Replace everything in `x` from `place` on by the same part of `other`, and run the model on both. Return
# [place]: for each earlier place, the largest absolute difference between the two outputs, over the batch and all
# numbers. `model` takes and returns [batch, tokens, dim]; `x` and `other` are [batch, tokens, dim].

# %%
def leaks(model, x, other, place):
    ...


check("06.leaks", leaks)

# %%
hint("06.leaks")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def leaks(model, x, other, place):
#     changed = torch.cat([x[:, :place], other[:, place:]], dim=1)  # the same past, another future
#     moved = (model(changed) - model(x))[:, :place].abs()
#     return moved.amax(dim=(0, 2))
# ```
# </details>
#
# ## 8. What the loss does not say
#
# Three seeds, trained as above by `attnlab/trained/train_leak.py`. Loss on held-out text, in nats a letter: once as in
# training, with the whole excerpt in view; once honestly, with only the letters up to each place. Then both
# write: what share of the letters that they write belongs to words of three letters or more that occur in the text?

# %%
found = trained.leak()
for name, runs in found["runs"].items():
    for what in ("everything", "past", "words"):
        print(f"{name:8} {what:11}", mean_and_range([run[what] for run in runs]))
print("loss of guessing evenly", found["guessing evenly"])

# %% [markdown]
# Told only the past, the leaky model is *worse than one that knows nothing*: it is sure, and wrong. And the one with by
# far the smaller loss writes no word at all. (The honest one does little better after 400 steps, one letter in eight,
# but its loss does not pretend otherwise.) **A loss that is too good is a leak until you have shown that it is none**:
# change the future, and see whether the past moves.
#
# <details><summary>Think first, then unfold: can the causal mask be put on afterwards, when the leaky model has been
# trained?</summary>
#
# It then looks nowhere it should not. But what it would need, guessing from what came before, it never learned: it only
# learned to copy from the right. How it fares has been measured above: a model of one block that is told only the past
# sees just what it would see under a causal mask, and its loss is 7.84. It has to learn that under the mask.
# </details>
#
# <details><summary>For another day: the exercises 06.softmax, 06.causal and 06.combine</summary>
#
# `masked_softmax(scores, mask)`: the softmax of 04.softmax under a mask, all [batch, queries, keys]. Hidden scores may
# be as large as 50000, too; a row in which all is hidden has weights of 0. `causal_mask(queries, keys)`: the causal
# mask [queries, keys] when the queries are the last ones of a text: with a cache of earlier keys there is one query and
# many keys. `no_future_no_padding(lengths, tokens)`: the mask [batch, queries, keys] of a batch of texts that are
# padded at the *left*, so that all can be continued at the last place: no future and no padding. `check("06.softmax",
# ...)`, `check("06.causal", ...)` and `check("06.combine", ...)` name the mistake.
# </details>
#
# ## 9. What is still broken
#
# * A mask says who may be seen, not where they stand. To a layer without places the words before a query are a bag: it
#   sees which came before, not in which order. **Lesson 07** gives a set its order.
# * A causal model reads one way only. To fill a gap one wants to see both sides; then the *word* is hidden and not the
#   attention. That is called masking, too: **lesson 16**.
# * Scores of masked pairs are computed and thrown away: under a causal mask nearly half of all. **Lesson 12** counts.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.3: the causal mask, as minus infinity
# before the softmax. C. Raffel et al., *Exploring the Limits of Transfer Learning*, 2020, section 3.2.1: prefix. I.
# Beltagy, M. Peters, A. Cohan, *Longformer*, 2020, section 3.1: window. M. Krell et al., *Efficient Sequence Packing
# without Cross-contamination*, 2021: document. The Python language reference is the one in your own Python; with
# another version your numbers differ a little.
