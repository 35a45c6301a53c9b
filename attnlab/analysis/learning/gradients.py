"""Gradients that reach what lies before the loss: inputs of a recurrent network, scores of attention, blocks."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.checks import Positive, checked
from attnlab.seq2seq import Encoder


@checked
def scale_recurrence(encoder: Encoder, gain: int | float = 1.0, keep: int | float = 0.0) -> Encoder:
    """The same encoder, changed in place: recurrent weights times `gain`, the gate that keeps the memory opened by
    `keep`.

    The gate is the forget gate of an LSTM and the update gate of a GRU, and `keep` is added to its bias, before the
    sigmoid. A plain RNN has no gate, so `keep` changes nothing there. Only the direction that reads forwards changes.
    Raises ValueError when `gain` or `keep` is not finite.

    **Source:** Gers, Schmidhuber and Cummins 2000, "Learning to Forget"; Jozefowicz, Zaremba and Sutskever 2015, "An
    Empirical Exploration of Recurrent Network Architectures", section 2.2, for the bias of the forget gate.
    """
    if not (abs(gain) < torch.inf and abs(keep) < torch.inf):
        raise ValueError(f"expected a finite gain and a finite keep, got {gain} and {keep}")
    layer = encoder.recurrent
    with torch.no_grad():
        layer.get_parameter("weight_hh_l0").mul_(gain)
        if layer.mode != "RNN_TANH":  # torch keeps the gates one after the other; this one is the second in both
            layer.get_parameter("bias_hh_l0")[layer.hidden_size : 2 * layer.hidden_size] += keep
    return encoder


@checked
def gradient_through_time(
    encoder: Encoder, source: Int[Tensor, "batch inputs"], direction: Float[Tensor, " hidden"]
) -> Float[Tensor, " inputs"]:
    """How much of the gradient of the last state is left at every input, the last input first.

    What is differentiated is `direction` · last state. The norm of its gradient at an input's vector, averaged over the
    sources, is divided by the one at the last input: the first number is 1, and one of 0.001 says that a step of
    learning moves what that input does a thousand times less.
    source: token ids, all of full length. Raises ValueError for a direction that is not of the size of a state, and for
    sources that the encoder refuses.

    **Source:** Bengio, Simard and Frasconi 1994, "Learning Long-Term Dependencies with Gradient Descent is Difficult";
    Pascanu, Mikolov and Bengio 2013, "On the Difficulty of Training Recurrent Neural Networks", section 2.
    """
    if direction.shape[0] != encoder.dim:
        raise ValueError(f"expected a direction of {encoder.dim} numbers, got {direction.shape[0]}")
    with torch.enable_grad():
        inputs = encoder.embed(source).detach().requires_grad_()
        states = encoder.read(inputs, torch.full((len(source),), source.shape[1])).keys
        (gradient,) = torch.autograd.grad((states[:, -1] @ direction).sum(), inputs)
    norms = gradient.norm(dim=-1).mean(dim=0).flip(0)
    return norms / norms[0]


@checked
def gradient_by_distance(
    layer: Callable[[Tensor], Tensor], inputs: Float[Tensor, "batch tokens dim"]
) -> Float[Tensor, " distances"]:
    """How strongly each input reaches the last output, one step back first; the largest is 1.

    layer: [batch, tokens, dim] to outputs of as many tokens. What is differentiated is a random direction of the last
    output; the norm of its gradient at each input is averaged over the batch. The last input itself is left out.
    Raises ValueError for fewer than two tokens, and where no earlier input reaches the last output.
    """
    if inputs.shape[1] < 2:
        raise ValueError(f"expected two tokens or more, got {inputs.shape[1]}")
    with torch.enable_grad():
        inputs = inputs.detach().requires_grad_()
        last = layer(inputs)[:, -1]
        (gradient,) = torch.autograd.grad(last, inputs, torch.randn_like(last))
    size = gradient.norm(dim=-1).mean(dim=0)[:-1]
    if not size.any():
        raise ValueError("expected a layer in which earlier inputs reach the last output; here none of them does")
    return (size / size.max()).flip(0)


@checked
def push_on_scores(
    logits: Float[Tensor, "*batch classes"], targets: Int[Tensor, "*batch"], scores: Float[Tensor, "..."]
) -> Float[Tensor, "..."]:
    """Where the loss pushes each score: minus its gradient, of the shape of `scores`. Above 0: it should be higher.

    The loss is the cross-entropy, summed over all answers, in nats. logits: computed from `scores`, with a gradient.
    Raises ValueError when they were not, and when there is not one target for each answer.

    **Source:** Bahdanau, Cho and Bengio 2015, section 3.1: "The alignment model directly computes a soft alignment,
    which allows the gradient of the cost function to be backpropagated through." **Names:** e_ij -> scores.
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"expected a target for each answer, {list(logits.shape[:-1])}, got {list(targets.shape)}")
    if not (scores.requires_grad and logits.requires_grad):
        raise ValueError("expected logits that were computed from the scores with a gradient, got some without one")
    loss = cross_entropy(logits.flatten(0, -2), targets.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, scores, retain_graph=True, allow_unused=True)
    if gradient is None:
        raise ValueError("expected logits that were computed from these scores, got some that do not depend on them")
    return -gradient


@checked
def share_without_push(
    push: Float[Tensor, "*batch keys"], chosen: Bool[Tensor, "*batch"], faint: Positive = 0.05
) -> float:
    """Of the rows that are chosen, the share in which no score is pushed by as much as `faint`; 0 where none is chosen.

    push: of `push_on_scores`.
    """
    stuck = push.abs().amax(dim=-1)[chosen] < faint
    return float(stuck.float().mean()) if len(stuck) else 0.0


@checked
def block_gradients(
    model: nn.Module, inputs: Int[Tensor, "batch tokens"], targets: Int[Tensor, "batch tokens"]
) -> Float[Tensor, " blocks"]:
    """How much of the loss each block of a model hears, the first block first: the norm of a gradient.

    The loss is the mean cross-entropy of all answers, in nats; the gradient is that of the last matrix of each block's
    feed-forward network. model: from token ids to logits [batch, tokens, classes], with `blocks` that each have a
    `FeedForward`, such as `EncoderBlock`. Its parameters and their gradients are left as they are.
    Raises ValueError for a model without such blocks, and when there is not one target for each answer.

    **Source:** Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", section 3 and figure 3.
    **Names:** W^{2,l} -> `feed_forward.contract` of block l.
    """
    blocks = list(getattr(model, "blocks", []))
    matrices = [block.feed_forward.contract.weight for block in blocks if hasattr(block, "feed_forward")]
    if not blocks or len(matrices) < len(blocks):
        raise ValueError(
            f"expected a model of blocks with a feed-forward network each, got a {type(model).__name__} "
            f"with {len(matrices)} of them in {len(blocks)} blocks"
        )
    with torch.enable_grad():
        logits = model(inputs)
        if logits.shape[:-1] != targets.shape:
            raise ValueError(f"expected a target for each answer, {list(logits.shape[:-1])}, got {list(targets.shape)}")
        gradients = torch.autograd.grad(cross_entropy(logits.flatten(0, -2), targets.flatten()), matrices)
    return torch.stack([gradient.norm() for gradient in gradients])
