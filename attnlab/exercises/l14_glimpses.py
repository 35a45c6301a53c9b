"""Exercises of lesson 14: what a retina shows, a place that is drawn, and how the choice of a place learns."""

from collections.abc import Callable, Sequence
from math import floor, log, pi

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, pad

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.vision import glimpses as specs

# 14.glimpse -----------------------------------------------------------------------------------------------------------

Place = Sequence[float]


def glimpse(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The solution."""
    return torch.stack([avg_pool2d(_square(picture, place, size * 2**k)[None], 2**k)[0] for k in range(scales)])


Begin = Callable[[float, int], int]
"""The middle of a square, and its width in pixels -> its first pixel."""


def _nearest(middle: float, side: int) -> int:
    return round(middle - side / 2)


def _square(picture: Tensor, place: Place, side: int, beyond: str = "constant", begin: Begin = _nearest) -> Tensor:
    """side x side pixels around a place; what lies outside the picture is 0, or what `beyond` puts there."""
    height, width = picture.shape
    left = begin((place[0] + 1) / 2 * width, side) + side
    top = begin((place[1] + 1) / 2 * height, side) + side
    if beyond == "replicate":
        rows = (torch.arange(top, top + side) - side).clamp(0, height - 1)
        columns = (torch.arange(left, left + side) - side).clamp(0, width - 1)
        return picture[rows][:, columns]
    return pad(picture, [side] * 4)[top : top + side, left : left + side]


def _scales(scales: int, one: Callable[[int], Tensor]) -> Tensor:
    return torch.stack([one(k) for k in range(scales)])


def _pooled(square: Tensor, block: int) -> Tensor:
    return avg_pool2d(square[None], block)[0]


def _from(begin: Begin) -> Callable[[Tensor, Place, int, int], Tensor]:
    """A retina whose squares begin elsewhere."""
    return lambda picture, place, size, scales: _scales(
        scales, lambda k: _pooled(_square(picture, place, size * 2**k, begin=begin), 2**k)
    )


def _measured(picture: Tensor, place: Place, ends: Sequence[int]) -> list[float]:
    """The place that is meant by who takes 1 for these ends, across and down."""
    return [(x + 1) * end / whole - 1 for x, end, whole in zip(place, ends, picture.T.shape, strict=True)]


def _in_the_frame(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The place is measured on the picture with its frame, as wide as the square on each side."""

    def framed(k: int) -> Tensor:
        side = size * 2**k
        ends = [end + 2 * side for end in picture.T.shape]
        found = _measured(picture, place, ends)
        found = [x - 2 * side / end for x, end in zip(found, picture.T.shape, strict=True)]
        return _pooled(_square(picture, found, side), 2**k)

    return _scales(scales, framed)


def _inside(picture: Tensor, place: Place, size: int, scales: int) -> Tensor:
    """The squares moved until they lie within the picture, as far as they can."""
    height, width = picture.shape

    def moved(k: int) -> Tensor:
        side = size * 2**k
        centre = [(place[0] + 1) / 2 * width, (place[1] + 1) / 2 * height]
        x, y = (
            min(max(at, side / 2), max(end - side / 2, side / 2))
            for at, end in zip(centre, (width, height), strict=True)
        )
        return _pooled(_square(picture, [2 * x / width - 1, 2 * y / height - 1], side), 2**k)

    return _scales(scales, moved)


def _picture(height: int, width: int) -> Tensor:
    return torch.rand(height, width, generator=torch.Generator().manual_seed(height))


GLIMPSE = Exercise(
    name="14.glimpse",
    title="What the retina shows",
    statement="""Return what a retina shows of one picture around a place, [scales, size, size].

Scale 0 is the square of size x size pixels around the place, as it is. Scale 1 is a square twice as wide, scale 2 four
times, and so on; each is shrunk to size x size numbers by taking the mean of every 2 x 2 pixels, every 4 x 4, ...
What lies outside the picture counts as 0.

picture [height, width]; place: two numbers, across and down, from -1 (left, upper edge) to 1 (right, lower edge);
size, scales whole. A square begins at the whole pixel nearest to its middle minus half its width.""",
    axes="[scales, size, size]",
    stub="""def glimpse(picture, place, size, scales):
    ...
""",
    hints=(
        "First turn the place into pixels: -1 is pixel 0, 1 is the width of the picture (across) or its height (down).",
        "Put a frame of zeros around the picture, as wide as the square, with `torch.nn.functional.pad`. Then every "
        "square can be cut out by slicing, only that its first row and column move by the frame's width.",
        "For each scale: side = size * 2**scale; cut side x side pixels; then the mean of every 2**scale x 2**scale "
        "of them, `torch.nn.functional.avg_pool2d`, which wants an axis more in front. Stack the scales.",
    ),
    solution=glimpse,
    spec=specs.retina,
    inputs=lambda: [(_picture(11, 13), (0.31, -0.17), 3, 3), (_picture(17, 12), (0.21, 0.68), 4, 2)],
    edges=lambda: [(_picture(5, 7), (1.0, -1.0), 2, 2), (_picture(8, 8), (0.0, 0.0), 8, 1)],
    mistakes=(
        Mistake(
            "across and down are exchanged: place[0] goes with the width, place[1] with the height",
            lambda picture, place, size, scales: glimpse(picture, place[::-1], size, scales),
        ),
        Mistake(
            "places were read as if 0 were the left edge: they run from -1 to 1, so the middle in pixels is "
            "(place + 1) / 2 times the width or height",
            lambda picture, place, size, scales: glimpse(picture, [2 * x - 1 for x in place], size, scales),
        ),
        Mistake(
            "1 was taken for the last pixel, width - 1 or height - 1: it is the right or lower edge, at the whole "
            "width or height",
            lambda picture, place, size, scales: glimpse(
                picture, _measured(picture, place, [end - 1 for end in picture.T.shape]), size, scales
            ),
        ),
        Mistake(
            "width and height are exchanged: `picture.shape` is height, width; across goes with the width",
            lambda picture, place, size, scales: glimpse(
                picture, _measured(picture, place, picture.shape), size, scales
            ),
        ),
        Mistake(
            "up and down are exchanged: -1 is the upper edge, and rows are counted from there",
            lambda picture, place, size, scales: glimpse(picture, [place[0], -place[1]], size, scales),
        ),
        Mistake(
            "the place was turned into pixels of the framed picture: it is a place of the picture itself, then add the "
            "width of the frame",
            _in_the_frame,
        ),
        Mistake(
            "the first pixel was rounded down, or the middle before it: take the pixel nearest to the middle minus "
            "half the width, `round`",
            _from(lambda middle, side: floor(middle - side / 2)),
        ),
        Mistake(
            "the first pixel was cut down to a whole one, as `int` does: take the nearest one, `round`",
            _from(lambda middle, side: int(middle - side / 2)),
        ),
        Mistake(
            "the middle was rounded first: only the first pixel is a whole one, the middle minus half the width, to "
            "the nearest",
            _from(lambda middle, side: round(middle) - side // 2),
        ),
        Mistake(
            "the place is where your squares begin: it is their middle, so go back by half a width",
            lambda picture, place, size, scales: _scales(
                scales,
                lambda k: _pooled(
                    _square(
                        picture,
                        [x + size * 2**k / end for x, end in zip(place, picture.T.shape, strict=True)],
                        size * 2**k,
                    ),
                    2**k,
                ),
            ),
        ),
        Mistake(
            "the coarse squares show every second pixel, or every fourth: a blur is the mean of all of them",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _square(picture, place, size * 2**k)[:: 2**k, :: 2**k]
            ),
        ),
        Mistake(
            "the largest of each block was taken, not the mean",
            lambda picture, place, size, scales: _scales(
                scales,
                lambda k: torch.nn.functional.max_pool2d(_square(picture, place, size * 2**k)[None], 2**k)[0],
            ),
        ),
        Mistake(
            "the pixels of each block are summed, not averaged: coarse squares get four times as dark a scale",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: 4**k * _pooled(_square(picture, place, size * 2**k), 2**k)
            ),
        ),
        Mistake(
            "every scale shows the same square: scale k is 2**k times as wide",
            lambda picture, place, size, scales: _scales(scales, lambda k: _square(picture, place, size)),
        ),
        Mistake(
            "the squares grow by one width a scale: each is twice as wide as the one before, 2**scale",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _pooled(_square(picture, place, size * (k + 1)), k + 1)
            ),
        ),
        Mistake(
            "the squares begin with the widest: scale 0 is the sharp one",
            lambda picture, place, size, scales: glimpse(picture, place, size, scales).flip(0),
        ),
        Mistake(
            "outside the picture the pixels of its edge are repeated: nothing is there, so it counts as 0",
            lambda picture, place, size, scales: _scales(
                scales, lambda k: _pooled(_square(picture, place, size * 2**k, "replicate"), 2**k)
            ),
        ),
        Mistake(
            "squares that reach over the edge were pushed back inside: the model would see another place than the one "
            "it is told it looks at",
            _inside,
        ),
    ),
)


# 14.draw --------------------------------------------------------------------------------------------------------------

Draw = Callable[[], Tensor]


def draw(mean: Tensor, noise: float, randn: Draw) -> Tensor:
    """The solution."""
    place = (mean + noise * randn()).detach()
    return _beside(place, _log_p(place, mean, noise))


def draw_spec(mean: Tensor, noise: float, randn: Draw) -> Tensor:
    """The same, one place after the other."""
    rows = []
    for centre, epsilon in zip(mean, randn(), strict=True):
        place = (centre + noise * epsilon).detach()
        rows.append(torch.cat([place, specs.log_density(place, centre, noise)[None]]))
    return torch.stack(rows)


def _beside(place: Tensor, log_p: Tensor) -> Tensor:
    return torch.cat([place, log_p.unsqueeze(1)], dim=1)


def _log_p(place: Tensor, mean: Tensor, noise: float) -> Tensor:
    return -(place - mean).square().sum(1) / (2 * noise**2) - log(2 * pi * noise**2)


def _drawn(mean: Tensor, noise: float, randn: Draw, log_p: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """The right place, beside another ln p of it."""
    place = (mean + noise * randn()).detach()
    return _beside(place, log_p(place, mean))


def _elsewhere(mean: Tensor, noise: float, place: Tensor) -> Tensor:
    return _beside(place.detach(), _log_p(place.detach(), mean, noise))


def _another_draw(result: Tensor, mean: Tensor, noise: float, randn: Draw) -> str | None:
    """A diagnosis: ln p fits the place, but it was not drawn with `randn`."""
    place, log_p = result[:, :2], result[:, 2]
    drawn = torch.isclose(place, mean + noise * randn(), atol=1e-4).any()
    if drawn or not torch.allclose(log_p, _log_p(place, mean, noise), atol=1e-3):
        return None
    return "ln p fits your places, but they were not drawn with `randn()`: take epsilon from the function that is given"


def _means(batch: int) -> tuple:
    chance = torch.Generator().manual_seed(batch)
    mean, epsilon = torch.rand(batch, 2, generator=chance) - 0.5, torch.randn(batch, 2, generator=chance)
    return mean, 0.1 + batch / 20, epsilon.clone


DRAW = Exercise(
    name="14.draw",
    title="A place that is drawn, and what may learn from it",
    statement="""Draw a place around each mean and return it beside ln p of having drawn it: [batch, 3], which are
across, down and ln p in nats.

place = mean + noise * epsilon, with epsilon = randn(). Its density is that of a normal distribution around the mean
with standard deviation `noise` on both axes, which are independent. Nothing is cut off at the edges here.

The policy learns from ln p alone. So the gradient must be right, too: what pulls the mean towards the place, and what
must not?

mean [batch, 2]; noise a number above 0; randn() gives standard normal numbers [batch, 2].""",
    axes="[batch, 3]",
    stub="""def draw(mean, noise, randn):
    ...
""",
    hints=(
        "ln of a normal density is -distance² / (2 noise²) - ln(noise √(2π)) on each axis. Two independent axes add.",
        "REINFORCE asks: where must the mean move to make this place likelier? The place stays where it is. If it "
        "moves along with the mean, their distance never changes.",
        "Exactly one thing is detached, the place, and before ln p is computed from it. The mean in ln p is not.",
    ),
    solution=draw,
    spec=draw_spec,
    inputs=lambda: [_means(5), _means(7)],
    edges=lambda: [_means(2), _means(11)],
    diagnoses=(_another_draw,),
    mistakes=(
        Mistake(
            "no gradient reaches `mean`. Either the mean was detached along with the place, or ln p was computed from "
            "a place that moves along with the mean. The gaze would stay where it began, and nobody would notice: "
            "what sees and remembers still learns",
            lambda mean, noise, randn: draw(mean.detach(), noise, randn),
        ),
        Mistake(
            "the place is still attached to the mean: ln p then has no gradient, for both move together, and the "
            "classifier's loss moves the gaze through the place; detach what was drawn",
            lambda mean, noise, randn: (lambda place: _beside(place, _log_p(place, mean, noise)))(
                mean + noise * randn()
            ),
        ),
        Mistake(
            "ln p is right, but the place that you return is still attached to the mean: the classifier's gradient "
            "leaks into the policy; return the detached one",
            lambda mean, noise, randn: _beside(mean + noise * randn(), draw(mean, noise, randn)[:, 2]),
        ),
        Mistake(
            "the mean in ln p is detached and the place is not: the pull has the wrong sign, and the classifier moves "
            "the gaze; exchange the two",
            lambda mean, noise, randn: (lambda place: _beside(place, _log_p(place, mean.detach(), noise)))(
                mean + noise * randn()
            ),
        ),
        Mistake(
            "the constant of the density is missing: subtract ln(2π noise²), so that it is ln p itself",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: -(place - m).square().sum(1) / (2 * noise**2)
            ),
        ),
        Mistake(
            "the constant was subtracted for one axis only: there are two, ln(2π noise²) in all",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: _log_p(place, m, noise) + log(2 * pi * noise**2) / 2
            ),
        ),
        Mistake(
            "divided by 2 noise: it is 2 noise²",
            lambda mean, noise, randn: _drawn(
                mean,
                noise,
                randn,
                lambda place, m: -(place - m).square().sum(1) / (2 * noise) - log(2 * pi * noise**2),
            ),
        ),
        Mistake(
            "divided by noise²: it is 2 noise²",
            lambda mean, noise, randn: _drawn(
                mean,
                noise,
                randn,
                lambda place, m: -(place - m).square().sum(1) / noise**2 - log(2 * pi * noise**2),
            ),
        ),
        Mistake(
            "the density was that of a standard deviation of noise²: `noise` is the standard deviation, which is what "
            "`torch.distributions.Normal` wants, too",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise**2)),
        ),
        Mistake(
            "that is ln p of epsilon, which is spread by 1: the place is spread by `noise`, and only its ln p depends "
            "on the mean",
            lambda mean, noise, randn: _drawn(
                mean, noise, randn, lambda place, m: _log_p((place - m) / noise, 0 * m, 1.0)
            ),
        ),
        Mistake(
            "averaged over the two axes: independent axes add up, ln p is a sum",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise) / 2),
        ),
        Mistake(
            "the sign is wrong: that is -ln p",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: -_log_p(place, m, noise)),
        ),
        Mistake(
            "that is p, not ln p",
            lambda mean, noise, randn: _drawn(mean, noise, randn, lambda place, m: _log_p(place, m, noise).exp()),
        ),
        Mistake(
            "epsilon was not scaled: the place is mean + noise * epsilon",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean + randn()),
        ),
        Mistake(
            "epsilon was scaled by noise²: `noise` is the standard deviation",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean + noise**2 * randn()),
        ),
        Mistake(
            "places beyond -1 and 1 were brought back to the edge: nothing is cut off here, and ln p is of the place "
            "that was drawn",
            lambda mean, noise, randn: _elsewhere(mean, noise, (mean + noise * randn()).clamp(-1, 1)),
        ),
        Mistake(
            "nothing was drawn: the place is the mean itself, so no place is ever tried out",
            lambda mean, noise, randn: _elsewhere(mean, noise, mean),
        ),
    ),
)


# 14.policy_loss -------------------------------------------------------------------------------------------------------


def policy_loss(log_probability: Tensor, logits: Tensor, labels: Tensor, baselines: Tensor) -> Tensor:
    """The solution."""
    reward = _reward(logits, labels).detach()
    advantage = (reward - baselines).detach()
    return -(advantage * log_probability).sum(1) + (baselines - reward).square().mean(1)


def policy_loss_spec(log_probability: Tensor, logits: Tensor, labels: Tensor, baselines: Tensor) -> Tensor:
    """The same, picture by picture and glimpse by glimpse."""
    losses = []
    for row, label in enumerate(labels.tolist()):
        reward = (logits[row, label] - logits[row].exp().sum().log()).item()
        loss = torch.zeros(())
        for glimpse in range(baselines.shape[1]):
            advantage = reward - baselines[row, glimpse].item()
            error = (baselines[row, glimpse] - reward) ** 2
            loss = loss - advantage * log_probability[row, glimpse] + error / baselines.shape[1]
        losses.append(loss)
    return torch.stack(losses)


def _reward(logits: Tensor, labels: Tensor) -> Tensor:
    """[batch, 1], ln p of the right class."""
    return logits.log_softmax(1).gather(1, labels.unsqueeze(1))


def _two(advantage: Tensor, log_probability: Tensor, error: Tensor) -> Tensor:
    """The loss of these advantages, and of these errors of the baseline."""
    return -(advantage * log_probability).sum(1) + error.square().mean(1)


def _answers(batch: int, glimpses: int, classes: int) -> tuple:
    chance = torch.Generator().manual_seed(batch)
    log_probability, baselines = torch.randn(2, batch, glimpses, generator=chance)
    logits = torch.randn(batch, classes, generator=chance)
    return log_probability, logits, torch.randint(classes, (batch,), generator=chance), baselines


POLICY_LOSS = Exercise(
    name="14.policy_loss",
    title="What moves the gaze, and nothing else",
    statement="""Return the loss of the gaze policy for each picture, [batch].

The reward of a picture is ln p of its right class, and every one of its glimpses gets it. Two terms:

- REINFORCE: minus the sum over the glimpses of (reward - baseline) * log_probability;
- the baseline's own lesson: the mean over the glimpses of (baseline - reward)².

What sees and remembers is trained by a cross-entropy that somebody else adds. So this loss must leave the classifier
alone, and each of its terms must move only what it is for.

log_probability [batch, glimpses]; logits [batch, classes], of the last answer; labels [batch]; baselines
[batch, glimpses].""",
    axes="[batch]",
    stub="""def policy_loss(log_probability, logits, labels, baselines):
    ...
""",
    hints=(
        "Write the two terms down first. `logits.log_softmax(1).gather(1, labels.unsqueeze(1))` is [batch, 1], and "
        "broadcasts over the glimpses.",
        "For each of the three, ask which term may move it: log_probability, logits, baselines.",
        "The reward is a constant in both terms. The baseline is a constant in the first and learns in the second.",
    ),
    solution=policy_loss,
    spec=policy_loss_spec,
    inputs=lambda: [_answers(5, 3, 4), _answers(3, 2, 7)],
    edges=lambda: [_answers(2, 1, 3), _answers(7, 4, 10)],
    mistakes=(
        Mistake(
            "a gradient reaches the logits: the policy's loss then trains the classifier, whichever way the draws "
            "point; detach the reward",
            lambda log_probability, logits, labels, baselines: _two(
                _reward(logits, labels) - baselines.detach(), log_probability, baselines - _reward(logits, labels)
            ),
        ),
        Mistake(
            "a gradient reaches the logits through the first term: the reward is a constant there, too",
            lambda log_probability, logits, labels, baselines: _two(
                _reward(logits, labels) - baselines.detach(),
                log_probability,
                baselines - _reward(logits, labels).detach(),
            ),
        ),
        Mistake(
            "a gradient reaches the logits through the second term: the classifier would learn to give the reward "
            "that the baseline expects",
            lambda log_probability, logits, labels, baselines: _two(
                (_reward(logits, labels) - baselines).detach(), log_probability, baselines - _reward(logits, labels)
            ),
        ),
        Mistake(
            "the baseline learns from the first term: it would move with ln p and not towards the reward; detach it "
            "there",
            lambda log_probability, logits, labels, baselines: _two(
                _reward(logits, labels).detach() - baselines,
                log_probability,
                baselines - _reward(logits, labels).detach(),
            ),
        ),
        Mistake(
            "nothing is detached: the classifier and the baseline both learn from REINFORCE's term",
            lambda log_probability, logits, labels, baselines: _two(
                _reward(logits, labels) - baselines, log_probability, baselines - _reward(logits, labels)
            ),
        ),
        Mistake(
            "the baseline never learns: in the second term it must not be detached",
            lambda log_probability, logits, labels, baselines: policy_loss(
                log_probability, logits, labels, baselines.detach()
            ),
        ),
        Mistake(
            "the sign of the first term is wrong: a loss is made small, so what earned more than expected must become "
            "likelier by minus advantage times ln p",
            lambda log_probability, logits, labels, baselines: policy_loss(-log_probability, logits, labels, baselines),
        ),
        Mistake(
            "the baseline was added to the reward: it is what was expected, so subtract it",
            lambda log_probability, logits, labels, baselines: _two(
                (_reward(logits, labels) + baselines).detach(),
                log_probability,
                baselines - _reward(logits, labels).detach(),
            ),
        ),
        Mistake(
            "the first term has no baseline: right on average, but it scatters more",
            lambda log_probability, logits, labels, baselines: _two(
                _reward(logits, labels).detach(), log_probability, baselines - _reward(logits, labels).detach()
            ),
        ),
        Mistake(
            "the second term is missing: then nothing teaches the baseline",
            lambda log_probability, logits, labels, baselines: _two(
                (_reward(logits, labels) - baselines).detach(), log_probability, 0 * baselines
            ),
        ),
        Mistake(
            "the first term is missing: then nothing moves the gaze",
            lambda log_probability, logits, labels, baselines: policy_loss(
                0 * log_probability, logits, labels, baselines
            ),
        ),
        Mistake(
            "REINFORCE was averaged over the glimpses: ln p of a whole path is the sum of those of its glimpses",
            lambda log_probability, logits, labels, baselines: policy_loss(
                log_probability / baselines.shape[1], logits, labels, baselines
            ),
        ),
        Mistake(
            "the baseline's errors are summed over the glimpses: take their mean",
            lambda log_probability, logits, labels, baselines: _two(
                (_reward(logits, labels) - baselines).detach(),
                log_probability,
                (baselines - _reward(logits, labels).detach()) * baselines.shape[1] ** 0.5,
            ),
        ),
        Mistake(
            "the second term was subtracted: the baseline comes closer to the reward where its squared error is made "
            "small, so add it",
            lambda log_probability, logits, labels, baselines: (
                _two((_reward(logits, labels) - baselines).detach(), log_probability, 0 * baselines)
                - (baselines - _reward(logits, labels).detach()).square().mean(1)
            ),
        ),
        Mistake(
            "the cross-entropy was added: somebody else does that, here are the two terms of the policy alone",
            lambda log_probability, logits, labels, baselines: (
                policy_loss(log_probability, logits, labels, baselines) - _reward(logits, labels).squeeze(1)
            ),
        ),
        Mistake(
            "the reward is the logit of the right class: take its ln p, `log_softmax` comes first",
            lambda log_probability, logits, labels, baselines: (
                lambda reward: _two((reward - baselines).detach(), log_probability, baselines - reward)
            )(logits.gather(1, labels.unsqueeze(1)).detach()),
        ),
        Mistake(
            "the reward is p of the right class: take ln p",
            lambda log_probability, logits, labels, baselines: (
                lambda reward: _two((reward - baselines).detach(), log_probability, baselines - reward)
            )(_reward(logits, labels).exp().detach()),
        ),
        Mistake(
            "the reward has the wrong sign: that is the cross-entropy, which is large for bad answers",
            lambda log_probability, logits, labels, baselines: (
                lambda reward: _two((reward - baselines).detach(), log_probability, baselines - reward)
            )(-_reward(logits, labels).detach()),
        ),
        Mistake(
            "the reward is 1 or 0: here it is ln p of the right class, which also says how nearly right it was",
            lambda log_probability, logits, labels, baselines: (
                lambda reward: _two((reward - baselines).detach(), log_probability, baselines - reward)
            )((logits.argmax(1) == labels).float().unsqueeze(1)),
        ),
    ),
)

EXERCISES = (GLIMPSE, DRAW, POLICY_LOSS)
