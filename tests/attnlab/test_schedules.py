from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.schedules import SCHEDULES, constant, cool_down, cosine, inverse_root, linear


def rates(schedule, steps):
    return [schedule(step, steps) for step in range(1, steps + 1)]


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@given(steps=st.integers(1, 60))
def test_every_schedule_gives_shares(schedule, steps):
    assert all(0 < share <= 1 for share in rates(schedule, steps))


@pytest.mark.parametrize(("schedule", "end"), [(linear, 0.03), (cosine, 0.1), (cool_down, 0)])
@pytest.mark.parametrize("steps", [10, 100])
def test_after_the_last_step(schedule, end, steps):
    assert [schedule(step, steps) for step in (steps + 31, 2 * steps + 31, 1000)] == pytest.approx([end] * 3)


def test_linear():
    shares = rates(linear, 130)
    assert shares[:30] == pytest.approx([step / 30 for step in range(1, 31)])
    assert shares[79] == pytest.approx(1 - 0.97 / 2)
    assert shares[-1] == pytest.approx(0.03)
    assert max(shares) == shares[29] == 1


def test_cosine():
    shares = rates(partial(cosine, warmup=10, floor=0.2), 51)
    assert shares[:10] == pytest.approx([step / 10 for step in range(1, 11)])
    assert shares[30] == pytest.approx((shares[29] + shares[31]) / 2, abs=1e-3)
    assert shares[9 + 41 // 2] == pytest.approx(0.6, abs=0.02)
    assert shares[-1] == pytest.approx(0.2)
    falls = [a - b for a, b in pairwise(shares[9:])]
    assert falls[0] < falls[10] < falls[20] > falls[30] > falls[-1] > 0


def test_the_paper():
    """Equation 3: dim^-0.5 min(step^-0.5, step warmup^-1.5), divided by its highest value."""
    dim, warmup = 512, 40

    def paper(step):
        return dim**-0.5 * min(step**-0.5, step * warmup**-1.5)

    for step in (1, 7, 39, 40, 41, 1000):
        assert (dim * warmup) ** -0.5 * inverse_root(step, 1000, warmup) == pytest.approx(paper(step))


def test_cool_down():
    shares = rates(cool_down, 100)
    assert shares[:41] == [1] * 41
    assert shares[41:] == pytest.approx([left / 60 for left in range(59, 0, -1)])
    assert rates(partial(cool_down, last=1.0), 4) == [1, 0.75, 0.5, 0.25]


def test_constant():
    assert rates(constant, 3) == [1, 1, 1]


@pytest.mark.parametrize("schedule", [linear, cosine, inverse_root])
def test_a_warm_up_longer_than_the_training_only_rises(schedule):
    assert rates(schedule, 10) == pytest.approx([step / 30 for step in range(1, 11)])
