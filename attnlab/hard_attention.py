"""Hard attention: each query looks at one key, drawn from the softmax, or at the likeliest one once it is trained.

    seen = attend(query, key, value, score, mask, weigh=sampled(generator))
    ...                                                      # how well did it go? One reward for each query
    loss = surrogate(seen.scores, seen.weights, reward, baseline, mask)
    baseline = moving_average(baseline, reward)

A draw has no gradient, so the scores learn from `surrogate`: choices that went better than the baseline become
likelier, the others less likely. Add it to the loss of the rest of the model, which learns as always. With a
temperature in `attend`, give the functions below `scores / temperature`.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.attention import Weigh, check_mask
from attnlab.checks import Share, checked


@checked
def sampled(generator: torch.Generator | None = None) -> Weigh:
    """A `weigh` for `attend` that draws one key for each query, each with the probability that the softmax gives it.

    Weights are 1 for the key drawn and 0 for the others; a query with nothing to attend to draws nothing.
    generator: the same seed draws the same keys, on every device if the generator is one of the CPU.

    **Source:** Xu et al. 2015, "Show, Attend and Tell", section 4.1. The largest of score + Gumbel noise is a draw from
    the softmax of the scores: Gumbel 1954; Maddison, Tarlow and Minka 2014, "A* Sampling", section 2.
    **Names:** s_t -> weights, alpha -> the softmax of the scores.
    """

    def weigh(
        scores: Float[Tensor, "*batch queries keys"], allowed: Bool[Tensor, "*batch queries keys"]
    ) -> Float[Tensor, "*batch queries keys"]:
        drawn_on = scores.device if generator is None else generator.device
        noise = torch.empty(scores.shape, dtype=torch.float32, device=drawn_on).exponential_(generator=generator)
        return argmax(scores - noise.log().to(scores.device), allowed).to(scores.dtype)

    return weigh


@checked
def argmax(
    scores: Float[Tensor, "*batch queries keys"], allowed: Bool[Tensor, "*batch queries keys"]
) -> Float[Tensor, "*batch queries keys"]:
    """A `weigh` for `attend`: weight 1 for the allowed key of the highest score, 0 for the others.

    One of those that share the highest score gets it. A query with nothing to attend to gets weights 0.
    """
    weights = torch.zeros_like(scores)
    if not scores.shape[-1]:
        return weights
    highest = scores.masked_fill(~allowed, -torch.inf).argmax(dim=-1, keepdim=True)
    return weights.scatter(-1, highest, 1.0).masked_fill(~allowed, 0.0)


@checked
def surrogate(
    scores: Float[Tensor, "*batch queries keys"],
    weights: Float[Tensor, "*batch queries keys"],
    reward: Float[Tensor, "..."],
    baseline: int | float | Float[Tensor, "..."] = 0.0,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, ""]:
    """-sum of (reward - baseline) ln p(choice) over all queries: a loss whose gradient is REINFORCE.

    On average over the draws its gradient is that of -E[reward], although no gradient flows through a draw.
    weights: what `sampled` chose. reward: [..., queries], what each choice led to: all of the outcome that it had an
    influence on. One reward for a whole sentence has the shape [..., 1]. It counts as a constant.
    baseline: what is expected of the reward. It may not depend on the choices that it is subtracted from; then it
    changes nothing on average, and the closer it is to the reward, the less the gradient varies.

    The number itself means nothing, and is a sum: divide it by the number of sentences for a mean over the batch.
    Raises ValueError when shapes do not fit and when weights do not choose one allowed key or none for each query.

    **Source:** Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement
    Learning", theorem 1; Xu et al. 2015, section 4.1. **Names:** log p(y | s, a) -> reward, b -> baseline,
    log p(s | a) -> `log_probability`; the factor lambda_r is left to whoever adds up the losses.
    """
    return reinforce(log_probability(scores, weights, mask), reward, baseline)


@checked
def reinforce(
    log_probability: Float[Tensor, "..."],
    reward: Float[Tensor, "..."],
    baseline: int | float | Float[Tensor, "..."] = 0.0,
) -> Float[Tensor, ""]:
    """-sum of (reward - baseline) ln p(choice), for choices of any kind: keys, or places in a picture.

    log_probability: ln p of each choice, in nats, with a gradient to what it was drawn from and none through the choice
    itself. reward, baseline: see `surrogate`; each for every choice, or 1 in place of an axis for all along it.
    Raises ValueError when shapes do not fit.

    **Source:** Williams 1992, theorem 1.
    """
    for name, part in [("reward", reward), ("baseline", baseline)]:
        _check_fits(name, torch.as_tensor(part), log_probability.shape)
    advantage = (reward - baseline).detach()
    return -(advantage * log_probability).sum()


@checked
def log_probability(
    scores: Float[Tensor, "*batch queries keys"],
    weights: Float[Tensor, "*batch queries keys"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch queries"]:
    """ln of the probability with which the softmax draws the choice in `weights`, in nats; 0 where nothing is chosen.

    Raises ValueError when shapes do not fit and when weights do not choose one allowed key or none for each query.
    """
    allowed = _allowed(scores, mask)
    _check_choice(weights, allowed)
    return (weights * _log_softmax(scores, allowed)).sum(dim=-1)


@checked
def entropy(
    scores: Float[Tensor, "*batch queries keys"], mask: Bool[Tensor, "..."] | None = None
) -> Float[Tensor, "*batch queries"]:
    """How undecided the softmax of the scores is, in nats: 0 for one certain key, ln n for n keys that are equal.

    Subtracted from the loss with a small factor, it keeps the draws from settling too early.

    **Source:** Xu et al. 2015, section 4.1. **Names:** H[s] -> entropy.
    """
    logs = _log_softmax(scores, _allowed(scores, mask))
    return -(logs.exp() * logs).sum(dim=-1)


@checked
def moving_average(
    average: int | float | Float[Tensor, ""], reward: Float[Tensor, "..."], keep: Share = 0.9
) -> Float[Tensor, ""]:
    """keep average + (1 - keep) mean(reward): the baseline for the next batch, from the rewards of this one.

    Subtract the old average from these rewards, not the new one, which depends on them.

    **Source:** Xu et al. 2015, section 4.1, with 0.9. **Names:** b_k -> what is returned, b_{k-1} -> average.
    """
    if not reward.numel():
        raise ValueError(f"expected at least one reward, got shape {list(reward.shape)}")
    return keep * average + (1 - keep) * reward.detach().mean()


def _allowed(scores: Tensor, mask: Tensor | None) -> Tensor:
    finite = scores > -torch.inf
    if mask is None:
        return finite
    check_mask(mask, scores)
    return finite & mask


def _log_softmax(scores: Tensor, allowed: Tensor) -> Tensor:
    """ln of `masked_softmax`, also where a weight is too small for a number; 0 where a key is not allowed."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~allowed, lowest).log_softmax(dim=-1).masked_fill(~allowed, 0.0)


def _check_choice(weights: Tensor, allowed: Tensor) -> None:
    if weights.shape != allowed.shape:
        raise ValueError(
            f"expected weights of the shape of the scores, {list(allowed.shape)}, got {list(weights.shape)}"
        )
    if bool((weights.bool() & ~allowed).any()):
        raise ValueError("expected a choice among the allowed keys, got one that the mask forbids")
    if bool(((weights != 0) & (weights != 1)).any() or (weights.sum(dim=-1) > 1).any()):
        raise ValueError(
            "expected weights that are 1 for at most one key of each query and 0 for the others, "
            f"got a row with the sum {weights.sum(dim=-1).max().item():.6g} "
            f"and the largest weight {weights.max().item():.6g}"
        )


def _check_fits(name: str, part: Tensor, shape: torch.Size) -> None:
    fits = part.ndim in (0, len(shape)) and all(
        size in (1, wanted) for size, wanted in zip(part.shape, shape, strict=False)
    )
    if not fits:
        raise ValueError(
            f"expected a {name} for each choice, {list(shape)}, or 1 in place of an axis for all along it, "
            f"got {list(part.shape)}"
        )
