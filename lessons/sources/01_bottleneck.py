# %% [markdown]
# # The bottleneck: how much can one vector remember?
#
# The first neural translators read a whole sentence into one vector. A second network then wrote the translation from
# that vector alone, without another look at the sentence. How much gets through? In this lesson you put digits into
# such a memory and take them out again, and you see where it gives way.
#
# **You will be able to** write an encoder and a decoder in a few lines, measure how much of a source survives in a
# context vector, tell what does not *fit* from what was not *learned*, and say what gates change.
#
# The cells run for about a minute on two cores. **You should know** Python, matrix products, and that a recurrent
# network carries a state from one word to the next.

# %%
import torch
from torch import nn

from attnlab import AttentionSeq2Seq, FixedContext, exact, fit, teacher_forcing
from attnlab.exercises import check, hint
from attnlab.seq2seq import CELLS
from attnlab.tasks import BOS, EOS, TASKS, Progressives
from attnlab.training import Step
from widgets import Chart, Predict, Training, bars, curve, figure
from widgets import AccuracyByLengthExplorer, DigitsInOneNumberExplorer, EncoderDecoderExplorer
from widgets import GradientThroughTimeExplorer, LinearProbeExplorer, RecallByModelExplorer

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. Start the race, then be the memory
#
# The task: read digits, write them backwards. 31415 becomes 51413. Nothing has to be understood, only remembered.
# Training strings have 1 to 12 digits and are drawn anew for every step. The test strings are drawn apart from them:
# there are only a thousand strings of three digits, so most of these are met in training too; of those with five and
# more, hardly any is.

# %%
lengths, steps = range(3, 13), 700
task = TASKS["reverse"](shortest=3, longest=12, tests_per_length=100)
held_out = task.collate(task.test)

for example in task.test[0], task.test[-1]:
    print(example.source, "becomes", example.target)


def strings(size, generator):  # one length for a batch, so that nothing is padded
    length = int(torch.randint(1, 13, (), generator=generator))
    source = torch.randint(3, 13, (size, length), generator=generator)  # 3 is the id of "0"
    begin, end = torch.full((size, 1), BOS), torch.full((size, 1), EOS)
    return source, torch.full((size,), length), torch.cat([begin, source.flip(1), end], dim=1)

# %% [markdown]
# Five models learn side by side, from the same strings. Four of them pass everything through one vector, of 8, 16, 32
# or 64 numbers. The fifth may look back at what was read; how, lesson 02 tells. It also reads in both directions:
# here it shows what is possible, no more.

# %%
def new_models(seed=0):
    models = {}
    for size in 8, 16, 32, 64:
        torch.manual_seed(seed)
        models[f"{size} numbers"] = FixedContext(13, 13, size, 32, bidirectional=False)
    torch.manual_seed(seed)
    models["looking back"] = AttentionSeq2Seq(13, 13, 32, 32)
    return models


def by_length(model):  # the share of test strings that come back without a mistake
    return exact(model, *held_out).float().view(len(lengths), -1).mean(dim=1)

# %%
def train(model, seed=0):
    return fit(model, lambda g: teacher_forcing(model, *strings(64, g)),
               steps=steps, rate=1e-2, seed=seed)


def side_by_side():  # one step of each model in turn
    for now in zip(*[train(model) for model in models.values()], strict=True):
        step, loss, told = now[0].step, sum(one.loss for one in now) / len(now), {}
        if step == 1 or step % 25 == 0:
            history.append((step, torch.stack([by_length(m) for m in models.values()])))
            told = {"vector": history[-1][1][2].mean(), "back": history[-1][1][-1].mean()}
        yield Step(step, loss, {name: float(share) for name, share in told.items()})

# %%
models, history = new_models(), []


def start():  # Reset calls it again
    history[:] = [(0, torch.zeros(5, len(lengths)))]
    for name, fresh in new_models().items():
        models[name].load_state_dict(fresh.state_dict())
    return side_by_side()

# %% [markdown]
# Guess, then press **Start**. It takes about twenty seconds, and the curves grow while you read on: the share of
# strings that come back without a single mistake, over the length of the string.

# %%
training = Training(start, steps, seconds=20, name="race", metrics={
    "vector": "32 numbers, exact", "back": "looking back, exact"})
cliff = AccuracyByLengthExplorer(history, models, lengths, steps, lock=training.lock)
training.on_step(lambda step: step.metrics and cliff.refresh())

# %% tags=["hide-input"]
Predict(
    "You double the vector, from 16 numbers to 32, then to 64. What happens to the length at which half of the "
    "strings get lost?",
    choices=[
        ("it doubles too", "It would, if each number of the vector stored its own digits. The network has to find "
                           "out how to pack and unpack, and that gets harder with every digit."),
        ("it grows by a digit or two", "The cliff moves, but far less than the vector grows, and it stays a cliff."),
        ("it stays", "A wider vector does help, a little each time."),
    ],
    answer="it grows by a digit or two",
    then=[training, cliff],
)

# %% [markdown]
# Meanwhile, be the memory yourself. Suppose that all you can keep is **one number**. There is a way to put any string
# of digits into it: you put the new digit in front and push the others one place to the right.

# %% tags=["hide-input"]
pack = DigitsInOneNumberExplorer()
Predict(
    "The number is stored as a float32, in 32 bits. How many digits come back from it without a mistake?",
    choices=[
        ("4", "It holds more: a digit is one of ten, that takes 3.3 bits, and there are more than 13 of them."),
        ("about 7", "Of the 32 bits, 24 hold the places of the number, and a digit takes 3.3 of them."),
        ("about 10", "32 bits at 3.3 bits a digit would be about 10. But 8 of the bits say where the point stands, "
                     "and one is the sign."),
        ("any number", "The number gets as many places as you like on paper. A computer keeps 24 binary ones."),
    ],
    answer="about 7",
    then=pack,
)

# %% [markdown]
# **Try** the slider *read the first*: up to 7 digits all is well, then it goes wrong from the left. The newest digits
# are safe, **the oldest are lost first**. Then give the memory more room and choose float64. It is no cure: **the
# limit moves to 15 digits.** Type digits of your own.
#
# ## 2. By hand
#
# Read 3, 1, 4 with a pencil. Begin with 0.5, a sign for "nothing yet"; add the digit, divide by 10:
#
# * 0.5 → 3: (0.5 + 3) / 10 = **0.35** → 1: (0.35 + 1) / 10 = **0.135** → 4: (0.135 + 4) / 10 = **0.4135**
#
# This is the **encoder**: the same small step for each digit, a state that is carried on, and at the end one number,
# the **context** $c$. The **decoder** multiplies by 10 and takes the integer part away, again and again:
#
# * 4.135 gives **4** and leaves 0.135; 1.35 gives **1** and leaves 0.35; 3.5 gives **3** and leaves 0.5: the end.

# %%
c = 0.5
for digit in 3, 1, 4:
    c = (c + digit) / 10
    print(f"reads {digit}: c = {c:.4f}")

while c != 0.5:
    c = 10 * c
    digit = int(c)
    c = round(c - digit, 9)
    print(f"writes {digit}, {c:.3f} is left")

# %% [markdown]
# What went in last comes out first: that is why the task is to write backwards, it is the easy direction for such a
# memory. And note that only the last digit lies open, as the first decimal place. To get at the others, the decoder
# has to **turn the number over, step by step**. Remember that for section 7.
#
# ## 3. The formula
#
# The same with vectors. Nobody writes down how to pack: the network learns it.
#
# $$h_t = f_W(x_t, h_{t-1}) \qquad c = \tanh(W_c\, h_T)$$
#
# $$s_t = g_U(y_{t-1}, c, s_{t-1}), \quad s_0 = c \qquad P(y_t) = \mathrm{softmax}(W_o\, [s_t; c])$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $x_t$ | a row of `embedding(source)` | batch, 32 | the digit that is read at step $t$ |
# | $h_t$ | `h` | batch, hidden | the encoder's state after $t$ digits |
# | $c$ | `c`, `memory.summary` | batch, hidden | **the context: all that the decoder will ever hear of the source** |
# | $s_t$ | `s` | batch, hidden | the decoder's state |
# | $y_{t-1}$ | a row of `embedding(target_in)` | batch, 32 | the digit written last |
#
# $f$ and $g$ are GRU cells here. Many lectures take $c = h_T$ itself; like the paper of Cho and others we put one
# more layer between them. Hidden is 8, 16, 32 or 64: the number in the name of the model.
#
# ## 4. In torch

# %%
class Encoder(nn.Module):
    def __init__(self, vocabulary, embedding, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.f = nn.GRUCell(embedding, hidden)
        self.W_c = nn.Linear(hidden, hidden)

    def forward(self, source):  # [batch, tokens] -> [batch, hidden]
        h = torch.zeros(len(source), self.f.hidden_size)
        for x in self.embedding(source).unbind(dim=1):
            h = self.f(x, h)
        return torch.tanh(self.W_c(h))

# %%
class Decoder(nn.Module):
    def __init__(self, vocabulary, embedding, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.g = nn.GRUCell(embedding + hidden, hidden)
        self.W_o = nn.Linear(2 * hidden, vocabulary)

    def forward(self, target_in, c):  # the right previous tokens, and the one vector
        s, logits = c, []
        for y in self.embedding(target_in).unbind(dim=1):
            s = self.g(torch.cat([y, c], dim=1), s)
            logits.append(self.W_o(torch.cat([s, c], dim=1)))
        return torch.stack(logits, dim=1)  # [batch, tokens, vocabulary]

# %%
theirs = new_models()["32 numbers"]
encoder, decoder = Encoder(13, 32, 32), Decoder(13, 32, 32)
for mine, other in (encoder, theirs.encoder), (decoder, theirs.decoder):
    for own, copied in zip(mine.parameters(), other.parameters(), strict=True):
        own.data = copied.data  # the same numbers in both

source, source_lengths, target = strings(5, torch.Generator().manual_seed(2))
logits = decoder(target[:, :-1], encoder(source))
assert torch.allclose(logits, theirs(source, source_lengths, target[:, :-1]), atol=1e-5)
for digits in 2, 200:
    print(f"c after {digits:3} digits:", list(encoder(torch.full((1, digits), 3)).shape))

# %% [markdown]
# There it is, in the last two lines. Two digits or two hundred: the shape of $c$ is the same.
#
# ## 5. What comes back?
#
# The next cell finishes the training, if it is not done yet.

# %%
training.run()
echo = RecallByModelExplorer(models, task, digits="314159265358", length=4, lock=training.lock)
echo

# %% [markdown]
# **Try** the slider: at 4 digits most models know them all. Lengthen the string, one digit at a time, and watch one
# after the other give up, the small ones first. They write from right to left, so that each digit stands under the
# one that it should repeat: compare left and right. A dot: the model stopped too early. *other digits* draws another
# string, and you may type your own. The last line never minds.

# %% [markdown]
# The curves of the race once more, now to the end. Each is named where it falls below one half.

# %%
AccuracyByLengthExplorer(history, models, lengths, steps, lock=training.lock)

# %% [markdown]
# **Play it again** with the slider *training step*. The curves of the fixed vectors set out from the left and
# advance, fast at first, then slower and slower. The model that looks back starts no earlier, but once it has found
# out where to look, it does so at every length.
#
# ## 6. The measurement
#
# The same once more with other seeds, for the vector of 32 numbers and for looking back.

# %%
shares = {name: [by_length(models[name])] for name in ("32 numbers", "looking back")}
for seed in 1, 2:
    others = new_models(seed)
    for name, measured in shares.items():
        for _ in train(others[name], seed):
            pass
        measured.append(by_length(others[name]))

# %%
one, back = (torch.stack(measured) for measured in shares.values())
Chart(figure(
    *(curve(row, list(lengths), name, role, opacity=0.75)
      for rows, role, label in ((one, "context", "32 numbers"), (back, "key", "looking back"))
      for row, name in zip(rows, (label, "", ""), strict=True)),
    title="Three seeds each", x="digits in the string", y="share without a mistake",
    y_range=[0, 1.05], xaxis_dtick=1))

# %%
print("one vector of 32 numbers, three seeds")
print("   3 digits: at least 90 % of the strings come back:", bool((one[:, 0] >= 0.9).all()))
print("   6 digits: between 35 and 75 %:", bool(((one[:, 3] > 0.35) & (one[:, 3] < 0.75)).all()))
print("  12 digits: below 5 %:", bool((one[:, -1] < 0.05).all()))
print("looking back, three seeds")
print("   at every length above 95 %:", bool((back > 0.95).all()))
sizes = history[-1][1][:4, 2]  # all four vectors at 5 digits
print("5 digits: every doubling of the vector helps:", bool((sizes.diff() > 0).all()))

# %% [markdown]
# The fixed vector falls from above 90 % at 3 digits to below 5 % at 12, in all three runs. At 6 digits it is between
# 35 and 75 %: there stands the cliff. Looking back stays above 95 % at every length.
#
# **Learned, or fits?** Twelve digits are 40 bits. Section 2 packs 7 digits into a single float32, so a vector of 32
# of them would have room for more than 200. It is not full. What you see is how much the network has *learned* to
# pack in 700 steps, with numbers between −1 and 1 and one set of weights for all strings. More steps help: write
# `steps = 2800` in section 1 (you will need a minute and a half) and see how far the curves move on. We compare at
# equal training, no more. A model that looks back need not learn to pack at all.
#
# ## 7. What survives in the vector?
#
# A **probe** asks a vector what it knows. Take the context $c$ of many strings; learn a linear map from $c$ to the
# digit at each place, by least squares; test it on other strings. A probe that only guesses finds 10 %.

# %%
model, chance = models["64 numbers"], torch.Generator().manual_seed(0)
digits = torch.randint(10, (3000, 6), generator=chance)  # 3000 strings of six digits
with torch.no_grad():
    c = model.encode(digits + 3, torch.full((3000,), 6)).summary  # [3000, 64]

x = torch.cat([c, torch.ones(3000, 1)], dim=1)
wanted = nn.functional.one_hot(digits, 10).flatten(1).float()  # [3000, 6 * 10]
W = torch.linalg.lstsq(x[:2000], wanted[:2000]).solution
guess = (x[2000:] @ W).unflatten(1, (6, 10)).argmax(dim=2)
found = (guess == digits[2000:]).float().mean(dim=0)  # per place, on the other 1000
print("last digit found in more than 90 %:", bool(found[5] > 0.9))
print("each of the other five in less than 70 %:", bool((found[:5] < 0.7).all()))

# %% tags=["hide-input"]
memory = LinearProbeExplorer(models, lock=training.lock)
Predict(
    "Most digits can hardly be read off c. Yet this very model writes nine out of ten digits right. How can that be?",
    choices=[
        ("the decoder guesses well", "The digits are random: guessing finds one in ten."),
        ("it turns the vector over", "Like the 0.4135 of section 2: one digit lies open, the others are in there, but "
                                     "folded. Each step of the decoder brings the next one to the surface."),
        ("it looks at the source again", "It cannot: all it is given is c and what it has written itself."),
    ],
    answer="it turns the vector over",
    then=memory,
)

# %% [markdown]
# **Read it from top to bottom.** The upper part is the encoder: after each digit that it reads, what can still be
# read off its state? The newest digit is always plain to see, those before it less. Row **c** is what is handed over.
# Then the decoder: in the state that writes digit 5, digit 5 has come up, then digit 4, then 3: a diagonal. One after
# the other is unfolded just in time. (What is written already stays in sight for a while: the decoder is fed with its
# own last digit.)
#
# **Try** more digits, and smaller vectors: the diagonal fades from the bottom, and with it what the model gets right.
#
# Two things to take away. A probe finds what lies open, not all that is there: *not found* does not mean *not known*.
# And look at that diagonal again. Here the decoder needs its whole skill to bring one digit after the other before its
# own eyes. Could it not simply **look** at the one it needs?
#
# ## 8. Gradients that fade
#
# To learn what the first digit is good for, the loss at the end must tell the encoder's first step. The message goes
# back through every step, is multiplied by the recurrent weights each time, and shrinks. LSTM and GRU were invented
# against that: **gates** that can keep a state as it is.

# %% tags=["hide-input"]
gradients = GradientThroughTimeExplorer()
Predict(
    "A fresh plain RNN reads 20 digits. Compare the gradient of its last state at the first digit and at the last. "
    "What does the first one get?",
    choices=[
        ("a twentieth", "It does not fade evenly: every step multiplies, so that the loss is exponential."),
        ("a thousandth", "Even for GRU and LSTM less is left than that, see the picture. The plain RNN is much worse."),
        ("less than a hundred-thousandth", "Each step takes about half. Twenty halvings make a millionth."),
    ],
    answer=2,
    then=gradients,
)

# %% [markdown]
# The axis is logarithmic: a straight line is exponential decay. **Try**
#
# * *recurrent weights* × 3: the RNN's line is level. × 5: it explodes. Between vanishing and exploding there is a
#   narrow ridge, and a network would have to stay on it all through its training.
# * *gates kept open by* 4, at × 1: GRU and LSTM hardly fade at all; the RNN has no such gate. Notice that fresh GRUs
#   and LSTMs **do** fade, only more slowly. Gates do not abolish the problem, they make it possible to learn not to
#   forget.
#
# Does it show in what they can do? The same race with the three kinds of cell, 32 numbers each.

# %%
kinds = {"GRU": by_length(models["32 numbers"])}
for name in "rnn", "lstm":
    torch.manual_seed(0)
    other = FixedContext(13, 13, 32, 32, bidirectional=False, cell=CELLS[name])
    for _ in train(other):
        pass
    kinds[name.upper()] = by_length(other)

Chart(figure(*(curve(share, list(lengths), name, line_width=3)
               for name, share in kinds.items()),
             title="32 numbers, three kinds of cell", x="digits in the string",
             y="share without a mistake", y_range=[0, 1.05], xaxis_dtick=1))

# %%
print("GRU is ahead of the RNN at 5 digits:", bool(kinds["GRU"][2] > kinds["RNN"][2]))
print("LSTM is ahead of the RNN at 5 digits:", bool(kinds["LSTM"][2] > kinds["RNN"][2]))
print("at 12 digits all three are below 5 %:", all(share[-1] < 0.05 for share in kinds.values()))

# %% [markdown]
# Gates win a digit or so (one seed, equal training). At 12 digits all three are below 5 %: **a better cell alone has
# not lifted the limit.**
#
# ## 9. Not only digits
#
# Sentences are not random: words follow from each other, so that more of them go into a vector. Does the same happen?
# A small phrasebook, English to Spanish, 300 steps for each. Both models read the sentence in both directions here.

# %%
phrases = TASKS["phrasebook"]()
unseen = phrases.collate(phrases.test)
exact_sentences = {}
for name, kind in ("one vector", FixedContext), ("looking back", AttentionSeq2Seq):
    torch.manual_seed(0)
    translator = kind(len(phrases.source_vocabulary), len(phrases.target_vocabulary))
    for _ in fit(translator, lambda g, m=translator: teacher_forcing(m, *phrases.batch(64, g)),
                 steps=300, rate=8e-3):
        pass
    exact_sentences[name] = exact(translator, *unseen).float()

# %%
groups = {"2 or 3": (2, 3), "4 or 5": (4, 5), "6 or 7": (6, 7), "8 and more": (8, 99)}
words = {name: [share[(unseen.source_lengths >= low) & (unseen.source_lengths <= high)].mean().item()
                for low, high in groups.values()] for name, share in exact_sentences.items()}
chart = Chart(figure(
    bars(words["one vector"], groups, "one vector of 64 numbers", "context", text=words["one vector"]),
    bars(words["looking back"], groups, "looking back", "key", text=words["looking back"]),
    title="Sentences without a mistake", x="words in the English sentence", y_range=[0, 1.15],
).update_traces(texttemplate="%{text:.2f}", textposition="outside"))
chart

# %%
fixed, back = words["one vector"], words["looking back"]
print("one vector: each group of longer sentences is worse:", fixed == sorted(fixed, reverse=True))
print("one vector: 2 or 3 words above 80 %, 8 and more below 40 %:", fixed[0] > 0.8, fixed[3] < 0.4)
print("looking back: above 90 % in each group:", min(back) > 0.9)

# %% [markdown]
# The same picture: above 80 % for two or three words, below 40 % from eight words on; looking back stays above 90 %.
# Short sentences hide the bottleneck, which is why an average over a test set can look fine.
#
# **See one sentence go through.** Two more translators, so small that a state is eight numbers and can be drawn. They
# learn from five hundred sentences like *we are eating bread*.

# %%
small = Progressives()
new_sentences = small.collate(small.test)
translators = {}
for name, kind in ("looking back", AttentionSeq2Seq), ("one fixed vector", FixedContext):
    torch.manual_seed(0)
    translators[name] = kind(
        len(small.source_vocabulary), len(small.target_vocabulary), 8, 8, bidirectional=False)
    for _ in fit(translators[name], lambda g, m=translators[name]: teacher_forcing(m, *small.batch(64, g)),
                 steps=400, rate=1.5e-2):
        pass

# %% tags=["hide-input"]
machine = EncoderDecoderExplorer(translators, small, text="we are eating bread", mode="one fixed vector", step=7)
Predict(
    "Four or five words, and a vector of eight numbers. How many of sixty sentences that it never saw does the one "
    "with the fixed vector translate without a mistake?",
    choices=[
        ("nearly all", "Eight numbers have room for such a sentence. Four hundred steps are not enough to learn how to "
                       "pack it and to unfold it again."),
        ("half of them, more or less", "The vector is not too small, but packing is hard to learn. With the same "
                                       "numbers and steps, looking back gets nearly all of them."),
        ("none", "It does learn to pack, only not well."),
    ],
    answer="half of them, more or less",
    then=machine,
)

# %%
shares = {name: exact(m, *new_sentences).float().mean() for name, m in translators.items()}
print("one fixed vector: between 20 and 70 %:", bool(0.2 < shares["one fixed vector"] < 0.7))
print("looking back: at least 90 %:", bool(shares["looking back"] >= 0.9))

# %% [markdown]
# **Step through it.** The encoder leaves a state at every word, but only the last one goes over, and whatever word is
# due, it is the same eight numbers. Where does the translation go wrong? **Try** a few sentences, *they are selling
# books* or *she is not drinking milk*: which part of the sentence is lost most often? Then choose *looking back* and
# see where the same word comes from there. How that works is the next lesson.
#
# **In the papers.** Cho and others (2014) measured it first: their translator did well on short sentences and fell
# quickly with length. Sutskever and others (2014) went through with it by brute force, with a state of 8000 numbers,
# and report that long sentences gave them no difficulty; but they read the source **backwards**, which raised their
# score from 25.9 to 30.6 BLEU. You know now what that trick does: the first words of the source become the newest,
# and they are needed first. Lectures often quote this paper for the bottleneck; it is the one that tried to show that
# there is none. Bahdanau and others (2015, figure 2) drew the two curves of this lesson with real sentences: BLEU of
# the fixed vector falls as sentences grow longer, and that of their larger model that looks back does not, up to 50
# words and more.
#
# ## 10. Exercise
#
# **01.encode.** Write the plain recurrent encoder with a `tanh`: `x` [batch, tokens, dim], `W` [dim, hidden], `U`
# [hidden, hidden], `b` [hidden]; the state begins with zeros. Replace the dots and run the cell; `check` names the
# mistake.

# %%
def encode(x, W, U, b):
    ...


check("01.encode", encode)

# %%
hint("01.encode")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def encode(x, W, U, b):
#     state = torch.zeros(len(x), len(b))
#     for token in x.unbind(dim=1):                    # [batch, dim], one step of reading
#         state = torch.tanh(token @ W + state @ U + b)
#     return state                                     # all that is kept
# ```
# </details>
#
# ## 11. What is still broken
#
# * **The size of the memory does not depend on the size of the source.** A wider vector moves the cliff, gates move it
#   a little, reversing the source moves it. None of them removed it here.
# * Every state $h_1 \dots h_T$ of the encoder was computed, and all but the last were thrown away. The first one knows
#   the first digit with certainty: you saw it in the top row of the matrix.
# * The decoder works hard to unfold, at each step, just the one digit that it needs now.
#
# So why not keep all the states, and let the decoder look at the ones it needs? **Lesson 02**.
#
# **Sources.** I. Sutskever, O. Vinyals, Q. Le, *Sequence to Sequence Learning with Neural Networks*, 2014 (section 3.3:
# reversing the source; section 3.7: long sentences). K. Cho and others, *Learning Phrase Representations using RNN
# Encoder-Decoder*, 2014 (the model of section 3), and *On the Properties of Neural Machine Translation*, 2014 (quality
# and length). D. Bahdanau, K. Cho, Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate*,
# 2015 (figure 2). S. Hochreiter, J. Schmidhuber, *Long Short-Term Memory*, 1997. The question, and the notation $f_W$,
# $g_U$, come from J. Johnson's lecture on attention (University of Michigan); vanishing gradients as the recap of CMU
# 11-785 has them.
