# %% [markdown]
# # Self-attention: what if a sequence asks itself?
#
# So far a decoder asked and an encoder answered. Now there is one sequence and nobody else: every word makes a query
# of its own, every word answers, and all of it is a handful of matrix products. No word waits for another. There is a
# price, and it is a strange one: one sentence of three words will show it.
#
# **You will be able to** write self-attention in four lines, say what becomes of its output when the words change
# places, and say what such a layer can learn and what it cannot.
#
# **You should know** queries, keys and values (lesson 04).

# %%
import torch
from torch import nn

from attnlab import MultiHeadAttention, attend, causal, fit, measured, sinusoidal, trained
from attnlab.analysis import gradient_by_distance, mean_and_range
from attnlab.exercises import check, hint
from attnlab.tasks.letter_order import best_without_order, letters, loss_at_letters, readers, right_at_letters
from attnlab.training import weights_of
from widgets import LetterClassifierExplorer, PermutationExplorer, ProjectionsExplorer, ThreeScalarsExplorer
from widgets import Chart, Training, curve, figure, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then drag
#
# Three words, a vector for each. The vectors and the three matrices that make queries, keys and values of them are
# random here: what you are about to see holds for any numbers whatever.

# %% tags=["hide-input"]
guess("05.dog", then=PermutationExplorer(text="dog bites man"))

# %% [markdown]
# **Try.** Below stand the words, above them their outputs; a line is as wide as its weight.
#
# 1. **Drag** *dog* to the other end and compare *output as typed* with *output now*.
# 2. Type *man bites shark*. The vector of *man* is the same as before, its output is not: every output is a mixture of
#    all values, so a word in other company becomes another vector.
# 3. Switch **positions** on and drag again. What is different? Switch them off and try the **causal mask**, under which
#    a word sees only itself and what stands before it.
#
# ## 2. By hand
#
# Tokens of one number each: 0, 1 and 2. Let query, key and value all be that number, so that the score of two tokens
# is their product. Token 0 has scores 0, 0, 0, so equal weights, and gives the mean: 1. Token 1 has scores 0, 1, 2.
# With $e^0, e^1, e^2$ = 1, 2.72, 7.39 it gives (0 · 1 + 1 · 2.72 + 2 · 7.39) / 11.11 = 1.58.

# %%
x = torch.tensor([[0.0], [1.0], [2.0]])  # [tokens, 1]
weights = (x @ x.mT).softmax(dim=-1)  # every token asks every token
print(weights)
print("outputs of 0, 1, 2:", (weights @ x).flatten())

x = x[[2, 0, 1]]
weights = (x @ x.mT).softmax(dim=-1)
print("outputs of 2, 0, 1:", (weights @ x).flatten())

# %% tags=["hide-input"]
guess("05.four", then=ThreeScalarsExplorer())

# %% [markdown]
# **Try.** Drag the number of the second token (the picture calls it $a^2$, which is no square) in Q: the same number
# changes in K and in V, because all three are the same tokens. That is the *self* in
# self-attention. Then give the third copies and watch the others being drawn towards it.
#
# ## 3. The formula
#
# $$Q = X W_q \qquad K = X W_k \qquad V = X W_v \qquad Y = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right) V$$
#
# | letter | here | shape | what it is |
# |---|---|---|---|
# | $X$ | `x` | tokens, dim | one vector a token |
# | $Q, K, V$ | `query`, `key`, `value` | tokens, $d$ | what each asks, offers, hands over |
# | $E = Q K^\top / \sqrt{d}$ | `scores` | tokens, tokens | how well token j answers token i |
# | $A$, its softmax | `weights` | tokens, tokens | each row sums to 1 |
# | $Y = A V$ | `context` | tokens, $d$ | the outputs, one for every token |
#
# One thing is new: $Q$ is made of the same $X$ as $K$ and $V$, so the scores are a square, tokens by tokens.
#
# <details><summary>If you come from a lecture</summary>
#
# The letters are those of J. Johnson's lecture. Hung-yi Lee writes $a^i$ for a token, $q^i$, $k^i$, $v^i$, then
# $\alpha_{i,j}$ for a *score* (in lesson 02 that letter meant a weight), $\hat\alpha_{i,j}$ for a weight and $b^i$
# for an output; his vectors are columns, so his matrices are the transposes of these.
# </details>

# %% tags=["hide-input"]
guess("05.twice", then=ProjectionsExplorer(["the", "dog", "bites", "the", "man"], word=1))

# %% [markdown]
# **Try.** Drag any number of the three maps, and watch the two rows of *the*.
#
# **Why order cannot matter.** Shuffle the rows of $X$ with a permutation $s$. Then the rows of $Q$, $K$ and $V$ are
# shuffled in the same way, and so are the rows and columns of the scores; softmax does not care where in its row a
# score stands. Each output sums the same terms. So
#
# $$f(s(X)) = s(f(X))$$
#
# Shuffling before or after makes no difference: $f$ is **permutation equivariant**.
#
# ## 4. In torch, and how far it reaches

# %%
def self_attention(x, W_q, W_k, W_v):  # x [tokens, dim]
    query, key, value = x @ W_q, x @ W_k, x @ W_v
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ value


torch.manual_seed(0)
x, (W_q, W_k, W_v) = torch.randn(8, 6).double(), torch.randn(3, 6, 6).double()
assert torch.allclose(self_attention(x, W_q, W_k, W_v), attend(x @ W_q, x @ W_k, x @ W_v).context, atol=1e-12)

# %% [markdown]
# No line uses the output of one token for the next: all of them can be made at once. And any two
# words are one step apart, where a recurrent network carries the first word through every step in between. How does the
# reach of an input fall with its distance from the last output? The gradient tells, in networks that have learned
# nothing yet. Each curve is divided by its own largest value, so compare their shapes and not their heights.

# %%
torch.manual_seed(0)
gru, attention = nn.GRU(32, 32, batch_first=True), MultiHeadAttention(32, heads=1)
inputs = torch.randn(64, 48, 32)  # [sequences, tokens, dim]
layers = {"recurrent (GRU)": lambda x: gru(x)[0], "self-attention": attention}
Chart(figure(
    *(curve(gradient_by_distance(layer, inputs), range(1, 48), name) for name, layer in layers.items()),
    x="steps back", y="gradient, largest = 1", yaxis_type="log", yaxis_exponentformat="power"))

# %% [markdown]
# The curve of self-attention is flat: near or far is all the same to it. (A GRU can learn to carry farther. What each
# costs in time is measured in lesson 12.) This is the blindness of section 1, and here it is a strength.
#
# ## 5. Two hundred shuffles: what breaks the symmetry?
#
# Two hundred random orders of eight random words, in double precision. The cell prints the largest difference between
# $f(s(X))$ and $s(f(X))$ in any of them: for bare self-attention, with positions added, and under a causal mask.

# %%
layers = {
    "bare": lambda x: self_attention(x, W_q, W_k, W_v),
    "with positions": lambda x: self_attention(x + sinusoidal(*x.shape), W_q, W_k, W_v),
    "causal mask": lambda x: attend(x @ W_q, x @ W_k, x @ W_v, mask=causal(8)).context,
}
orders = [torch.randperm(8) for _ in range(200)]
for name, f in layers.items():
    error = max((f(x[s]) - f(x)[s]).abs().max().item() for s in orders)
    print(f"{name:15}", "below 1e-12" if error < 1e-12 else f"{error:.1f}",
          f"(largest number in an output: {f(x).abs().max():.1f})")

# %% [markdown]
# What is left of the first is rounding. With positions, a moved word is another input. Under the causal mask a word
# sees itself and what stands before it, and after shuffling these may be others.
#
# **05.changed.** Predict where equivariance fails. Different words are shuffled; the one now at place `i` stood at
# place `order[i]`. Under a causal mask, which of them now have a different output? Return [tokens], True at place
# `i` where its word's output changes. No attention is needed for that, only who sees whom.

# %%
def changed(order):
    ...


check("05.changed", changed)

# %%
hint("05.changed")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def changed(order):
#     place = torch.arange(len(order))
#     latest = order.cummax(0).values  # of those it sees now, the one that stood farthest to the right
#     return (order != place) | (latest > place)
# ```
# </details>
#
# <details><summary>Think first, then unfold: under the causal mask, in which orders does the output of some word not
# change although it has moved?</summary>
#
# What it sees, itself included, must be made up in the same proportions. In *dog bites dog bites* both *bites* see as
# many dogs as bites, so both have the same output, though the second sees twice as many words. Try it in section 1.
# </details>
#
# ## 6. The experiment: what can it learn?
#
# Ten letters, drawn from a to p. About every letter there are two questions:
#
# * **Here once more?** Does the same letter stand anywhere else?
# * **Two to the left?** Which letter stands two places before? (It is not asked about the first two letters.)
#
# Each question gets a model of its own, one Transformer block with one head (lesson 09), at first without positions.

# %%
test = letters(1000, torch.Generator().manual_seed(99))
without = readers("none")
word = torch.tensor([["abcdefghijklmnop".index(letter) for letter in "cabbagepie"]])


def learn(pair):
    return fit(pair, lambda g: loss_at_letters(pair, letters(64, g)), steps=400, rate=1e-2)


def start():  # Reset calls it again
    without.load_state_dict(readers("none").state_dict())
    return measured(learn(without), lambda: right_at_letters(without, test), every=20)

# %% tags=["hide-input"]
def watch():
    weights = [weights_of(without[name], "block.attention", word) for name in without]
    return torch.cat(weights)[:, 0]  # [questions, queries, keys]

# %% tags=["hide-input"]
def summary(right):
    again, back = (5 * round(20 * right[name]) for name in ("again", "back"))
    best = 5 * round(20 * best_without_order(test))
    return (f"Right, to the nearest 5 %: here once more? {again} %; two to the left? {back} %, and without order "
            f"{best} % is the best possible.")


training = Training(
    start, steps=400, watch=watch, film_every=10, seconds=5, name="letters", summary=summary,
    metrics={"again": "here once more?", "back": "two to the left?"},
    panel_names=["here once more?", "two to the left?"],
    query_labels=list("cabbagepie"), key_labels=list("cabbagepie"),
)

# %% tags=["hide-input"]
guess("05.which", then=training)

# %% [markdown]
# Press **Start**. Two curves, and below them what the two models read in *cabbagepie*.

# %%
training.run()
training

# %% [markdown]
# One curve goes to the top, the other lies flat, at about a quarter. *No* machine that does not know the order can do
# better on average: the wanted letter is one of the nine others, all equally likely, so it should name the most
# frequent.
#
# Now the same network, the same 400 steps, and one addition: a vector for each place is added to the letters.

# %%
placed = readers("sinusoidal")
for _ in learn(placed):
    pass
for model, runs in trained.order()["runs"].items():  # three seeds, by attnlab/trained/train_order.py
    for question, name in {"again": "here once more?", "back": "two to the left?"}.items():
        found = [run[question] for run in runs]
        print(f"{model:18} {name:17}", mean_and_range(found))

# %% [markdown]
# Ask the trained models yourself. Type ten letters from a to p, **drag** them about, and watch the answers above.

# %%
machines, alphabet = {"without": without, "with": placed}, list("abcdefghijklmnop")
LetterClassifierExplorer(machines, alphabet, text="cabbagepie", lock=training.lock)

# %% [markdown]
# **Try.**
#
# 1. *Here once more?* In the matrix equal letters read each other. Drag one *b* away from the other: the answers
#    travel along, and each stays right.
# 2. *Two to the left?*, without positions. The matrix is grey: every letter reads all ten alike, itself included,
#    which is how one counts a bag. Drag *g* to and fro: its answer stays, right or wrong.
# 3. Switch **positions** on. The matrix becomes a line beside the diagonal. Drag *g* now: each letter reads a *place*,
#    and the answers change at once.
#
# <details><summary>For another day: the exercise 05.self_attention</summary>
#
# Large models keep the three maps side by side in one matrix, and multiply once. `self_attention(x, W, key_dim)` for
# `x` [batch, tokens, dim] and `W` [dim, 2 key_dim + value_dim]: the first key_dim columns are $W_q$, the next key_dim
# $W_k$, the others $W_v$. The contexts are [batch, tokens, value_dim]. `check("05.self_attention", ...)` names the
# mistake.
# </details>
#
# ## 7. What is still broken
#
# * Everybody sees everybody. A decoder that may look at the word it is about to write has nothing to learn: **lesson
#   06** says who may look at whom. You saw already that a mask brings some order back.
# * *dog bites man* is *man bites dog*. Adding a vector for each place helped, but which one, and what about places
#   that were never seen in training? **Lesson 07.**
# * One head gives each word one row of weights. Here each question got a model of its own: **lesson 08** puts them side
#   by side.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: sections 3.2 and 4, where the path between any two
# words is one step long. J. Johnson's lecture on attention (University of Michigan): the layer as in section 3, and
# $f(s(x)) = s(f(x))$. Hung-yi Lee's lecture *Transformer*: $a^i$, $b^i$ and all of them in parallel. M. Zaheer et al.,
# *Deep Sets*, 2017, and J. Lee et al., *Set Transformer*, 2019: functions of sets, on purpose.
