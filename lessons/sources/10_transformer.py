# %% [markdown]
# # The Transformer: is attention all you need?
#
# Lesson 02 let a recurrent decoder look back. Since then the recurrence has lost one job after another: attention finds
# what belongs together (05), a mask hides the future (06), positions tell the order (07), a block holds it all (09).
# Put two stacks of blocks side by side, let one ask the other, and you have the model of 2017. Here it learns to
# translate.
#
# **You will be able to** say of each of its three attentions who asks, who answers and who must not be seen, write its
# two kinds of blocks, and show in a running translator every place where two words meet.
#
# **You should know** lessons 02 and 05 to 09.

# %%
import torch
from sacrebleu import corpus_bleu

from attnlab import causal, exact, measured, padding, sinusoidal, trained, translate
from attnlab.analysis import mean_and_range
from attnlab.exercises import check, hint
from attnlab.tasks import BOS, EOS, TASKS
from attnlab.trained import train_translators
from attnlab.training import weights_of
from attnlab.transformer import transformer
from widgets import Table, ThreeAttentionsExplorer, Training, TwoTowersExplorer, guess

# %%
torch.set_num_threads(1)  # with models this small, two threads wait for each other
phrases = TASKS["phrasebook"]()
sentence = phrases.recognise("we are not eating the red apples")
one, some = phrases.collate([sentence]), phrases.collate(phrases.test[:200])

# %% [markdown]
# ## 1. Guess, then train it
#
# The phrasebook of [lesson 02a](02a_search.ipynb) again: English to Spanish, 20,000 sentences to learn from, 600 that
# are held out. The model has attention, sums, norms and feed-forward networks, and no state that goes from word to
# word: while it learns, all places of a sentence are computed at once.

# %% tags=["hide-input"]
model = train_translators.new(phrases, "Transformer", seed=0)


def start():  # Reset calls it again
    model.load_state_dict(train_translators.new(phrases, "Transformer", seed=0).state_dict())
    steps = train_translators.learn(model, phrases, rate=6e-3)
    return measured(steps, lambda: {"exact": exact(model, *some).float().mean()}, every=20)


training = Training(
    start, steps=280, film_every=10, seconds=10, name="transformer", metrics={"exact": "held-out sentences exact"},
    watch=lambda: weights_of(model, "decoder.blocks.1.cross_attention", *one[:2], one.target[:, :-1])[0].mean(dim=0),
    query_labels=[*sentence.target.split(), "<EOS>"], key_labels=sentence.source.split(),
)
guess("10.unseen", then=training)

# %% [markdown]
# Press **Start** and read on. The matrix is a film of one sentence: rows are the words that the model writes, columns
# those that it reads. How the rate moves, and why it rises first, is a story of its own: [lesson
# 10a](10a_the_recipe.ipynb).
#
# ## 2. Who asks whom
#
# By hand: the encoder has made one vector of each of three source words, (1, 0), (0, 1) and (1, 1). The decoder has
# written one word, and two vectors **ask**: that of `<BOS>`, the begin sign, (0, 0), and that of the word, (0.98, 0).
# With a pencil, for the second: its scores $q \cdot k / \sqrt 2$ are 0.69, 0, 0.69. Since $e^{0.69} = 2$, the weights
# are 2, 1, 2 parts of five.

# %%
source = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
target = torch.tensor([[0.0, 0.0], [0.98, 0.0]])  # <BOS>, and the first word
weights = (target @ source.T / 2**0.5).softmax(dim=-1)
for name, row in zip(["<BOS>", "word"], weights.tolist(), strict=True):
    print(f"{name:5} asks the source:", *(f"{weight:.2f}" for weight in row))
print("a source of 2 words, filled up to 3, may be seen:", padding(torch.tensor([2]), 3))

# %% [markdown]
# `<BOS>` asks with zeros, so all keys are alike to it. Queries of one sequence, keys and values of another: this
# is **cross-attention**, and it is what lesson 02 had. The other two attentions of the model are self-attention
# (05), once among the words of the source and once among those of the target:
#
# | attention | asks (queries) | answers (keys and values) | hidden | weights |
# |---|---|---|---|---|
# | encoder self-attention | source | source | padding | source × source |
# | decoder self-attention | target | target | what follows | target × target |
# | cross-attention | target | source | padding | target × source |
#
# One formula, three times. What differs is only who asks, who answers and who must not be seen. The decoder may see
# all of the source, for that is given, but of its own words only those that it has written.
#
# **10.who.** The contexts of the three, joined along axis 1 in the order of the table: [batch, source + target +
# target, dim]. Sources are padded, targets are not. `x` [batch, source, dim] and `y` [batch, target, dim] are the
# vectors, `lengths` [batch] counts the words of each source, and `attention(query, key, value, mask)` is given.
# `padding` and `causal` of `attnlab` make masks, as in lesson 06.

# %%
def three_contexts(x, y, lengths, attention):
    ...


check("10.who", three_contexts)

# %%
hint("10.who")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def three_contexts(x, y, lengths, attention):
#     words, past = padding(lengths, x.shape[1]), causal(y.shape[1])
#     encoder = attention(query=x, key=x, value=x, mask=words)
#     decoder = attention(query=y, key=y, value=y, mask=past)
#     cross = attention(query=y, key=x, value=x, mask=words)
#     return torch.cat([encoder, decoder, cross], dim=1)
# ```
# </details>
#
# ## 3. The whole model
#
# Each part is put into the stream as $\mathrm{norm}(x + \mathrm{part}(x))$, post-norm (lesson 09); sum and norm are
# left out here. With $x$ for the source's vectors and $y$ for the target's:
#
# $$x \leftarrow \mathrm{attention}(Q{=}x,\, K{=}x,\, V{=}x) \qquad x \leftarrow \mathrm{feed\_forward}(x)
# \qquad \text{encoder}$$
#
# $$y \leftarrow \mathrm{attention}(Q{=}y,\, K{=}y,\, V{=}y,\, \text{causal}) \qquad \text{decoder}$$
#
# $$y \leftarrow \mathrm{attention}(Q{=}y,\, K{=}x,\, V{=}x) \qquad y \leftarrow \mathrm{feed\_forward}(y)$$
#
# To name a word, $y$ is compared with the vectors of all words: logits $= y E^\top$, with the table $E$ that embeds the
# target. Here is a model of one layer, from the words to the logits. `small` lends its maps, everything else stands
# here. One sentence has no padding to hide.

# %%
sizes = len(phrases.source_vocabulary), len(phrases.target_vocabulary)
small = transformer(*sizes, dim=16, heads=2, layers=1)
encoder, decoder = small.encoder.blocks[0], small.decoder.blocks[0]
read, fed = one.source, one.target[:, :-1]

x = small.encoder.embed.tokens(read) + sinusoidal(read.shape[1], 16)
y = small.decoder.embed.tokens(fed) + sinusoidal(fed.shape[1], 16)
x = encoder.attention_norm(x + encoder.attention(query=x, key=x, value=x))
x = encoder.feed_forward_norm(x + encoder.feed_forward(x))
y = decoder.attention_norm(y + decoder.attention(query=y, key=y, value=y, mask=causal(y.shape[1])))
y = decoder.cross_attention_norm(y + decoder.cross_attention(query=y, key=x, value=x))
y = decoder.feed_forward_norm(y + decoder.feed_forward(y))
logits = y @ small.decoder.embed.tokens.weight.T  # the table of the target's words once more

# %%
difference = (logits - small(read, one.source_lengths, fed)).abs().max().item()
print("source", list(x.shape), " target", list(y.shape), " logits", list(logits.shape))
part = model.decoder.blocks[0]
print("in section 1:", len(model.decoder.blocks), "layers, width", part.attention.query.in_features,
      "with", part.attention.heads, "heads, feed-forward", part.feed_forward.expand.out_features)
print(f"largest difference from attnlab's Transformer: {difference:.5f}")

# %% [markdown]
# All places of the target are computed at once: in training they are known (teacher forcing), and the causal mask
# keeps each from seeing the word that it is to write. When it *writes*, the Transformer waits like a recurrent
# network: a word can only be read once it exists.
#
# | paper | here | base model of 2017 | in section 1 |
# |---|---|---|---|
# | $N$ | `layers` | 6 + 6 | 2 + 2 |
# | $d_\mathrm{model}$ | `dim` | 512 | 52 |
# | $h$ | `heads` | 8 | 4 |
# | $d_k = d_v$ | `dim / heads` | 64 | 13 |
# | $d_\mathit{ff}$ | 4 · `dim` | 2048 | 208 |
#
# <details><summary>If you come from a lecture</summary>
#
# Johnson's slide gives *12 blocks, D_Q = 512, 6 heads*. The paper's base model has 6 layers in the encoder and 6 in the
# decoder, so 12 counts both halves; 512 is the width of the model, and a head's queries have 64; and there are 8
# heads, as the same lecture's later table says.
# </details>
#
# **10.decoder.** Models today put the norm in front: $y + \mathrm{part}(\mathrm{norm}(y))$. Write the decoder block in
# that way. Return the new `y`, [batch, target, dim]; no word may see those that follow it. `attention` and
# `cross_attention` take query, key, value and mask. `memory` [batch, source, dim] comes out of the encoder already
# normed and is used as it is; `norms` are three, one for each part, in order.

# %%
def decoder_block(y, memory, attention, cross_attention, feed_forward, norms):
    ...


check("10.decoder", decoder_block)

# %%
hint("10.decoder")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def decoder_block(y, memory, attention, cross_attention, feed_forward, norms):
#     asking = norms[0](y)
#     y = y + attention(query=asking, key=asking, value=asking, mask=causal(y.shape[1]))
#     y = y + cross_attention(query=norms[1](y), key=memory, value=memory)
#     return y + feed_forward(norms[2](y))
# ```
# </details>
#
# ## 4. The machine
#
# Back to the translator of section 1. The next cell finishes its training, if that is not done yet, and measures it in
# two ways. *Exact* is strict: one wrong ending, and the sentence counts as wrong. **BLEU**, which the paper reports,
# compares runs of one to four words with the reference, 0 to 100.

# %%
training.run()
unseen = phrases.collate(phrases.test)
share = exact(model, *unseen).float().mean().item()
written = translate(model, *unseen[:2], BOS, EOS, max_steps=20)
references = [example.target for example in phrases.test]
bleu = corpus_bleu([phrases.write(row) for row in written], [references]).score
print(f"of 600 held-out sentences at least {5 * int(20 * share)} % exact, at least {5 * int(bleu / 5)} BLEU")
training

# %% [markdown]
# Now the whole model, with what it has learned. Each word is a row that runs through its tower from left to right, the
# source above, the target below.

# %% tags=["hide-input"]
guess("10.meet",
      then=TwoTowersExplorer(model, phrases, text="we are not eating the red apples", word=5))

# %% [markdown]
# Sums, norms and feed-forward networks leave a row by itself. Words meet only where there are beams: each is as wide as
# its weight. **Try.**
#
# 1. **Step** through the words. The encoder has run once. The decoder runs for each word, and in each of its blocks
#    the newest row asks twice: the rows so far, and what came out of the encoder. *las* finds *apples* and writes
#    *manzanas*. Whom does *manzanas* ask?
# 2. **Click** a word at a station, in either tower. In the encoder, rows from above and below answer it; in the
#    decoder, only itself and the rows above, and all of the source.
# 3. **Switch** cross-attention off, at the lower left. What does the decoder write now, and what when you type another
#    sentence?
#
# The same weights as one matrix. A row asks, a column answers; source first, then target. (A row bears the word that
# was read last; in the film of section 1 it was the word written next.) So the encoder's self-attention lies at the top
# left, cross-attention below it, and the decoder's self-attention at the bottom right. The fourth corner stays empty:
# the source never asks the target.

# %%
ThreeAttentionsExplorer(model, phrases, text="we are not eating the red apples", step=5)

# %% [markdown]
# **Try.** Step through the writing: the outlined row asks to the left and to the right, and each half sums to 1. Then
# type *they are eating apples*, where two words melt into *están*, and *the big red house is not new*, with two
# adjectives in mirrored order.
#
# ## 5. Which of the three is missed?
#
# One attention at a time is taken away from the trained model, in all layers: it finds nothing then, and adds the same
# vector at every place, its bias. Three models, trained with three seeds as above by
# `attnlab/trained/train_translators.py`; 300 held-out sentences.

# %% tags=["hide-input"]
found = trained.translators()
runs = found["runs"]["Transformer"]
rows = {"none": [run["exact"][-1] for run in runs]}
rows |= {part: [run["without"][part] for run in runs] for part in runs[0]["without"]}

# %% tags=["hide-input"]
guess(
    "10.without",
    then=Table({"switched off": [*rows], "exact": [*rows.values()]},
               title="held-out sentences exact; three seeds: mean, lowest and highest"),
)

# %% [markdown]
# This says what the trained models lean on, not what a model that never had the part could learn.
#
# And is the pointing in the pictures real, or was the sentence just well chosen? The grammar knows from which English
# words each Spanish word is built. This is the share of the cross-attention's weight that lies on them, over the same
# sentences:

# %%
for layer in (0, 1):
    shares = [share for run in runs for share in run["pointing"][layer]]
    print(f"layer {layer + 1}, 4 heads, 3 seeds:", mean_and_range(shares))
print("spread evenly over the sentence:", round(found["even share"], 2))

# %% [markdown]
# Nobody told the models what belongs to what: as in lesson 02, they were asked for the next word only.
#
# <details><summary>Think first, then unfold: why are keys and values of the cross-attention made from the encoder's
# last block, in every layer of the decoder, and not from the block beside it?</summary>
#
# The encoder runs to its end before anything is written, and its last vectors have been through all of its layers. So
# each layer of the decoder makes its keys and values from them once, and they serve for every word that is written. The
# same could be done with the block beside it. What is lost or won by it would have to be measured.
# </details>
#
# <details><summary>For another day: the exercise 10.beam</summary>
#
# `beam_step(kept, log_probabilities, width)`: one step of the beam search of lesson 02a, which does not care what is
# inside the model. Return the best `width` continuations [width, 3] as total log-probability, parent, token; `kept`
# [hypotheses] are the log-probabilities so far, `log_probabilities` [hypotheses, vocabulary] those of the next token.
# `check("10.beam", ...)` names the mistake.
# </details>
#
# ## 6. What you have, and what is missing
#
# * Is attention all you need? Nothing else in this model lets two words meet. But it also has positions, sums, norms
#   and feed-forward networks, and lessons 07 and 09 have shown what each is for.
# * The paper also brought a way to train it: [lesson 10a](10a_the_recipe.ipynb). And does it beat the recurrent model?
#   [Lesson 10b](10b_against_recurrence.ipynb) lets them compete on equal terms.
# * Two stacks are one way to treat a source; a decoder alone can read it as a prefix (lesson 06). To go on writing a
#   text, it is all one needs. **Lesson 11** builds that: a GPT.
# * Every word looks at every word. What does that cost? **Lesson 12** measures it.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: section 3 the model, table 3 the sizes. J.
# Johnson's lecture on attention (University of Michigan): the slide with the sizes. The phrasebook and all
# measurements are ours.
