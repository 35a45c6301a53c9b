"""What tests ask of the graphs that `model_graph` makes, and a model that several of them make one of."""

from torch import nn

from attnlab.blocks import NORMS, RESIDUALS, EncoderBlock, FeedForward
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import POSITIONS
from attnlab.transformer import GPT, Embed, tied


def stacked(residual="pre_norm", norm="layer", positions="none"):
    """A GPT of two blocks, its parts by their names."""
    code, table = POSITIONS[positions](12, 3, 31), nn.Embedding(11, 12)
    blocks = [
        EncoderBlock(MultiHeadAttention(12, 3, code), FeedForward(12, 17), NORMS[norm], RESIDUALS[residual])
        for _ in range(2)
    ]
    return GPT(Embed(table, code), blocks, nn.LayerNorm(12), tied(table), longest=31)


def wired(graph):
    """Wires by the names of the nodes."""
    return {
        role: {(graph.nodes[source].id, graph.nodes[target].id) for source, target in pairs}
        for role, pairs in graph.wires.items()
    }


def line(graph, name):
    """The line of code of a node."""
    return next(graph.part(number).line for number, node in enumerate(graph.nodes) if node.id == name)
