"""Three maps of one sequence: against loops and torch."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attnlab.analysis.vectors.projections import project, projection_graph


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_all_that_it_goes_through_is_torchs():
    x, W_q, W_k, W_v = random(5, 7), random(7, 3, seed=1), random(7, 3, seed=2), random(7, 2, seed=3)
    found = project(x, W_q, W_k, W_v)
    for i in range(5):
        for j in range(3):
            product = sum(float(x[i, d] * W_q[d, j]) for d in range(7))
            assert found.query[i, j].item() == pytest.approx(product, abs=1e-5)
    torch.testing.assert_close(found.key, x @ W_k)
    torch.testing.assert_close(found.scores, found.query @ found.key.T / 3**0.5)
    torch.testing.assert_close(found.weights.sum(dim=1), torch.ones(5))
    torch.testing.assert_close(found.context, scaled_dot_product_attention(found.query, found.key, x @ W_v))


def test_the_lines_of_code_give_the_tensors():
    x, *maps = random(5, 7), random(7, 3), random(7, 3, seed=2), random(7, 2, seed=3)
    nodes, tensors = projection_graph(x, *maps)
    assert [node["id"] for node in nodes[1:]] == [*tensors][:-1]
    names = {"x": x, **{f"W_{lane}": map for lane, map in zip("qkv", maps, strict=True)}}
    for node in nodes[2:]:
        exec(node["line"], names)
        torch.testing.assert_close(names[node["id"]], tensors[node["id"]])
        assert node["shape"] == " × ".join(map(str, tensors[node["id"]].shape))
    assert {tuple(corner) for corner in tensors["hull"].tolist()} <= {tuple(value) for value in tensors["v"].tolist()}
    assert "hull" not in projection_graph(x, *maps[:2], random(7, 3))[1]


def test_misfits_are_told(as_a_learner):
    with pytest.raises(ValueError, match="expected"):
        project(random(5, 7), random(6, 3), random(7, 3), random(7, 2))
