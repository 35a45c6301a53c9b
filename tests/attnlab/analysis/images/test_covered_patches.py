"""What a covered patch costs, and how well two maps agree."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import unchecked

from attnlab.analysis.images.covered_patches import covered, fall_of_logit, rank_correlation
from attnlab.specs.analysis.images import covered_patches as loops

IMAGES = torch.randn(3, 2, 4, 6, generator=torch.Generator().manual_seed(0))


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 7), torch.nn.Tanh(), torch.nn.Linear(7, 5))


@pytest.mark.parametrize(("size", "cover"), [(2, 0), (2, 0.5), (1, -1)])
def test_in_loops(size, cover):
    net = model()
    found = fall_of_logit(net, IMAGES, size, cover)
    for image, falls in zip(IMAGES, found.tolist(), strict=True):
        expected = loops.fall_of_logit(lambda one: net(one[None])[0], image, size, cover)
        assert falls == pytest.approx(expected, abs=1e-5)


def test_covered():
    seen = covered(IMAGES, 2, 9)
    assert seen.shape == (3, 6, 2, 4, 6)
    assert (seen[1, 4, :, 2:, 2:4] == 9).all()
    assert ((seen != IMAGES[:, None]).flatten(2).sum(2) == 8).all()  # one patch of 2 x 2 pixels in 2 channels


def test_a_sum_of_pixels_falls_by_what_is_covered():
    images = IMAGES.abs()

    def ink(pictures):
        return torch.stack([pictures.sum((1, 2, 3)), torch.zeros(len(pictures))], dim=1)

    falls = fall_of_logit(ink, images, 2)
    torch.testing.assert_close(falls.sum(1), images.sum((1, 2, 3)))
    assert (falls > 0).all()


# values that often are equal
PAIRS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=9)


@settings(deadline=None, max_examples=100)
@given(PAIRS)
def test_rank_correlation_in_loops(pairs):
    x, y = ([float(number) for number in numbers] for numbers in zip(*pairs, strict=True))
    found = rank_correlation(torch.tensor(x), torch.tensor(y)).item()
    assert found == pytest.approx(loops.rank_correlation(x, y), abs=1e-5)


def test_rank_correlation():
    x = torch.tensor([[1.0, 5, 2, 9], [1, 5, 2, 9], [4, 4, 4, 4]])
    torch.testing.assert_close(rank_correlation(x, x.exp()), torch.tensor([1.0, 1, 0]))
    torch.testing.assert_close(rank_correlation(x, -x), torch.tensor([-1.0, -1, 0]))


def test_on_every_device(device):
    net = model()
    expected = fall_of_logit(net, IMAGES, 2)
    found = fall_of_logit(net.to(device), IMAGES.to(device), 2)
    torch.testing.assert_close(found.cpu(), expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(rank_correlation(found, -found).cpu(), -torch.ones(3))


def test_bad_input():
    with pytest.raises(ValueError, match="divides 4 x 6 pixels without a rest, such as 1, 2; got 3"):
        fall_of_logit(model(), IMAGES, 3)
    with unchecked(), pytest.raises(ValueError, match=r"two maps of one shape .*, got \[3, 4\] and \[4\]"):
        rank_correlation(torch.zeros(3, 4), torch.zeros(4))
    with pytest.raises(ValueError, match="a place or more"):
        rank_correlation(torch.zeros(3, 0), torch.zeros(3, 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_ranks_in_every_precision(dtype):
    rising = torch.arange(196).to(dtype)
    found = rank_correlation(torch.stack([rising, -rising]), torch.stack([rising, rising]))
    assert (found.tolist(), found.dtype) == ([1, -1], dtype)


def test_a_map_with_nan_has_no_correlation():
    assert rank_correlation(torch.tensor([1.0, torch.nan, 3.0]), torch.arange(3.0)).isnan()
