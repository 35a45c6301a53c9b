# %% [markdown]
# # The Transformer: is attention all you need?
#
# Lesson 02 let a recurrent decoder look back. Since then the recurrence has become idle, part by part: attention
# finds what belongs together (05), a mask hides the future (06), positions tell the order (07), a block holds it
# all (09). Put two stacks of blocks side by side, let one ask the other, and you have the model of 2017. Here it
# translates. And here it has to compete with the model it was meant to replace, on equal terms.
#
# **You will be able to** say of each of the three attentions which sequence asks and which one answers, build an
# encoder-decoder from blocks, choose warm-up, label smoothing and dropout by measurement instead of by habit, and
# say when a Transformer is worth it, and what no architecture can learn.
#
# The cells run for less than a minute on two cores. **You should know** lessons 02 and 05 to 09.

# %%
from functools import partial
from itertools import product
from time import process_time

import torch
from sacrebleu import corpus_bleu

from attnlab import AttentionSeq2Seq, exact, fit, record, teacher_forcing
from attnlab.decoding import beam, best, tokens, translate
from attnlab.exercises import check, hint
from attnlab.optimisers import adamw, muon
from attnlab.schedules import cosine, inverse_root
from attnlab.tasks import BOS, EOS, PAD, TASKS, Example
from attnlab.training import Step, smoothed_cross_entropy
from attnlab.transformer import transformer, universal

# %%
from attnlab.analysis import Run, without
from widgets import BeamSearchExplorer, LearningRateScheduleExplorer, TrainingAblationExplorer
from widgets import TwoTowersExplorer, WeightSharingDepthExplorer
from widgets import Chart, Predict, PredictNumber, Table, ThreeAttentionsExplorer, Training
from widgets import bars, curve, figure

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then start the race
#
# The phrasebook of lesson 02 again: English to Spanish, 20,000 sentences to learn from, 600 that are held out. Two
# models learn it, one step each in turn: the recurrent one of lesson 02 with its attention, and a Transformer
# without any recurrence. They have the same number of parameters, to within one in a hundred, and get the same
# batches.

# %%
phrases = TASKS["phrasebook"]()
unseen, some = phrases.collate(phrases.test), phrases.collate(phrases.test[:200])
sizes = len(phrases.source_vocabulary), len(phrases.target_vocabulary)
names, steps = ["Transformer", "recurrent"], 280


def new_models():
    torch.manual_seed(0)
    both = transformer(*sizes, dim=52, heads=4, layers=2), AttentionSeq2Seq(*sizes)
    return dict(zip(names, both, strict=True))

# %%
schedule = partial(cosine, warmup=30, floor=0.02)
adam = partial(adamw, betas=(0.9, 0.98))  # as in the paper
for name, model in new_models().items():
    print(f"{name:12}{sum(p.numel() for p in model.parameters()):8,} parameters")


def right(model, held_out):
    return exact(model, *held_out).float().mean().item()

# %%
def start():  # Reset calls it again
    for name, model in new_models().items():
        models[name].load_state_dict(model.state_dict())
        spent[name], course[name] = 0.0, []
    return side_by_side({name: training_of(model) for name, model in models.items()})


def training_of(model):
    return fit(model, lambda g: teacher_forcing(model, *phrases.batch(64, g)), steps,
               rate=6e-3, optimiser=adam, schedule=schedule)


models, spent, course = new_models(), {}, {}

# %%
def side_by_side(running):  # one step each; `spent` counts the seconds of the processor
    for step in range(1, steps + 1):
        for name, one in running.items():
            begun = process_time()
            loss = next(one).loss
            spent[name] += process_time() - begun
        measures = {}
        if step % 20 == 0:
            held_out = unseen if step == steps else some  # all 600 at the end
            measures = {name: right(model, held_out) for name, model in models.items()}
            for name, share in measures.items():
                course[name].append((step, spent[name], share))
            measures["rate"] = schedule(step, steps)
        yield Step(step, loss, measures, last=step == steps)

# %% [markdown]
# Guess, then press **Start**; it takes about 15 seconds. The curves are the share of held-out sentences that each
# model gets exactly right, and the learning rate as a share of its highest. The two matrices are a film of how *we
# are not eating the red apples* is read, by the Transformer (the mean of the heads of its last cross-attention) and
# by the recurrent model.

# %%
sentence = phrases.recognise("we are not eating the red apples")
example = phrases.collate([sentence])


def watch():  # [2, target, source]
    fed = example.target[:, :-1]
    with record(models["Transformer"]) as trace:
        models["Transformer"](example.source, example.source_lengths, fed)
    ours = trace["decoder.blocks.1.cross_attention"][0].weights[0].mean(dim=0)
    with record(models["recurrent"]) as trace:
        models["recurrent"](example.source, example.source_lengths, fed)
    theirs = torch.cat([seen.weights[0] for seen in trace["decoder.attention"]])
    return torch.stack([ours, theirs])

# %%
training = Training(
    start, steps=steps, watch=watch, film_every=10, seconds=18, name="transformer",
    metrics={"Transformer": "Transformer exact", "recurrent": "recurrent exact", "rate": "rate"},
    query_labels=[*sentence.target.split(), "<EOS>"], key_labels=sentence.source.split(),
    panel_names=names,
)

# %% tags=["hide-input"]
Predict(
    "Same number of parameters, same batches, one step each. Which one will get the first half of the held-out "
    "sentences right sooner?",
    choices=[
        ("the Transformer", "At this size it does not. It must first find out what a position is and which head is for "
                            "what; the recurrent model is born with the idea that words come one after the other."),
        ("the recurrent one", "Order is built into it, and the sentences are short. The Transformer catches up; its "
                              "gain lies elsewhere, in section 6."),
        ("both alike", "Look at the curves at step 80. The recurrent model has order built in."),
    ],
    answer="the recurrent one",
    then=training,
)

# %% [markdown]
# ## 2. By hand
#
# The encoder has made one vector of each of three source words. The decoder has written one word, and two vectors
# ask: that of `<BOS>` and that of the word. One vector for each word, width 2. With a pencil, for the second
# asker: its scores with the source are $q \cdot k / \sqrt 2$ = 0.69, 0, 0.69. Since $e^{0.69} = 2$, the weights
# are 2, 1, 2 parts of five.

# %%
source = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
target = torch.tensor([[0.0, 0.0], [0.98, 0.0]])  # <BOS>, and the first word
past = torch.tensor([[True, False], [True, True]])


def weights(query, key, mask=None):
    scores = query @ key.T / 2**0.5
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(dim=-1)


print("source asks source:", *weights(source, source), sep="\n  ")
print("target asks target:", *weights(target, target, past), sep="\n  ")
print("target asks source:", *weights(target, source), sep="\n  ")

# %% [markdown]
# Three matrices with three shapes, 3 × 3, 2 × 2 and 2 × 3, from the one formula. What differs is only **who asks,
# who answers, and who may not**. `<BOS>` asks with zeros here, so all keys are alike to it.

# %% tags=["hide-input"]
Predict(
    "In the attention that joins the two halves, the cross-attention, which sequence gives the queries, which the "
    "keys, which the values?",
    choices=[
        ("queries target, keys and values source", "The writer asks what it needs next. The readers' vectors answer "
                                                   "(keys) and are what is fetched (values)."),
        ("queries source, keys and values target", "Then each source word would ask what has been written. But it is "
                                                   "the next target word that is wanted, and so the target asks."),
        ("queries and keys target, values source", "Weights over target words cannot mix source vectors: there is "
                                                   "one weight for each key, so keys and values come in pairs."),
    ],
    answer="queries target, keys and values source",
)

# %% [markdown]
# ## 3. The formula
#
# With $x$ for the source's vectors and $y$ for the target's, each $\mathrm{part}$ put into the stream as
# $\mathrm{norm}(x + \mathrm{part}(x))$ (post-norm, lesson 09):
#
# $$x \leftarrow \mathrm{attention}(Q{=}x,\, K{=}x,\, V{=}x) \qquad x \leftarrow \mathrm{feed\_forward}(x)
# \qquad \text{encoder, } N \text{ times}$$
#
# $$y \leftarrow \mathrm{attention}(Q{=}y,\, K{=}y,\, V{=}y,\, \text{causal}) \qquad
# y \leftarrow \mathrm{attention}(Q{=}y,\, K{=}x,\, V{=}x) \qquad y \leftarrow \mathrm{feed\_forward}(y)
# \qquad \text{decoder}$$
#
# | attention | asks (queries) | answers (keys, values) | mask | weights |
# |---|---|---|---|---|
# | encoder self-attention | source | source | padding | source × source |
# | decoder self-attention | target | target | causal | target × target |
# | cross-attention | target | source, after the last encoder block | padding | target × source |
#
# | paper | here | base model of 2017 | in this lesson |
# |---|---|---|---|
# | $N$ | `layers` | 6 + 6 | 2 + 2 |
# | $d_\mathrm{model}$ | `dim` | 512 | 52 |
# | $h$ | `heads` | 8 | 4 |
# | $d_k = d_v$ | `dim / heads` | 64 | 13 |
# | $d_\mathit{ff}$ | 4 · `dim` | 2048 | 208 |
# | $P_\mathrm{drop}$, $\epsilon_\mathit{ls}$ | `dropout`, `smoothing` | 0.1, 0.1 | section 7 |
#
# **Where the lecture differs.** Johnson's slide gives *12 blocks, D_Q = 512, 6 heads*. The paper's base model has
# 6 layers in the encoder and 6 in the decoder, so 12 counts both halves; 512 is the width of the model and each
# head's queries have 64; and the heads are **8**, as the same lecture's later table says.
#
# ## 4. In torch
#
# A whole Transformer of one layer, from the three calls. `model` lends its maps; everything else stands here.

# %%
torch.manual_seed(0)
model = transformer(*sizes, dim=16, heads=2, layers=1)
encoder, decoder = model.encoder.blocks[0], model.decoder.blocks[0]
batch = phrases.collate(phrases.test[:1])  # one sentence, so there is no padding to hide
source, target = batch.source, batch.target[:, :-1]
causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()

x, y = model.encoder.embed(source), model.decoder.embed(target)  # with positions
x = encoder.attention_norm(x + encoder.attention(query=x, key=x, value=x))
x = encoder.feed_forward_norm(x + encoder.feed_forward(x))
y = decoder.attention_norm(y + decoder.attention(query=y, key=y, value=y, mask=causal))
y = decoder.cross_attention_norm(y + decoder.cross_attention(query=y, key=x, value=x))
y = decoder.feed_forward_norm(y + decoder.feed_forward(y))
logits = y @ model.decoder.embed.tokens.weight.T  # the table of the target's words again

# %%
assert torch.allclose(logits, model(source, batch.source_lengths, target), atol=1e-5)
print("source", list(x.shape), " target", list(y.shape), " logits", list(logits.shape))

# %% [markdown]
# All places of the target are computed **at once**: with teacher forcing they are known, and the causal mask keeps
# each from seeing what it shall write. A recurrent decoder must wait for its own state at every step. When it
# *writes*, the Transformer waits too: a word can only be read once it exists.
#
# ## 5. Watch three attentions at work
#
# The next cell finishes the training, if it is not done yet.

# %%
training.run()
for name in names:
    print(f"{name:12} above 95 % exact on held-out sentences: {training.result[name] > 0.95}")
training

# %% [markdown]
# Now the whole **machine**, with what it has learned. Each word is a row that runs through its tower from left to
# right. Sums, norms and feed-forward networks leave it by itself. Words meet in three kinds of places only, where the
# beams are: each as wide as its weight, and all of one word together as wide as the row that asked.

# %%
TwoTowersExplorer(models["Transformer"], phrases, text="we are not eating the red apples", word=5)

# %% [markdown]
# **Try.**
#
# 1. **Step** through the words. The encoder has run once. The decoder runs for each word, and in each of its blocks
#    the newest row asks twice: the rows so far, and what came out of the encoder. *las* finds *apples* and writes
#    *manzanas*; whom does *manzanas* ask?
# 2. **Click** a word at a station, in either tower: whom does it ask in this block? In the encoder rows from above and
#    below answer, in the decoder only rows from above. **Attention** and **head** show them one by one.
# 3. **Switch** cross-attention off, below at the left. The decoder goes on in Spanish, and says the same whatever you
#    type. Then switch off one of the other two instead: which is missed least?
#
# The same weights as **one matrix**: each row asks, each column answers, source first, then target.
#
# | | source answers (left) | target answers (right) |
# |---|---|---|
# | **source asks** (above) | encoder self-attention | never: the source is read before anything is written |
# | **target asks** (below) | cross-attention | decoder self-attention, causal |

# %%
ThreeAttentionsExplorer(models["Transformer"], phrases, text="we are not eating the red apples", step=5)

# %% [markdown]
# **Try.**
#
# 1. **Step** through the writing. The outlined row asks twice: to the left the source, to the right the target so
#    far, and each half of the row sums to 1. The row of *manzanas* goes back to *red*: the adjective swaps.
# 2. **Layer** 1: the target hardly knows yet what it wants, and looks around. Layer 2 points. The hatched corner
#    stays empty whatever you choose: the source never asks the target.
# 3. **Type** *they are eating apples*: two words melt into *están*. *The big red house is not new*: two adjectives
#    in mirrored order. *The european economic area*, which lesson 02 got right: here an adjective may get lost,
#    for *economic* stands with two nouns only and is rare in the training.
#
# Is the pointing real, or did we choose a nice sentence? The grammar knows from which English words each Spanish
# word is built. So one can count the share of the cross-attention's weight that lies on them, for each head, in
# 200 held-out sentences. And one can count what is still right when one of the three attentions finds nothing.

# %%
with torch.no_grad(), record(models["Transformer"]) as trace:
    models["Transformer"](some.source, some.source_lengths, some.target[:, :-1])


def on_the_right_words(layer, head):
    weights = trace[f"decoder.blocks.{layer}.cross_attention"][0].weights[:, head]
    return torch.stack([weights[i, row, sorted(places)].sum() for i, one in enumerate(phrases.test[:200])
                        for row, places in enumerate(phrases.alignment(one)) if places]).mean().item()


pointing = [[on_the_right_words(layer, head) for head in range(4)] for layer in range(2)]
heads = [f"head {head}" for head in range(1, 5)]

# %%
Chart(figure(
    bars(pointing[0], heads, "layer 1", "query"), bars(pointing[1], heads, "layer 2", "context"),
    title="Weight of the cross-attention on the right words", y_range=[0, 1.05], height=280,
))

# %%
print("each head of layer 2 above 0.75:        ", min(pointing[1]) > 0.75)
print("layer 2 above layer 1, head for head:   ", all(b > a for a, b in zip(*pointing, strict=True)))


def right_without(attention):
    with without(models["Transformer"], [attention.format(layer) for layer in range(2)]):
        return right(models["Transformer"], some)


print("without the encoder's self-attention more than half are right:",
      right_without("encoder.blocks.{}.attention") > 0.5)
print("without the decoder's less than a quarter:", right_without("decoder.blocks.{}.attention") < 0.25)
print("without cross-attention none:", right_without("decoder.blocks.{}.cross_attention") == 0)

# %% [markdown]
# Spread evenly over the sentence it would be 0.27. Nobody told the model what belongs to what: as in lesson 02, it
# is found because it helps. In this small grammar the encoder's self-attention is missed least, and cross-attention
# most: without it nothing of the source arrives.
#
# ## 6. The measurement: equal parameters, equal time
#
# First the translations themselves. **BLEU** compares runs of one to four words with the reference, 0 to 100; it
# is what the paper reports. Exact match is stricter: one wrong ending, and the sentence counts as wrong.

# %%
references = [[example.target for example in phrases.test]]


def bleu(model):
    written = translate(model, unseen.source, unseen.source_lengths, BOS, EOS, max_steps=20)
    return corpus_bleu([phrases.write(row) for row in written], references).score


scores = {name: bleu(model) for name, model in models.items()}
shares = {name: course[name][-1][2] for name in names}

# %%
Table({
    "model": names,
    "parameters": [sum(p.numel() for p in models[name].parameters()) for name in names],
    "seconds": [round(spent[name], 1) for name in names],
    "ms a step": [round(1000 * spent[name] / steps, 1) for name in names],
    "exact": [[shares[name]] for name in names],
    "BLEU": [round(scores[name], 1) for name in names],
}, title=f"{steps} steps, 600 held-out sentences, seconds of one processor core", roles={"exact": "context"})

# %%
early = {name: course[name][3][2] for name in names}  # after 80 steps
print("both above 95 % exact:", min(shares.values()) > 0.95)
print("both above 95 BLEU:", min(scores.values()) > 95)
print("they differ by less than 3 points:", abs(shares["Transformer"] - shares["recurrent"]) < 0.03)
print("after 80 steps the recurrent model is ahead by more than 10 points:",
      early["recurrent"] - early["Transformer"] > 0.1)
seconds = next(at for _, at, share in course["recurrent"] if share >= 0.9)
print("when the recurrent model first has 90 %, the Transformer has less after as many seconds:",
      max(share for _, at, share in course["Transformer"] if at <= seconds) < 0.9)

# %% [markdown]
# With 600 sentences a share of 0.97 is known to within 0.014 (two standard errors), and with another seed the
# Transformer ended at 0.97, so the end is a draw. And at equal **time**?

# %%
Chart(figure(
    *(curve([share for _, _, share in course[name]], [seconds for _, seconds, _ in course[name]], name, role,
            line_width=3) for name, role in zip(names, ["context", "query"], strict=True)),
    x="seconds of the processor, for this model alone", y="held-out sentences exact", y_range=[0, 1.05],
    title="Equal parameters, equal batches, the same clock",
))

# %% [markdown]
# So here is the honest result: **with short sentences and little data the recurrent model learns faster**, in
# steps and in seconds. In the end both are right. Attention *is* all you need, and it is not needed here.
#
# Why then did everybody change? Because of *long* inputs. One training step with random words, four sequences at a
# time:

# %%
def step_time(model, length):  # milliseconds of the processor, the best of three
    ids = torch.randint(3, 60, (4, length + 1), generator=torch.Generator().manual_seed(0))
    times = []
    for _ in range(3):
        begun = process_time()
        teacher_forcing(model, ids[:, 1:], torch.full((4,), length), ids).backward()
        times.append(1000 * (process_time() - begun))
    return min(times)


lengths = [4, 8, 16, 32, 64, 128]
torch.manual_seed(0)
times = {name: [step_time(model, n) for n in lengths] for name, model in new_models().items()}

# %%
Chart(figure(
    *(curve(times[name], lengths, name, role, line_width=3)
      for name, role in zip(names, ["context", "query"], strict=True)),
    x="words in source and in target", y="milliseconds a training step",
    title="A step against the length", xaxis_type="log", yaxis_type="log", xaxis_tickvals=lengths,
    yaxis_tickvals=[3, 10, 30, 100, 300],
))

# %%
gain = {n: slow / fast for n, fast, slow in zip(lengths, times["Transformer"], times["recurrent"], strict=True)}
print("128 words: the recurrent step takes more than 3 times as long:", gain[128] > 3)
print("the factor at 128 words is larger than at 4:", gain[128] > gain[4])

# %% [markdown]
# The recurrent decoder takes 128 small steps where the Transformer multiplies a few large matrices. This is **one
# core**; a processor with thousands of them, a GPU, has little to do while it waits for the next small step, so
# there one expects far more. That is what the paper means by *significantly more parallelization*. The price, a
# matrix of length × length, is lesson 12.
#
# ## 7. The recipe
#
# The paper did not only bring a model, it brought a way to train it: Adam with a **warm-up**, **label smoothing**
# and **dropout**. The rate is
#
# $$\mathrm{rate}(t) = d_\mathrm{model}^{-1/2} \cdot \min\left(t^{-1/2},\; t \cdot \mathrm{warmup}^{-3/2}\right)$$

# %%
LearningRateScheduleExplorer(width=32, warm_up=60)

# %% [markdown]
# **Try.** *Warm-up steps* up: the peak comes later **and is lower**, for the rising line has the slope that brings
# it to $1/\sqrt{t}$ just there. *Width* up: everything is lower. At the paper's numbers, width 512 and 4,000
# steps, the peak is 0.0007. Other schedules of `attnlab.schedules` are beside it for comparison; the race above
# used *cosine*.
#
# Now each ingredient by its switch. Three switches make eight recipes; each trains a model of one layer and width
# 32 for 130 steps. They share seed and batches. So every switch is measured **four times**, in all settings of the
# others.

# %%
def smoothed(model, generator, smoothing, **depth):  # the loss of one batch
    batch = phrases.batch(32, generator)
    logits = model(batch.source, batch.source_lengths, batch.target[:, :-1], **depth)
    return smoothed_cross_entropy(logits, batch.target[:, 1:], smoothing, ignore=PAD)


def at_once(step, steps, warmup=60):  # full height, then down as with a warm-up
    return min(1.0, (warmup / step) ** 0.5)

# %%
def train(warm_up, smoothing, dropout, rate=0.012, steps=130, measure=13):
    torch.manual_seed(0)
    model = transformer(*sizes, dim=32, heads=2, layers=1, dropout=0.1 * dropout)

    def loss(generator):
        return smoothed(model, generator, 0.1 * smoothing)

    schedule = partial(inverse_root, warmup=60) if warm_up else at_once
    run = Run([], [], 0.0)
    for step in fit(model, loss, steps, rate, optimiser=adam, schedule=schedule):
        if step.step % measure == 0:
            run.steps.append(step.step)
            run.exact.append(right(model, some))
    return run._replace(loss=teacher_forcing(model, *some).item()), model

# %%
runs, trained = {}, {}
for recipe in product((False, True), repeat=3):
    runs[recipe], trained[recipe] = train(*recipe)
def spread(found, times=1):
    mean, low, high = (times * x for x in (sum(found) / len(found), min(found), max(found)))
    return f"{mean:+.2f} ({low:+.2f} to {high:+.2f})".replace("-", "−")


recipes = TrainingAblationExplorer(runs)
recipes

# %% [markdown]
# **Try** each switch by itself, then all three: the thick line is your recipe, the faint ones are the other seven.
# In numbers, the mean of the four pairs and their range:

# %%
gains = {switch: recipes.effects(switch, lambda run: run.exact[-1]) for switch in recipes.switches}
costs = {switch: recipes.effects(switch, lambda run: run.loss) for switch in recipes.switches}
Table({
    "switched on": [*gains],
    "exact, points": [spread(found, 100) for found in gains.values()],
    "loss, nats": [spread(found) for found in costs.values()],
}, title="What each switch adds: mean of four pairs, lowest to highest")

# %%
print("dropout lowers the exact share, all four times:", max(gains["dropout"]) < 0)
print("warm-up lowers the exact share, on average:    ", sum(gains["warm_up"]) < 0)
print("smoothing moves it by less than 10 points:     ", abs(sum(gains["smoothing"]) / 4) < 0.1)
print("smoothing raises the loss, on average:         ", sum(costs["smoothing"]) > 0)

# %% [markdown]
# **Dropout costs** in this short race, each of the four times, and so does **warm-up** at this rate: half of the
# steps are spent in getting up to speed. **Smoothing** makes the loss worse, for it forbids the model to be sure,
# while it does next to nothing to the sentences. That half the paper reports, too: *this hurts perplexity, as the
# model learns to be more unsure, but improves accuracy and BLEU score*. The other half we do not see. Dropout and
# smoothing are against memorising, and 130 steps of 32 sentences see about a fifth of the 20,000.
#
# And warm-up? It buys a **higher rate**. The paper's formula with width 32 and 60 steps allows 0.023, twice as
# much:

# %%
high = (32 * 60) ** -0.5
with_warm_up, _ = train(True, False, False, rate=high, steps=150, measure=15)
no_warm_up, _ = train(False, False, False, rate=high, steps=150, measure=15)
Chart(figure(
    curve(with_warm_up.exact, with_warm_up.steps, "warm-up", "context", line_width=3),
    curve(no_warm_up.exact, no_warm_up.steps, "full height at once", "query", line_width=3),
    x="training step", y="held-out sentences exact", title="At the paper's rate", y_range=[-0.02, 0.4],
))

# %%
print("with a warm-up more sentences are exact:      ", with_warm_up.exact[-1] > no_warm_up.exact[-1])
print("and its loss is lower by more than 0.3 nats:  ", no_warm_up.loss - with_warm_up.loss > 0.3)

# %% [markdown]
# So all three are answers to questions that a small, short training does not ask. Take none of them by habit: **a
# switch is measured, in your setting, or it is a superstition.**
#
# ## 8. One block, repeated
#
# If two layers are good, must they be different layers? The **Universal Transformer** has one block and repeats
# it. Its depth is then no longer a matter of parameters: it can be chosen when the training is over. This one was
# trained with a depth from 1 to 4, drawn anew for each batch.

# %%
torch.manual_seed(0)
one_block = universal(*sizes, dim=64, heads=4, depth=3)


def loss(generator):
    return smoothed(one_block, generator, 0.0, depth=int(torch.randint(1, 5, (), generator=generator)))


for _ in fit(one_block, loss, steps=180, rate=0.02, optimiser=muon, schedule=schedule):
    pass

# %% tags=["hide-input"]
depths = WeightSharingDepthExplorer(one_block, phrases, some, text="we are not eating the red apples")
Predict(
    "Trained with 1 to 4 repetitions. What happens with 8, when nothing else is changed?",
    choices=[
        ("it translates better still", "More thinking does not help who has not learned to think longer. Drag the "
                                       "depth."),
        ("about the same", "Already the fifth repetition costs something. Each one moves the vectors further, to where "
                           "the output map has never seen them."),
        ("it breaks down", "Already the fifth repetition costs something. Each one moves the vectors further, to where "
                           "the output map has never seen them."),
    ],
    answer="it breaks down",
    then=depths,
)

# %%
shares = depths.shares
print("best within the depths of the training:", max(shares[:4]) == max(shares))
print("two repetitions are better than one:   ", shares[1] > shares[0])
print("eight are worse than four by over 30 points:", shares[3] - shares[7] > 0.3)

# %% [markdown]
# Left out here: the paper (Dehghani 2018) tells each repetition its number, and lets every word stop by itself
# when it is done.
#
# ## 9. A search that keeps its options
#
# Greedy or beam search does not care what is inside the model. `beam` of lesson 02 takes this one as it is; the
# paper translates with a beam of 4 and a length penalty of 0.6.

# %%
BeamSearchExplorer(models["Transformer"], phrases, text="we are eating bread", width=2, length_penalty=0.6)

# %% [markdown]
# A model that is sure needs no beam. One of the eight above is not: no switch on, 130 steps.

# %%
doubtful = trained[False, False, False]
BeamSearchExplorer(doubtful, phrases, text="we are not eating the red apples", width=3, length_penalty=0.6)

# %%
def searched(model, example, width):  # the score of what is found, and whether it is right
    found = list(beam(model, phrases.read(example.source), BOS, EOS, width, 16, length_penalty=0.6))
    return best(found).score, phrases.write(tokens(found, best(found))) == example.target


found = {width: [searched(doubtful, one, width) for one in phrases.test[:40]] for width in (1, 4)}
better = sum(wide > narrow + 1e-6 for (wide, _), (narrow, _) in zip(found[4], found[1], strict=True))
Table({
    "beam width": [*found],
    "exact": [[sum(hit for _, hit in each) / 40] for each in found.values()],
    "found a higher score than width 1": ["", f"in {better} of 40 sentences"],
}, title="The doubtful model", roles={"exact": "context"})

# %% [markdown]
# ## 10. What no architecture can learn
#
# Now the names of countries, currencies and languages, English to French, letter by letter, from the Unicode
# consortium. Same model, same training. Only short names are taken, and only such as differ in the two languages,
# so that copying never helps.

# %%
task = TASKS["names"]("en", "fr")


def short(example):
    return example.source != example.target and max(len(example.source), len(example.target)) <= 12


learned = [pair for pair in task.pairs() if short(Example(*pair))]
new = [example for example in task.test if short(example)]
task.pairs = lambda: learned
print(len(learned), "names to learn,", len(new), "held out, such as")
for one in new[3:8]:
    print(f"  {one.source:12} {one.target}")

# %%
torch.manual_seed(0)
parrot = transformer(len(task.source_vocabulary), len(task.target_vocabulary), dim=64, heads=4, layers=1)
for _ in fit(parrot, lambda g: teacher_forcing(parrot, *task.batch(32, g)), steps=260, rate=0.02,
             optimiser=muon, schedule=schedule):
    pass
known = task.collate([Example(*pair) for pair in learned])
by_heart, unknown = right(parrot, known), right(parrot, task.collate(new))

# %% tags=["hide-input"]
PredictNumber(
    "It has learned its names: over nine in ten are exactly right. How many per cent of the names that it has never "
    "seen?",
    answer=round(100 * unknown), unit="%", close=5,
    why="Nothing in the letters of “hungary” says “hongrie”. Each name is a fact of its own, and facts that were not "
        "told cannot be known. The phrasebook has rules; that is why 600 unseen sentences are right.",
    then=Chart(figure(bars([by_heart, unknown], ["names it was shown", "names held out"], "exact", "context"),
                      y_range=[0, 1.05], height=260, title="Memorised, not learned")),
)

# %%
print("names of the training exact, above 0.9:", by_heart > 0.9)
print("held-out names exact, below 0.1:       ", unknown < 0.1)
guesses = translate(parrot, *task.collate(new)[:2], BOS, EOS, 16)
Table({
    "name": [one.source for one in new[:5]],
    "it says": [task.write(row) for row in guesses[:5]],
    "French": [one.target for one in new[:5]],
}, title="Five names that it was never shown")

# %% [markdown]
# A larger model would know more names, if it is told more names. It would not guess better. When a large language
# model knows the capital of Burundi, it has read it.
#
# ## 11. Exercises
#
# Replace the dots and run the cell; `check` names the mistake.
#
# **10.smoothing.** The loss with smoothed labels, one for each token. `logits` [tokens, vocabulary], `target`
# [tokens], `smoothing` from 0 to 1: every token of the vocabulary, the right one too, is wanted with `smoothing /
# vocabulary`, and the right one with `1 - smoothing` more.

# %%
def smoothed_loss(logits, target, smoothing):
    ...


check("10.smoothing", smoothed_loss)

# %%
hint("10.smoothing")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def smoothed_loss(logits, target, smoothing):
#     vocabulary = logits.shape[-1]
#     wanted = (1 - smoothing) * torch.nn.functional.one_hot(target, vocabulary) + smoothing / vocabulary
#     return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)
# ```
# </details>
#
# **10.beam.** One step of beam search: the best `width` continuations [width, 3] as total log-probability, parent,
# token. `kept` [hypotheses] are the log-probabilities so far, `log_probabilities` [hypotheses, vocabulary] those
# of the next token.

# %%
def beam_step(kept, log_probabilities, width):
    ...


check("10.beam", beam_step)

# %%
hint("10.beam")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def beam_step(kept, log_probabilities, width):
#     totals = kept.unsqueeze(1) + log_probabilities  # [hypotheses, vocabulary]
#     best, places = totals.flatten().topk(width)
#     vocabulary = log_probabilities.shape[1]
#     return torch.stack([best, places // vocabulary, places % vocabulary], dim=1)
# ```
# </details>
#
# ## 12. What you have, and what is missing
#
# * Is attention all you need? To translate, yes: nothing else lets two words meet in this model. But positions,
#   sums, norms and feed-forward networks are needed too, and at this size the recurrent model does as well and
#   learns faster.
# * The gain is that a training step has no steps. It counts when sequences are long and the processor is wide.
# * Two halves and three attentions are needed when there is a *source*. To write on from a text, the decoder alone
#   will do. **Lesson 11** builds that: a GPT.
# * Every word looks at every word. What does that cost? **Lesson 12** measures it.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: section 3 the model, equation 3 the rate, 5.4
# dropout and smoothing (with the sentence quoted), 6.1 the beam, table 3 the sizes. J. Johnson's lecture on
# attention (University of Michigan): the slide with the sizes, *the european economic area*. The ECNU lecture
# *Attention Is All You Need*: warm-up, dropout, label smoothing. M. Dehghani et al., *Universal Transformers*,
# 2018. C. Szegedy et al., *Rethinking the Inception Architecture for Computer Vision*, 2016: label smoothing. K.
#       Papineni et al., *BLEU*, 2002, and M. Post, *A Call for Clarity in Reporting BLEU Scores*, 2018, whose
#       program `sacrebleu` is used. Names: Unicode CLDR, through Babel. The phrasebook and all measurements are
#       ours.
