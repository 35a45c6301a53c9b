# %% [markdown]
# # Many heads: why several heads instead of one?
#
# A query hands out its attention in shares, and the shares sum to 1. Whoever wants to look at two things gets half of
# each, stirred together. The Transformer's answer is not a stronger head but **several weak ones**: the width is cut
# into pieces, every piece looks where it likes, and the findings are put side by side. It costs nothing. Does it help?
#
# **You will be able to** cut a vector into heads and put them together again, say what a head does by a number and not
# by its looks, switch heads off and see what is lost, say when many heads beat one wide head and when they do not, and
# open a model in BertViz.
#
# The cells run for less than a minute on two cores. **You should know** self-attention (lesson 05), masks (06) and
# positions (07).

# %%
import torch
from torch import nn

from attnlab import GPT, MultiHeadAttention, causal, fit, record
from attnlab.costs import self_attention
from attnlab.exercises import check, hint
from attnlab.analysis.head_patterns import after_same, among, back, describe, first, same, without
from attnlab.positions import Learned
from attnlab.tasks import TAGGINGS, Text
from attnlab.tasks.tagging import accuracy, tagging_loss
from attnlab.training import Step, measured, weights_of
from widgets import Bertviz, LetterHeadAblationExplorer, NumberOfHeadsExplorer
from widgets import OneOrTwoHeadsExplorer, TextHeadAblationExplorer
from widgets import Chart, Predict, Table, Training, curve, figure

# %%
torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Two letters, one head
#
# A query wants to know the two letters before it: the nearer one and the farther one. One head reads both, half and
# half, and brings back one context.

# %% tags=["hide-input"]
Predict(
    "There are nine pairs of the letters a, b, c. One head gives both letters of a pair half of its weight. How many "
    "different contexts can it bring back?",
    choices=[
        ("9", "Half of a and half of b is the same mixture as half of b and half of a: “ab” and “ba” are one point."),
        ("6", "aa, bb, cc, and three mixtures, for “ab” and “ba” are the same one. Which letter came first is lost, "
              "and nothing behind the head can bring it back."),
        ("3", "That is what is left if the head looks at one letter only. Drag the slider to an end."),
    ],
    answer="6",
    then=OneOrTwoHeadsExplorer(),
)

# %% [markdown]
# **Try.** Each point is the context of a pair.
#
# 1. **Drag the weight** to 1. Three points are left: the farther letter is gone.
# 2. Somewhere in between, nine points stand apart. Find the place where they stand farthest apart. So one head *can*
#    carry two letters, in unequal shares; what comes after it must read fine differences.
# 3. Switch to **two heads of width 1**, and drag to 1. Each head looks at one letter only, and the nine pairs make a
#    grid. The context is as wide as before.
#
# ## 2. By hand
#
# Values are two numbers, a = (1, 0) and b = (0, 1). The pair is “ab”: the nearer letter is a, the farther one b.
# **One head**, weights ½ and ½: context (½, ½), and for “ba” (½, ½) again. **Two heads**, the first with weights 1 and
# 0, the second with 0 and 1: they find (1, 0) and (0, 1). Side by side, (1, 0, 0, 1). For “ba” it is (0, 1, 1, 0).

# %%
a, b = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
half, near, far = torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
for name, values in {"ab": torch.stack([a, b]), "ba": torch.stack([b, a])}.items():
    print(name, "one head:", half @ values, " two heads:", torch.cat([near @ values, far @ values]))

# %% [markdown]
# ## 3. The formula
#
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{X W_Q^h\, (X W_K^h)^\top}{\sqrt{D/H}}\right) X W_V^h \qquad
# \mathrm{multihead}(X) = \big(\mathrm{head}_1 \;\cdots\; \mathrm{head}_H\big)\, W_O$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $X$ | `x` | tokens, dim | one vector a token |
# | $h$, $H$ | `heads` | | how many heads |
# | $d_k = d_v = D/H$ | `head_dim` | | the width of each |
# | $W_Q^h$ | columns of `W_q` | dim, head_dim | each head's own view of the **whole** vector |
# | $\mathrm{head}_h$ | `context[:, h]` | tokens, head_dim | what head $h$ found |
# | $W_O$ | `W_o` | dim, dim | mixes what the heads have found |
#
# In code, the $W_Q^h$ of all heads stand side by side in one matrix $W_Q$ of dim × dim. One product makes the queries
# of all heads, and cutting its *result* into $H$ pieces is all there is to it. The scale is the root of the head's
# width, not of the whole.
#
# Johnson says in his lecture that the *input* vectors are split into chunks and each chunk is fed to a layer of its
# own. That is not what the paper does: there every head sees all of $X$, through a projection of its own, and only the
# projections are narrow. Lee makes $q^i = W^q a^i$ first and then $q^{i,h} = W^{q,h} q^i$: two maps in a row, which
# are one. The CMU slides leave $W_O$ to the network that follows. And $W_O$ can be read in another way: cut by rows,
# it is a map for each head, and **the output is the sum of what the heads write**. So a head can be taken out and the
# others stay as they are. Section 6 does that.
#
# ## 4. In torch
#
# The exercises ask for `split` and `merge`, so here the heads are computed one by one instead:

# %%
torch.manual_seed(0)
attention = MultiHeadAttention(dim=8, heads=2)
x = torch.randn(1, 5, 8)  # [batch, tokens, dim]
query, key, value = attention.query(x), attention.key(x), attention.value(x)

written = attention.output.bias.clone()
for columns in (slice(0, 4), slice(4, 8)):  # head 0, head 1
    scores = query[..., columns] @ key[..., columns].mT / 4**0.5
    found = scores.softmax(dim=-1) @ value[..., columns]  # [batch, tokens, 4]
    written = written + found @ attention.output.weight[:, columns].mT

assert torch.allclose(written, attention(x), atol=1e-5)
print("output = bias + what head 0 writes + what head 1 writes")

# %% tags=["hide-input"]
Predict(
    "A layer of width 16 with one head is cut into eight heads of width 2. What happens to its parameters, and to the "
    "multiplications for a sentence?",
    choices=[
        ("eight times as many", "Every head has maps of its own, but each is an eighth as wide."),
        ("an eighth as many", "Every head is an eighth as wide, but there are eight of them."),
        ("as many as before", "Eight times an eighth. The four maps are the very same matrices; only what they give is "
                              "cut differently. What does grow is the number of weight matrices to keep."),
    ],
    answer="as many as before",
    then=NumberOfHeadsExplorer(),
)

# %% [markdown]
# **Try** 1, 2, 4 and 8 **heads**. The maps are the same random numbers each time. One head has one opinion of whom the
# last word should read; eight heads have several. The read-out under the picture counts.
#
# The library agrees. `self_attention` counts exactly what a layer needs:

# %%
cost = self_attention(tokens=48, dim=64)
for heads in (1, 4, 16):
    layer = MultiHeadAttention(64, heads)
    matrices = sum(p.numel() for p in layer.parameters() if p.ndim == 2)
    assert matrices == cost.parameters
    print(f"{heads:2} heads: {matrices:,} parameters, {cost.operations:,} multiply-adds, "
          f"{heads * cost.matrix:6,} weights")

# %% [markdown]
# ## 5. Four answers at once
#
# Now it must pay. The task: at each place name the **four letters before it**, all at once. The model is one attention
# layer, and nothing else between the letters and the answers.

# %%
task = TAGGINGS["last letters"](count=4, symbols=16)
test = task.batch(100, 12, torch.Generator().manual_seed(99))
letters = [task.vocabulary[i] for i in test.inputs[0]]
print("reads         ", *letters)
for k in range(4):
    row = test.targets[0, :, k].tolist()
    print(f"names {k + 1} before", *(task.vocabulary[i] if i >= 0 else "·" for i in row))

# %%
class Namer(nn.Module):
    def __init__(self, heads, dim=64):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(16, dim), Learned(dim, 12)
        self.attention = MultiHeadAttention(dim, heads)
        self.answer = nn.Linear(dim, 4 * 16)  # four letters, each one of 16

    def forward(self, letters):  # [batch, tokens] -> [batch, tokens, 4, 16]
        x = self.positions(self.embedding(letters))
        return self.answer(self.attention(x)).unflatten(-1, (4, 16))

# %%
def train(heads, seed, steps=150):
    torch.manual_seed(seed)
    model = Namer(heads)

    def loss(generator):
        batch = task.batch(64, 12, generator)
        return tagging_loss(model(batch.inputs), batch.targets)

    return model, fit(model, loss, steps, rate=5e-3, seed=seed)


@torch.no_grad()
def right(model):
    return accuracy(model(test.inputs), test.targets)

# %% [markdown]
# Guess, then press **Start** and watch the four heads of the second model: each soon draws a line of its own.

# %%
def start():  # Reset calls it again
    running = {}
    for name, heads in {"one wide head": 1, "four heads": 4}.items():
        models[name], running[name] = train(heads, seed=0)
    return side_by_side(running)


def side_by_side(running):  # a step of the one, a step of the other
    for steps in zip(*running.values(), strict=True):
        number = steps[0].step
        metrics = {name: right(models[name]) for name in models} if number % 10 == 0 else {}
        yield Step(number, sum(step.loss for step in steps) / 2, metrics, steps[0].last)

# %%
models = {}
training = Training(
    start, steps=150, watch=lambda: weights_of(models["four heads"], "attention", test.inputs[:1])[0],
    film_every=3, seconds=5, name="letters", metrics=["one wide head", "four heads"],
    panel_names=[f"head {h}" for h in range(4)], query_labels=letters, key_labels=letters,
)

# %% tags=["hide-input"]
Predict(
    "Two models of 23,000 parameters each, trained for 150 steps: one with a single head of width 64, one with four "
    "heads of width 16. How many of the letters does the one with the single head name right? (A guess: 6 %.)",
    choices=[
        ("about 6 %", "It does better. It cannot look at four letters at once, but it can look at one of them, or "
                      "partly at two."),
        ("about 40 %", "One letter well and a little of the others: more does not pass through one row of weights. Its "
                       "width does not help."),
        ("about 80 %", "That is what two heads reach. See the table below."),
        ("all of them, only later", "Four heads need less than 100 steps. The wide head is still below 60 % after "
                                    "3000, twenty times as long as here (measured, not shown)."),
    ],
    answer="about 40 %",
    then=training,
)

# %%
training.run()
print("four heads, right letters above 0.98:    ", training.result["four heads"] > 0.98)
print("one wide head, right letters below 0.5:  ", training.result["one wide head"] < 0.5)
training

# %% [markdown]
# One seed is an anecdote. Three seeds, and two and eight heads as well, all at the same number of parameters:

# %%
shares = {1: [right(models["one wide head"])], 2: [], 4: [right(models["four heads"])], 8: []}
for heads, found in shares.items():
    for seed in range(len(found), 3):
        model, steps = train(heads, seed)
        for _ in steps:
            pass
        found.append(right(model))

Table({
    "heads": [f"{heads} of width {64 // heads}" for heads in shares],
    "parameters": [sum(p.numel() for p in Namer(heads).parameters()) for heads in shares],
    "right letters": list(shares.values()),
}, title="150 steps, three seeds: mean, lowest and highest", roles={"right letters": "context"})

# %%
print("every seed: 1 head below 2, and 2 below 4:",
      max(shares[1]) < min(shares[2]) and max(shares[2]) < min(shares[4]))
print("4 and 8 heads, every seed above 0.95:     ", min(shares[4] + shares[8]) > 0.95)

# %% [markdown]
# Four answers, four heads. Two heads do not fail at half of the answers: each looks at two letters in unequal shares,
# as you did with the slider. Eight are not better than four.
#
# ## 6. What does each head do?
#
# It is tempting to look at a head and give it a name. Better to measure: say which keys a head of some kind *would*
# read, and sum its weight there, over many texts. `describe` takes a dictionary of such patterns. A head is named
# after the pattern with most of its weight, if that is **at least half**, and at least twice what even weights would
# put there. Else it is *diffuse* if it spreads as if over half of all keys, or *mixed*.

# %%
steps_back = {"itself": back(0), **{f"{k} before": back(k) for k in range(1, 6)}, "same letter": same}
model = models["four heads"]
with torch.no_grad(), record(model) as trace:
    model(test.inputs)
heads = describe(trace["attention"][0].weights, test.inputs, steps_back)

print("the four names:", sorted(head.name for head in heads))
print("each has over 0.8 of its weight there:", all(max(head.shares.values()) > 0.8 for head in heads))

# %% [markdown]
# Now switch one off. `without` sets a head's weights to 0, so it finds nothing and writes nothing; the others go on as
# before. Nothing is trained again.

# %% tags=["hide-input"]
Predict(
    "One of the four heads is switched off. What happens to the answers?",
    choices=[
        ("all four become a little worse", "That happens where heads share their work. Here each one found a letter "
                                           "that nobody else looks at."),
        ("one becomes a guess, three stay right", "One head, one answer. The read-out learned to listen to that head "
                                                  "for that letter, and to no other."),
        ("all become guesses", "The output is a sum over heads, and three parts of the sum are as before."),
    ],
    answer="one becomes a guess, three stay right",
    then=LetterHeadAblationExplorer(model, task, test, steps_back, text="".join(letters), lock=training.lock),
)

# %% [markdown]
# **Press a head** to switch it off, and again to switch it on; a head that is off is hatched. The note on each switch
# is the measured name and the share of its weight there. Try two at once. Type twelve letters of your own, from a to p.
#
# The same for all four, in code:

# %%
@torch.no_grad()
def lost(model, off):  # of which answers is less than half right with these heads off?
    with without(model, off):
        logits = model(test.inputs)
    shares = [accuracy(logits[:, :, k], test.targets[:, :, k]) for k in range(4)]
    return [f"{k + 1} before" for k in range(4) if shares[k] < 0.5]


for number, head in enumerate(heads):
    assert lost(model, [("attention", number)]) == [head.name]
print("each head owns exactly the answer that its name says")

# %% [markdown]
# Here the measured name and the effect of switching off say the same. Remember that they are two different
# measurements: the first says where a head **looks**, the second what the model **loses**. On real text they part.
#
# ## 7. Real text
#
# A small GPT, two layers of four heads, letter by letter, on the reference of the Python language that comes with
# every Python. It must name the next letter at each place. What is around its attention is lesson 09's subject.

# %%
from attnlab.blocks import EncoderBlock, FeedForward, LayerNorm
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.transformer import Embed
from torch.nn.functional import cross_entropy

text = Text.python_reference()
print("different letters: more than 90:", len(text.vocabulary) > 90)

# %%
def new_gpt(heads, layers, seed, dim=64, longest=40):
    torch.manual_seed(seed)
    blocks = [EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, 4 * dim), LayerNorm)
              for _ in range(layers)]
    embed = Embed(nn.Embedding(len(text.vocabulary), dim), Learned(dim, longest))
    return GPT(embed, blocks, LayerNorm(dim), nn.Linear(dim, len(text.vocabulary)), longest)


def learn(model, steps, seed=0):
    def loss(generator):
        inputs, targets = text.batch(12, model.longest, generator)
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    return fit(model, loss, steps, 0.03, seed, muon, cool_down)

# %%
seed = 0  # yours to change: try 3
unseen = text.test(context=40, most=60)  # held-out text, the same every time


@torch.no_grad()
def held_out(model):
    logits = model(unseen[0][:, : model.longest])
    return cross_entropy(logits.flatten(0, 1), unseen[1][:, : model.longest].flatten()).item()


def start():
    gpt.load_state_dict(new_gpt(heads=4, layers=2, seed=seed).state_dict())
    return measured(learn(gpt, 350, seed), lambda: {"loss on held-out text": held_out(gpt)}, every=25)

# %%
sentence = "if x is not None: return x"
ids = text.encode(sentence)[None]


def watch():  # all eight heads, [8, letters, letters]
    with torch.no_grad(), record(gpt) as trace:
        gpt(ids)
    return torch.cat([seen.weights[0] for [seen] in map(trace.__getitem__, trace.names)])


gpt = new_gpt(heads=4, layers=2, seed=seed)

# %%
reading = Training(
    start, steps=350, watch=watch, film_every=7, seconds=10, name="text", metrics=["loss on held-out text"],
    panel_names=[f"layer {i}, head {h}" for i in (0, 1) for h in range(4)],
    query_labels=list(sentence), key_labels=list(sentence))
reading

# %%
reading.run()
print("loss on held-out text below 2.1 nats a letter:", reading.result["loss on held-out text"] < 2.1)

# %% [markdown]
# What do these heads do? The patterns now know blanks and signs, and the token after an earlier copy of the present
# one. Beside each name stands what the loss on held-out text rises by when that head alone is switched off.

# %%
blanks = [i for i, letter in enumerate(text.vocabulary) if letter.isspace()]
signs = [i for i, letter in enumerate(text.vocabulary) if not (letter.isalnum() or letter.isspace())]
patterns = {
    "itself": back(0), "1 before": back(1), "2 before": back(2), "3 before": back(3), "first": first,
    "same letter": same, "after the same": after_same, "blanks": among(blanks), "signs": among(signs),
}
with torch.no_grad(), record(gpt) as trace:
    gpt(unseen[0])
does = {(name, number): head for name in trace.names for number, head in enumerate(
    describe(trace[name][0].weights, unseen[0], patterns, causal(40)))}

# %%
def rise(off):  # of the loss on held-out text, in nats a letter
    with without(gpt, off):
        return held_out(gpt) - with_all


with_all = held_out(gpt)
rises = {head: rise([head]) for head in does}
Table({
    "head": [f"layer {name.split('.')[1]}, head {number}" for name, number in does],
    "measured name": [str(head) for head in does.values()],
    "most weight on": [max(head.shares, key=head.shares.get) for head in does.values()],
    "loss rises by": [round(rises[head], 3) for head in does],
}, sort="loss rises by", title="Eight heads, each switched off alone")

# %%
costly = [head for head in does if rises[head] > 0.3]
print("heads that cost more than 0.3 nats:", len(costly))
print("the costliest is called:", does[max(does, key=rises.get)].name)
print("each of the other seven costs less than 0.15:", sorted(rises.values())[-2] < 0.15)
cheap = sorted(does, key=rises.get)[:4]
print("the four cheapest, off together, cost less than 0.25:", rise(cheap) < 0.25)
layer = [head for head in does if head[0] == "blocks.0.attention"]
print("layer 0 costs more than its four heads one by one:",
      rise(layer) > sum(rises[head] for head in layer))

# %%
TextHeadAblationExplorer(gpt, text, unseen, patterns, text=sentence, lock=reading.lock)

# %% [markdown]
# **Try.** The curve says how surprised the model is by each letter, now and with all heads on.
#
# 1. Switch off the head that is named *1 before*. The surprise rises in many places: the model still knows the present
#    letter, but no longer the one before it.
# 2. Switch it on again and off a *diffuse* one. Hardly anything moves. Take the next one, and the next.
# 3. Leave only *1 before* on, then type a text of your own, up to 40 letters.
#
# ### The honest finding
#
# * **No head owns an answer here.** One head carries more than all others, and the rest could each be missed. That
#   trained models have many heads one can do without was found at full size, too, by Michel, Levy and Neubig and by
#   Voita and colleagues, both in 2019.
# * **Costs do not add up.** What one head no longer brings, another may; take both, and it is gone. So "this head is
#   worth 0.02" is true only as long as the others are there.
# * **Another seed, another share-out.** With `seed = 3` in the cell above, we got two heads called *1 before*, of which
#   neither alone cost 0.3: they stand in for each other.
# * **A name is not a reason.** Several heads put more on signs than on anything else, and a *mixed* head may do
#   something clever that is not in our dictionary. The measured name says where it looks, no more.
#
# ### One wide head against four, on text
#
# The letters of section 5 were made for four heads. Does the same hold for text? One layer, equal parameters, equal
# cost, three seeds.

# %%
def losses_of(heads, seed):  # on held-out text after 50, 100, ... steps
    small = new_gpt(heads, layers=1, seed=seed, longest=32)
    steps = measured(learn(small, 350, seed), lambda: {"loss": held_out(small)}, every=50)
    return [step.metrics["loss"] for step in steps if step.metrics]


found = {(heads, seed): losses_of(heads, seed) for heads in (1, 4) for seed in (0, 1, 2)}

# %%
after = list(range(50, 351, 50))
looks = {1: ("one wide head", "query", "dot"), 4: ("four heads", "context", "solid")}
chart = Chart(figure(
    *(curve(losses, after, looks[heads][0] if seed == 0 else "", looks[heads][1],
            line_dash=looks[heads][2]) for (heads, seed), losses in found.items()),
    x="training step", y="loss on held-out text", title="One layer, three seeds each"))

# %% tags=["hide-input"]
Predict(
    "On real text, 350 steps: by how much is the loss of four heads lower than that of one wide head? (An untrained "
    "model has 4.6 nats a letter, these have about 2.)",
    choices=[
        ("by more than 0.5", "That would be as clear as with the letters. But in text the one letter before tells "
                             "most, and one head can look at one letter."),
        ("a little: by less than 0.2", "Real and small: every seed shows it. And not from the beginning: look at the "
                                       "curves."),
        ("it is not lower", "So it looks for the first hundred steps, and who stops there will say so."),
    ],
    answer="a little: by less than 0.2",
    then=chart,
)

# %%
last = {heads: [found[heads, seed][-1] for seed in (0, 1, 2)] for heads in (1, 4)}
early = {heads: [found[heads, seed][1] for seed in (0, 1, 2)] for heads in (1, 4)}
gain = (sum(last[1]) - sum(last[4])) / 3
print("after 350 steps every four-headed model is ahead:", max(last[4]) < min(last[1]))
print("the mean gain lies between 0.03 and 0.2 nats:    ", 0.03 < gain < 0.2)
print("after 100 steps the wide head is ahead, on the mean:", sum(early[1]) < sum(early[4]))

# %% [markdown]
# So at equal parameters and equal cost: where a place must bring back several things, many heads win by far; on text
# they win by a little, and at first they are behind. There is a price, too. A head of width 16 compares queries and
# keys in 16 numbers only, and with very narrow heads that becomes too little. The paper's table 3 has
# it at full size, for translation: 24.9 BLEU with 1 head, 25.8 with 8 or 16, and 25.4 with 32.
#
# ## 8. The same model in BertViz
#
# BertViz, by Jesse Vig, is the picture of attention that one meets most often. Instead of a matrix it draws lines:
# from the token that reads, on the left, to those that are read, on the right. The **head view** lays all heads of a
# layer on each other, each in a colour.

# %%
shown = sentence[:17]
with torch.no_grad(), record(gpt) as trace:
    gpt(ids[:, :17])
weights = [trace[name][0].weights for name in trace.names]  # of each layer, [1, heads, queries, keys]
Bertviz(weights, list(shown), view="head")

# %% [markdown]
# **Point** at a letter on the left: its lines alone remain. **Click** a colour to take a head away, **double-click** to
# see it alone. Find the head that you switched off first: all its lines go up by one. Then choose layer 1.
#
# The **model view** shows all heads of all layers at once; click one to enlarge it.

# %%
Bertviz(weights, list(shown), view="model")

# %% [markdown]
# A head that always reads the letter before is a ladder of parallel lines; a diffuse one is a fan; one that reads a
# certain letter, a star. Matrix or lines? Lines show the *shape* of a habit at a glance, for up to some thirty tokens.
# In a matrix every weight can be read, and a weight of 0.05 is not hidden under others. Neither knows what a head is
# good for: that you measured.
#
# The view is the original one, only packed so that it needs no network. It takes weights of any model: a list of
# tensors, one a layer.
#
# ## 9. Exercises
#
# Replace the dots and run the cell; `check` names the mistake.
#
# **08.split.** `x` [batch, tokens, dim] cut into heads, [batch, heads, tokens, dim / heads]. Head 0 takes the first
# numbers of every token.

# %%
def split(x, heads):
    ...


check("08.split", split)

# %%
hint("08.split")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def split(x, heads):
#     batch, tokens, dim = x.shape
#     return x.reshape(batch, tokens, heads, dim // heads).transpose(1, 2)
# ```
#
# To reshape straight to [batch, heads, tokens, head_dim] has the right shape and the wrong numbers: it is the most
# common mistake with heads, and no error tells you.
# </details>
#
# **08.merge.** The way back: `x` [batch, heads, tokens, head_dim] to [batch, tokens, dim].

# %%
def merge(x):
    ...


check("08.merge", merge)

# %%
hint("08.merge")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def merge(x):
#     batch, heads, tokens, head_dim = x.shape
#     return x.transpose(1, 2).reshape(batch, tokens, heads * head_dim)
# ```
# </details>
#
# **08.multihead.** All of it: `x` [batch, tokens, dim], four matrices [dim, dim], and the number of heads. Every token
# may look at every token. You may use your `split` and `merge`.

# %%
def multihead(x, W_q, W_k, W_v, W_o, heads):
    ...


check("08.multihead", multihead)

# %%
hint("08.multihead")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def multihead(x, W_q, W_k, W_v, W_o, heads):
#     query, key, value = (split(x @ W, heads) for W in (W_q, W_k, W_v))
#     scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, heads, tokens, tokens]
#     return merge(scores.softmax(dim=-1) @ value) @ W_o
# ```
# </details>
#
# ## 10. What you have, and what is still broken
#
# | | one wide head | $H$ heads of width $D/H$ |
# |---|---|---|
# | parameters, multiplications | $4D^2$, ... | the same |
# | weight matrices to keep | 1 | $H$ |
# | things that a place can look at | one, or a blend | $H$ |
# | numbers in which query and key are compared | $D$ | $D/H$ |
#
# * Heads only find and mix. Nothing so far *computes* with what they found, and stacked attention alone forgets what
#   the words were. The GPT above was trained with three things around its attention that were not explained. **Lesson
#   09** takes them apart.
# * Where heads of two layers work together, something new appears: a head that looks for what followed the last time.
#   **Lesson 11** finds one.
# * What attention weights explain about a real model, and what they do not: **lesson 17**.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: section 3.2.2, and table 3 (A) for the number of
# heads. J. Johnson's lecture on attention (University of Michigan); Hung-yi Lee's lecture *Transformer*; CMU 11-785,
# *Attention*. P. Michel, O. Levy, G. Neubig, *Are Sixteen Heads Really Better than One?*, 2019. E. Voita et al.,
# *Analyzing Multi-Head Self-Attention: Specialized Heads Do the Heavy Lifting, the Rest Can Be Pruned*, 2019. J. Vig,
# *A Multiscale Visualization of Attention in the Transformer Model*, 2019: BertViz. N. Elhage et al., *A Mathematical
# Framework for Transformer Circuits*, 2021: the output as a sum over heads. Task and measurements are ours.
