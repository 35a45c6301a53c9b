"""Which atom of the precursors became which atom of the product? What a head's weights say, against what is known."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.checks import checked
from attnlab.tasks.reactions import Equation, Reaction, encode, equation
from attnlab.trace import record
from attnlab.transformer import MaskedEncoder


@checked
@torch.no_grad()
def weights_of_passes(
    model: MaskedEncoder, tokens: Int[Tensor, "1 tokens"]
) -> Float[Tensor, "passes heads tokens tokens"]:
    """The weights of every head in every attention, in the order of their calls. One block that is used twelve times
    makes twelve passes."""
    with record(model.encoder) as trace:
        model.encoder(tokens)
    return torch.stack([call.weights[0] for name in trace.names for call in trace[name]])


@checked
def atom_weights(
    weights: Float[Tensor, "*batch tokens tokens"], read: Equation
) -> Float[Tensor, "*batch product precursors"]:
    """What is left of them when only atoms of the product ask and only atoms of the precursors answer.

    The rows sum to less than 1: the rest went to brackets and bonds, to the product, and to the first and last token.
    Raises ValueError for weights of another reaction.
    """
    if weights.shape[-1] != len(read.tokens):
        raise ValueError(f"expected weights of {len(read.tokens)} tokens, got {weights.shape[-1]}")
    return weights[..., read.rows, :][..., read.columns]


@checked
def likeliest_sources(weights: Float[Tensor, "*batch product precursors"]) -> Int[Tensor, "*batch product"]:
    """For each atom of the product the atom of the precursors that it weighs most.

    **Source:** Schwaller et al. 2021, "Extraction of organic chemistry grammar from unsupervised learning of chemical
    reactions", whose authors also add the weights of the way back and let neighbours help.
    """
    return weights.argmax(-1)


@checked
def right_sources(found: Int[Tensor, "*batch product"], reaction: Reaction) -> Bool[Tensor, "*batch product"]:
    """Whether each is the atom that the product's atom was, or one that cannot be told from it.

    Raises ValueError for sources of another reaction.
    """
    alike, sources = torch.tensor(reaction.alike), torch.tensor(reaction.sources)
    if found.shape[-1] != len(sources):
        raise ValueError(f"expected a source for each of {len(sources)} atoms, got {found.shape[-1]}")
    if found.numel() and not (int(found.min()) >= 0 and int(found.max()) < len(alike)):
        raise ValueError(f"expected sources from 0 to {len(alike) - 1}, got {found.min()} to {found.max()}")
    return alike[found] == alike[sources]


class MappingAccuracy(NamedTuple):
    """right: how many atoms of each reaction's product every head of every pass finds. atoms: how many there are."""

    right: Int[Tensor, "reactions passes heads"]
    atoms: Int[Tensor, " reactions"]

    @property
    def share(self) -> Float[Tensor, "passes heads"]:
        """Of all atoms of all reactions."""
        return self.right.sum(0) / self.atoms.sum()


@checked
def mapping_accuracy(model: MaskedEncoder, vocabulary: Sequence[str], reactions: Sequence[Reaction]) -> MappingAccuracy:
    """How often a product's atom weighs the atom most that it was, for all heads. Raises ValueError for no reaction."""
    if not reactions:
        raise ValueError("expected at least one reaction, got none")
    right = []
    for reaction in reactions:
        read = equation(reaction.text)
        weights = weights_of_passes(model, encode(read.tokens, vocabulary))
        right.append(right_sources(likeliest_sources(atom_weights(weights, read)), reaction).sum(-1))
    return MappingAccuracy(torch.stack(right), torch.tensor([len(reaction.sources) for reaction in reactions]))


class WithoutModel(NamedTuple):
    """The shares of right sources that one finds without any model, over all atoms of all products.

    any_atom: any atom of the precursors, drawn. same_element: any of the same element. first: the first of the same
    element, in the order of the line.
    """

    any_atom: float
    same_element: float
    first: float


@checked
def without_model(reactions: Sequence[Reaction]) -> WithoutModel:
    """What chance and a simple rule come to. Raises ValueError for no reaction."""
    if not reactions:
        raise ValueError("expected at least one reaction, got none")
    found = []
    for reaction in reactions:
        read, alike = equation(reaction.text), reaction.alike
        for element, source in zip(read.product.elements, reaction.sources, strict=True):
            right = [each == alike[source] for each in alike]
            same = [good for good, other in zip(right, read.precursors.elements, strict=True) if other == element]
            found.append([sum(right) / len(right), sum(same) / len(same), float(same[0])])
    return WithoutModel(*torch.tensor(found).mean(0).tolist())


@checked
def where_it_goes(weights: Float[Tensor, "*batch tokens tokens"], read: Equation) -> dict[str, Float[Tensor, "*batch"]]:
    """The share of their weight that the product's atoms have on the precursors' atoms, on their other signs, on the
    product, and on the first token, which stands for nothing. The last token and >> have the rest.
    """
    mine = weights[..., read.rows, :].mean(-2)
    end = 1 + len(read.precursors.tokens)  # of the precursors; there stands >>
    atoms = mine[..., read.columns].sum(-1)
    return {
        "atoms of the precursors": atoms,
        "signs of the precursors": mine[..., 1:end].sum(-1) - atoms,
        "product": mine[..., end + 1 : -1].sum(-1),
        "first token": mine[..., 0],
    }


class HiddenAtoms(NamedTuple):
    """right: the share of hidden atoms that the model names. loss: nats for each. hidden: how many there were."""

    right: float
    loss: float
    hidden: int


@checked
@torch.no_grad()
def name_hidden_atoms(
    model: MaskedEncoder, vocabulary: Sequence[str], reactions: Sequence[Reaction], generator: torch.Generator
) -> HiddenAtoms:
    """A third of each product's atoms, drawn, become [MASK]: does the model, as in its training, say what they were?

    Inside of `without` it says what a head is worth for this. Raises ValueError for no reaction.
    """
    if not reactions:
        raise ValueError("expected at least one reaction, got none")
    found = []
    for reaction in reactions:
        read = equation(reaction.text)
        tokens, rows = encode(read.tokens, vocabulary), torch.tensor(read.rows)
        hidden = rows[torch.randperm(len(rows), generator=generator)[: max(1, len(rows) // 3)]]
        asked = tokens.index_fill(1, hidden, list(vocabulary).index("[MASK]"))
        logits, wanted = model(asked)[0, hidden], tokens[0, hidden]
        said = logits.log_softmax(-1).gather(-1, wanted[:, None])[:, 0]
        found.append(torch.stack([(logits.argmax(-1) == wanted).float(), -said], dim=-1))
    all_found = torch.cat(found)
    right, loss = all_found.mean(0).tolist()
    return HiddenAtoms(right, loss, len(all_found))
