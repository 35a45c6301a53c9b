"""A query and a key at any two places: the angles between their pairs, and the score under each code of positions."""

from math import atan2, cos, pi, sin

import pytest
import torch

from attnlab.alignment import scaled_dot
from attnlab.analysis.vectors.rotary_pairs import rotary_pairs, scores_by_place
from attnlab.positions import ALiBi, NoPositions, RelativeBias, Rotary, frequencies

QUERY, KEY = torch.randn(2, 10, generator=torch.Generator().manual_seed(0))


def test_points_angles_and_products_by_loop():
    found = rotary_pairs(QUERY, KEY, 13, 5)
    for i in range(5):
        points = []
        for x, place in ((QUERY, 13), (KEY, 5)):
            turn = place / 10000 ** (2 * i / 10)
            a, b = x[2 * i].item(), x[2 * i + 1].item()
            points.append((a * cos(turn) - b * sin(turn), a * sin(turn) + b * cos(turn)))
        (a, b), (c, d) = points
        assert found.query[i].tolist() == pytest.approx((a, b), abs=1e-5)
        assert found.key[i].tolist() == pytest.approx((c, d), abs=1e-5)
        between = (atan2(b, a) - atan2(d, c)) * 180 / pi
        assert (found.angle[i].item() - between + 180) % 360 - 180 == pytest.approx(0, abs=1e-3)
        assert found.product[i].item() == pytest.approx(a * c + b * d, abs=1e-5)


def test_moving_both_changes_no_angle_and_moving_one_turns_each_by_its_frequency():
    first, moved, later = (rotary_pairs(QUERY, KEY, *places) for places in ((3, 0), (40, 37), (4, 0)))
    torch.testing.assert_close(first.angle, moved.angle, atol=1e-3, rtol=0)
    assert not torch.allclose(first.query, moved.query, atol=0.1)
    turned = (later.angle - first.angle) % 360
    torch.testing.assert_close(turned, frequencies(10).float().rad2deg() % 360, atol=1e-3, rtol=0)


def test_the_products_add_up_to_the_score():
    score = scores_by_place(Rotary(10), QUERY, KEY, 13, 29)[5]
    torch.testing.assert_close(rotary_pairs(QUERY, KEY, 13, 5).product.sum() / 10**0.5, score)


def test_what_each_code_makes_of_the_score():
    relative = RelativeBias(heads=3)
    with torch.no_grad():
        relative.table.copy_(torch.randn(3, 32, generator=torch.Generator().manual_seed(1)))
        plain, alibi, learned = (
            scores_by_place(code, QUERY, KEY, 7, 29) for code in (NoPositions(), ALiBi(heads=2), relative)
        )
    distance = torch.arange(29) - 7
    torch.testing.assert_close(plain, scaled_dot(QUERY[None], KEY[None]).expand(1, 29)[0])
    torch.testing.assert_close(alibi - plain, -distance.abs() / 16)
    torch.testing.assert_close(learned - plain, relative.bias(1, 29, 7)[0, 0].detach())


def test_misfits_are_told(as_a_learner):
    with pytest.raises(ValueError, match="one width, got 10 and 8"):
        rotary_pairs(QUERY, KEY[:8], 0, 0)
    with pytest.raises(ValueError, match="even"):
        rotary_pairs(QUERY[:7], KEY[:7], 0, 0)
