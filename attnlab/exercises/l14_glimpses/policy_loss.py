"""Exercise 14.policy_loss: what moves the gaze, and nothing else."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


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
