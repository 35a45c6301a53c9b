# %% [markdown]
# # Masks: who may look at whom?
#
# In lesson 05 every word looks at every word. That is not always allowed. A model that writes must not see what it
# is about to write; the blanks that fill a batch up are no words; two texts in one row have nothing to say to each
# other. One table of yes and no settles all of it: the **mask**. It costs one line, and to forget it costs
# everything: you will train a model whose loss is close to zero and which cannot write a single word.
#
# **You will be able to** write any mask as one comparison, join masks, say why they belong before the softmax and not
# after it, know what becomes of a row without any key, and find a leak that no validation set shows.
#
# The cells run for a minute and a half on two cores. **You should know** queries, keys and the softmax (lesson 04),
# and self-attention (lesson 05).

# %%
import math
import re

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

from attnlab import MultiHeadAttention, attend, causal, causal_window, document, everything
from attnlab import fit, measured, padding, prefix, window
from attnlab.blocks import EncoderBlock, FeedForward
from attnlab.exercises import check, hint
from attnlab.positions import Learned
from attnlab.tasks.text import Text
from attnlab.training import Step, weights_of
from attnlab.transformer import Embed, Stack

# %%
from widgets import MaskPlacementExplorer, MasksExplorer, NextLetterLeakExplorer, ContinuationsExplorer
from widgets import Chart, Predict, Training, curve, figure, points

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then paint
#
# Eight places: *the cat sat*, a second text *fish eat fish*, and two places of padding that only fill the row up. Each
# row is a query and shares its attention out among the keys, so it sums to 1. Now one key of a row is masked: the
# query may no longer look at it.

# %% tags=["hide-input"]
explorer = MasksExplorer()
Predict(
    "One key of a row is masked. It had a third of the weight. What happens to the weights of the others?",
    choices=[
        ("they stay, and a third is missing", "Then the row would sum to two thirds. The softmax divides by the sum "
                                              "of what is left, so that it is 1 again. (Section 5 shows who does.)"),
        ("each gets the same share of it", "What is set free is not dealt out evenly: who had more gets more."),
        ("all grow by the same factor", "Here by 3 / 2. A softmax without one key is a softmax among the others: "
                                        "their ratios stay as they were, and the row sums to 1 again."),
        ("the largest gets it", "Only a very sharp softmax does that."),
    ],
    answer=2,
    then=explorer,
)

# %% [markdown]
# **Paint.** In the row of *eat*, the first *fish* has a third of the weight. Click that cell: it is hatched, *eat* may
# no longer look there. The row stands below as bars, and the sentence says by which factor the others have grown.
# Drag across several cells. Mask a whole row: all its weights are 0.
#
# **Then choose.** Press *reset*, pull *size* down from 7 to 0 and see the window close, until every word sees only
# itself. Try *causal* (nobody sees what follows) and *document* (nobody sees the other text). Join two: *causal*
# **and** *padding* is what almost every language model is trained with. *document* **and** *padding* leaves two rows
# empty: which ones, and why? With **or** a pair is allowed if one of the two masks allows it.
#
# What you painted is an ordinary tensor in the next cell:

# %%
print("pairs that may look:", int(explorer.mask.sum()), "of", explorer.mask.numel())

# %% [markdown]
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
# | letter | here | shape | what it is |
# |---|---|---|---|
# | $s_{ij}$ | `scores` | batch, queries, keys | how well key $j$ answers query $i$ |
# | $m_{ij}$ | `mask` | queries, keys, or batch, queries, keys | 1 (True): $i$ may look at $j$; 0 (False): it may not |
# | $a_{ij}$ | `weights` | batch, queries, keys | how much is read; a row sums to 1, or is 0 throughout |
#
# $\log 1 = 0$ and $\log 0 = -\infty$: to multiply the terms by the mask is to add $-\infty$ to the scores. In our
# code, as in torch's `scaled_dot_product_attention`, **True means may attend**. Torch's `nn.MultiheadAttention` means
# the opposite: there True is forbidden. Look twice, always.
#
# Who may look at whom is one comparison of the places $i$ (of the query) and $j$ (of the key):
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
print("padding:", list(padding(lengths, 8).shape), " with causal:",
      list((causal(8) & padding(lengths, 8)).shape))

# %% [markdown]
# Padding differs from text to text and hides **columns**, hence [batch, 1, keys]; causal is the same for all, [queries,
# keys]. `&` broadcasts them to [batch, queries, keys]. And the attention itself:

# %%
def masked_attention(query, key, value, mask):
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, queries, keys]
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights @ value, weights


torch.manual_seed(0)
query, key, value = (torch.randn(2, 8, 16) for _ in range(3))
mask = causal(8) & padding(lengths, 8)

context, weights = masked_attention(query, key, value, mask)
found = attend(query, key, value, mask=mask)
assert torch.allclose(found.weights, weights, atol=1e-6)
assert torch.allclose(found.context, context, atol=1e-6)
print("rows sum to 1:", torch.allclose(weights.sum(dim=-1), torch.ones(2, 8)))

# %% [markdown]
# ## 5. Before the softmax, or after?

# %% tags=["hide-input"]
before_after = MaskPlacementExplorer()
Predict(
    "A causal mask, but put on after the softmax: all weights of the future are set to 0. The row of “sat” gives no "
    "weight to “mat”. Can “sat” still find out something about “mat”?",
    choices=[
        ("no, its weight is 0", "The weight of “mat” is 0, but the others were divided by a sum in which it stands."),
        ("yes", "The louder “mat” is, the larger the sum by which all other weights were divided, and the fainter the "
                "row. How faint it is tells what the future holds."),
        ("only while it learns", "It leaks in both: the weights themselves depend on “mat”."),
    ],
    answer=1,
    then=before_after,
)

# %% [markdown]
# **Try** the slider: it adds to the scores of *mat*, which only the last row may see. In the first panel the rows
# above do not move. In the second they fade: their sums tell how loud the hidden word is. The third divides each row
# by its sum again, which gives the same weights as the first, as long as anything is left to divide. The numbers here
# have 16 bits, as in many large models, and near the end of the slider all that is allowed was rounded to zero. Then
# 0 / 0 is not a number, drawn as a cross.
#
# One lecture says that the mask forces the weights of what follows *to 0*. So it does, but by way of the scores.
# Another says it exactly: minus infinity, put into the scores, before the softmax.
#
# ## 6. A row with nothing to look at
#
# A text of length 0 in a batch. Padding at the left together with a causal mask: the first places see only padding.
# Padding queries under a document mask. Rows without any key come about by themselves. What then?

# %%
scores = torch.tensor([[1.0, 2.0], [3.0, 0.0]])
mask = torch.tensor([[True, False], [False, False]])  # the second query may look at nothing

print("minus infinity ", scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)[1])
print("a large number ", scores.masked_fill(~mask, -1e9).softmax(dim=-1)[1])
print("attend         ", attend(scores, torch.eye(2), torch.eye(2), mask=mask).weights[1])

# %% [markdown]
# * With **minus infinity**, 0 / 0: not a number.
# * With **a large negative number**, which one sees in much code, all keys are equally bad, and so equally good: the
#   query reads the mean of all that it must not see, and nobody is told.
# * `attend` gives **weights 0, context 0**: who may look at nothing finds nothing. So does torch's own fused kernel.
#
# A NaN never stays alone. Two texts of two places; one row of the four is empty, and what the model could have learned
# from the whole batch is lost:

# %%
torch.manual_seed(0)
vectors = torch.randn(2, 2, 4)
words = torch.tensor([[True, True], [False, True]])  # the second text is padded at the left
one_empty = causal(2) & words.unsqueeze(1)
for name, attention in [("naive", masked_attention), ("attend", attend)]:
    to_value = nn.Linear(4, 4)
    value = to_value(vectors)
    context = attention(vectors, vectors, value, mask=one_empty)[0]
    context.square().mean().backward()
    broken = to_value.weight.grad.isnan().float().mean()
    print(f"{name:7} gradients that are NaN: {100 * broken:.0f} %")

# %% [markdown]
# ## 7. The leak
#
# A language model reads a text and names, at every place, the letter that comes next. All places of a window learn at
# once: that is what makes Transformers fast to train. But the answer to each question stands in the same window, one
# place to the right. Only the causal mask hides it.
#
# Here is the smallest Transformer that writes: embeddings, one block (lesson 09 takes it apart), and a map to letters.
# Two of them, with the same weights to begin with and the same batches. **One word differs**: who may look at whom.

# %%
class LetterModel(Stack):
    longest = 64  # letters in a window

    def __init__(self, letters, mask):
        block = EncoderBlock(MultiHeadAttention(64, 4), FeedForward(64, 256, gelu), nn.LayerNorm)
        embed = Embed(nn.Embedding(letters, 64), Learned(64, self.longest))
        super().__init__(embed, [block], nn.LayerNorm(64))
        self.output, self.mask = nn.Linear(64, letters), mask

    def forward(self, tokens):  # [batch, tokens] -> [batch, tokens, letters]
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.mask(tokens.shape[1]))
        return self.output(self.norm(x))

# %%
task = Text.python_reference()  # the language reference that comes with every Python
inputs, targets = task.test(64, 64)  # held out, never seen in training


def new_models(seed):
    models = {}
    for name, mask in [("no mask", everything), ("causal", causal)]:
        torch.manual_seed(seed)
        models[name] = LetterModel(len(task.vocabulary), mask)
    return models


def loss(model, generator):
    windows, following = task.batch(32, 64, generator)
    return cross_entropy(model(windows).flatten(0, 1), following.flatten())

# %% tags=["hide-input"]
Predict(
    "Both models are trained for 400 steps. How well does the one without a mask do on text that it has never seen?",
    choices=[
        ("about as well as the other", "It would, if it could not see the answers. It can, and it takes 100 steps to "
                                       "find out."),
        ("worse: it has learned by heart", "It has learned to look one place to the right, and that works on every "
                                           "text, old or new."),
        ("almost perfectly", "The held-out text lies before it just like the training text, answers and all. A "
                             "validation set does not reveal a leak: it leaks too."),
    ],
    answer=2,
)

# %%
def train_together(models, seed=0):  # a step of the one, a step of the other
    runs = [fit(model, lambda g, model=model: loss(model, g), 400, rate=1e-2, seed=seed)
            for model in models.values()]
    return (Step(one.step, one.loss, last=one.last) for one, _ in zip(*runs, strict=True))

# %%
models = new_models(seed=0)


def held_out_losses():
    return {name: cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
            for name, model in models.items()}


def start():  # Reset calls it again
    for name, fresh in new_models(seed=0).items():
        models[name].load_state_dict(fresh.state_dict())
    return measured(train_together(models), held_out_losses, every=10)

# %% [markdown]
# Press **Start**. The two curves above are the losses on the held-out text; the one below is the training loss of the
# model without a mask. For a hundred steps there is nothing to see. Then it falls off a cliff, and the matrix shows
# what it has found: every letter looks at its neighbour on the right, which is the answer.

# %%
letters = task.encode("return value")[None]


def watch():  # the mean of the four heads, one panel a model
    return torch.stack([weights_of(model, "blocks.0.attention", letters)[0].mean(dim=0)
                        for model in models.values()])


training = Training(
    start, steps=400, watch=watch, film_every=10, seconds=20, name="leak",
    metrics={"no mask": "held-out, no mask", "causal": "held-out, causal"},
    panel_names=[*models], query_labels=list("return value"), key_labels=list("return value"),
    mask=torch.stack([everything(12), causal(12)]),
)
training

# %%
training.run()
print("no mask, held-out loss below 0.1:", training.result["no mask"] < 0.1)
print("causal,  held-out loss above 1.5:", training.result["causal"] > 1.5)
training

# %% [markdown]
# Going by the loss, the left model is the best language model ever built. Step through a text letter by letter, as it
# would have to write it. Columns are the letters of the text; a cell is the chance that the model gave to this letter.
# What is not shown yet is hatched.

# %%
reveal = NextLetterLeakExplorer(models, task, text="the return value of a function", shown=12, lock=training.lock)
reveal

# %% [markdown]
# **Press play**, or type a text of your own. The upper row is dark wherever the letter has already been shown, and
# pale at the next one, always: it copies, it does not predict. Watch the *lower* row while letters are added: what
# stands there never changes again. That is what causal means: **the future cannot change the past**. It is also a test
# that finds every leak, in four lines, without training anything:

# %%
@torch.no_grad()
def leaks(model, place=32):
    other = inputs.clone()
    other[:, place:] = inputs.flip(0)[:, place:]  # another future
    moved = (model(other) - model(inputs))[:, :place].abs().max()
    return bool(moved > 1e-4)


for name in models:
    print(f"{name:8} the future changes the past:", leaks(models[name]))
    print(f"{name:8} the same, untrained:        ", leaks(new_models(seed=1)[name]))

# %% [markdown]
# ### The measurement
#
# Loss at each of the 64 places of a window, held-out text. Once as in training: the whole window lies before the model.
# Once honestly: only the letters up to that place.

# %%
@torch.no_grad()
def told_everything(model):
    return cross_entropy(model(inputs).transpose(1, 2), targets, reduction="none").mean(dim=0)


@torch.no_grad()
def told_the_past(model):
    return torch.stack([cross_entropy(model(inputs[:, :n])[:, -1], targets[:, n - 1])
                        for n in range(1, 65)])


inputs, targets = task.test(64, 128)  # more of it, for a quiet curve
leaky, honest = models.values()
places, even = range(1, 65), math.log(len(task.vocabulary))
at_once, one_by_one, causal_loss = told_everything(leaky), told_the_past(leaky), told_the_past(honest)

# %%
Chart(figure(
    curve(one_by_one, places, "no mask, told only the past", "query"),
    curve([even] * 64, places, "guessing evenly", line={"color": "#888", "dash": "dot", "width": 1.5}),
    curve(causal_loss, places, "causal", "value"),
    curve(at_once, places, "no mask, told everything", "context"),
    title="Loss at each place of the window", x="place", y="loss, nats per letter", y_range=[0, None],
))

# %%
assert torch.allclose(told_everything(honest), causal_loss, atol=1e-4)  # the same, told all or not
print("no mask, told everything: below 0.1 at all places but the last:", bool((at_once[:-1] < 0.1).all()))
print("at the last one, where there is nothing to copy, above 2:", bool(at_once[-1] > 2))
print("told only the past, worse than guessing evenly:", bool(one_by_one.mean() > even))

leaky.mask = causal  # the mask put on afterwards
print("with the mask put on afterwards, still worse:", bool(told_everything(leaky).mean() > even))
leaky.mask = everything

# %% [markdown]
# The loss is not exactly zero, for one place in 64 has no neighbour to copy from: there it guesses, and those two to
# three nats, divided by 64, are most of what is left. Told only the past it is *worse than a model that knows nothing*:
# it is sure, and wrong. A mask put on afterwards does not help: what it would need was never learned. Only at the very
# last place do its two curves meet, for there even training could not show it the answer. Now let both models write.

# %%
known = set(re.findall("[a-z]+", task.decode(task.training).lower()))
ContinuationsExplorer(models, task, known, begin="The ", lock=training.lock)

# %% [markdown]
# Neither writes sense; 400 steps are not many, and lesson 11 does better. But one of them spells, and the other
# stammers. In numbers, for three seeds each: how many of the letters stand in words that exist (of three letters or
# more), and how many different groups of four letters there are in 16 samples of 200.

# %%
@torch.no_grad()
def samples(model):
    generator = torch.Generator().manual_seed(0)
    written = task.encode("The ").repeat(16, 1)
    for _ in range(200):
        chances = (model(written[:, -64:])[:, -1] / 0.8).softmax(dim=-1)
        written = torch.cat([written, torch.multinomial(chances, 1, generator=generator)], dim=1)
    return [task.decode(row) for row in written[:, 4:]]


def judged(texts):
    words = [word for text in texts for word in re.findall("[a-z]+", text.lower())]
    real = sum(len(word) for word in words if len(word) > 2 and word in known)
    groups = {text[at : at + 4] for text in texts for at in range(197)}
    return real / (16 * 200), len(groups)

# %%
trained = [models]
for seed in 1, 2:
    more = new_models(seed)
    for _ in train_together(more, seed):
        pass
    trained.append(more)

losses = {name: [told_everything(m[name]).mean().item() for m in trained] for name in models}
judges = {name: [judged(samples(m[name])) for m in trained] for name in models}

# %%
real = {name: [share for share, _ in judges[name]] for name in models}
groups = {name: [count for _, count in judges[name]] for name in models}
counts = "; ".join(f"{name} {min(g)} to {max(g)}" for name, g in groups.items())
Chart(figure(
    points(losses["no mask"], real["no mask"], ["no mask", "", ""], role="context"),
    points(losses["causal"], real["causal"], ["causal", "", ""], role="value"),
    title="The lower the loss, the worse the text (a dot for each seed)",
    x=f"held-out loss; different groups of four letters: {counts}",
    y="share of letters in real words", x_range=[0, 2.5], y_range=[-0.02, 0.25],
))

# %%
print("no mask, every seed: loss below 0.1:", max(losses["no mask"]) < 0.1)
print("causal, every seed: loss above 1.5:", min(losses["causal"]) > 1.5)
print("letters in real words, the best leak below a third of the worst honest model:",
      max(real["no mask"]) < min(real["causal"]) / 3)
print("groups of four letters, the same: below a third:",
      max(groups["no mask"]) < min(groups["causal"]) / 3)

# %% [markdown]
# The dots on the left have about forty times less loss, and write hardly a word. **A loss that is too good is a leak
# until you have shown that it is none**: change the future, and see whether the past moves.
#
# ## 8. Exercises
#
# **06.causal.** The causal mask [queries, keys] when the queries are the last ones of a text: with a cache of earlier
# keys there is one query and many keys. `queries` and `keys` are whole numbers, 1 <= queries <= keys.

# %%
def causal_mask(queries, keys):
    ...


check("06.causal", causal_mask)

# %%
hint("06.causal")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def causal_mask(queries, keys):
#     place = torch.arange(keys - queries, keys)           # where the queries stand
#     return torch.arange(keys) <= place.unsqueeze(1)      # [queries, keys]
# ```
# </details>
#
# **06.combine.** The mask [batch, queries, keys] of a batch of texts: no future and no padding. `lengths` [batch] are
# the numbers of words; all texts are filled up to `tokens` places.

# %%
def no_future_no_padding(lengths, tokens):
    ...


check("06.combine", no_future_no_padding)

# %%
hint("06.combine")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def no_future_no_padding(lengths, tokens):
#     place = torch.arange(tokens)
#     causal = place <= place.unsqueeze(1)                 # [queries, keys]
#     words = place < lengths.unsqueeze(1)                 # [batch, keys]
#     return causal & words.unsqueeze(1)                   # [batch, queries, keys]
# ```
# </details>
#
# ## 9. What is still broken
#
# * A mask says who may be seen, not where it stands. Without the learned places in `LetterModel`, the words behind a
#   query would be a bag without order. **Lesson 07** gives a set its order, in seven ways.
# * A causal model reads one way only. To fill a gap one wants to see both sides; then the *word* is hidden and not the
#   attention. That too is called masking, and is another thing: **lesson 16**.
# * The scores of masked pairs are computed and thrown away, half of them all under a causal mask. **Lesson 12** counts.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.3: the causal mask, as minus infinity
# before the softmax. C. Raffel et al., *Exploring the Limits of Transfer Learning*, 2020, section 3.2.1: prefix. I.
# Beltagy, M. Peters, A. Cohan, *Longformer*, 2020, section 3.1: window. M. Krell et al., *Efficient Sequence Packing
# without Cross-contamination*, 2021: document. The lecture with minus infinity put into the scores is J. Johnson's
# (University of Michigan), the one that forces weights to 0 is CMU's 11-785. The Python language reference is the one
# in your own Python; another version has a slightly different text, so your numbers differ a little.
