"""Two marks far apart: where they stand, what they are, and that neither tells of the other."""

import pytest
import torch

from attnlab.tasks.far_marks import APART, MARKS, SIDE, at_places, far_marks, loss_at_marks, right_at_marks


def batch(size=500, seed=0):
    return far_marks(size, torch.Generator().manual_seed(seed))


def test_pictures():
    images, places, others = batch()
    assert images.shape == (500, 1, SIDE, SIDE)
    for image, centres, kinds in zip(images[:, 0], places.tolist(), others.flip(1).tolist(), strict=True):
        rest = image.clone()
        for (row, column), kind in zip(centres, kinds, strict=True):
            around = slice(row - 1, row + 2), slice(column - 1, column + 2)
            assert torch.equal(image[around], MARKS[kind])
            rest[around] = 0
        assert not rest.any()
        assert max(abs(centres[0][0] - centres[1][0]), abs(centres[0][1] - centres[1][1])) >= APART


def test_neither_tells_of_the_other():
    _, _, others = batch(8000)
    together = torch.zeros(4, 4).index_put_(tuple(others.mT), torch.ones(()), accumulate=True) / len(others)
    assert (together - 1 / 16).abs().max() < 0.015


def test_what_lies_near_says_nothing():
    """Within 5 pixels of a centre there is no ink of the other mark."""
    images, places, _ = batch()
    padded = torch.nn.functional.pad(images[:, 0], (5, 5, 5, 5))
    for image, (row, column) in zip(padded, places[:, 0].tolist(), strict=True):
        near = image[row : row + 11, column : column + 11]
        assert near.sum() == near[4:7, 4:7].sum()


def test_the_same_seed_draws_the_same():
    assert all(torch.equal(a, b) for a, b in zip(batch(7), batch(7), strict=True))
    assert not torch.equal(batch(7).images, batch(7, seed=1).images)


@pytest.mark.parametrize("height", [12, 6, 3, 1])
def test_at_places(height):
    places = torch.tensor([[[2, 3], [10, 11]], [[7, 1], [0, 0]]])
    maps = torch.arange(2 * 5 * height**2.0).view(2, 5, height, height)
    found, step = at_places(maps, places), 12 // height
    for i in range(2):
        for mark in range(2):
            row, column = (places[i, mark] // step).tolist()
            assert torch.equal(found[i, mark], maps[i, :, row, column])


def test_on_every_device(device):
    images, places, _ = batch(7)
    found = at_places(images.to(device), places.to(device))
    assert torch.equal(found.cpu(), at_places(images, places))


def test_bad_input():
    _, places, _ = batch(3)
    with pytest.raises(ValueError, match=r"sides divide 12, got shape \[3, 2, 5, 5\]"):
        at_places(torch.zeros(3, 2, 5, 5), places)
    with pytest.raises(ValueError, match="places from 0 to 11, got 12"):
        at_places(torch.zeros(3, 2, 6, 6), places * 0 + 12)


def test_loss_and_right_answers_by_hand():
    marks = batch(11)
    maps = torch.randn(11, 4, 6, 6, generator=torch.Generator().manual_seed(1))
    losses, right = [], []
    for image in range(11):
        for mark in range(2):
            row, column = (marks.places[image, mark] // 2).tolist()
            answer, wanted = maps[image, :, row, column], int(marks.others[image, mark])
            losses.append(-answer.log_softmax(0)[wanted])
            right.append(int(answer.argmax()) == wanted)
    torch.testing.assert_close(loss_at_marks(lambda images: maps, marks), torch.stack(losses).mean())
    assert right_at_marks(lambda images: maps, marks) == pytest.approx(sum(right) / 22)


def test_no_pictures_have_no_share():
    with pytest.raises(ValueError, match="at least one picture"):
        right_at_marks(lambda images: torch.zeros(0, 4, 6, 6), type(batch(1))(*(part[:0] for part in batch(1))))


def test_the_nearest_marks_are_just_far_enough_apart():
    places = far_marks(2000, torch.Generator().manual_seed(0)).places
    assert places.diff(dim=1).abs().amax(dim=(1, 2)).min() == 7


def test_marks_stand_up_to_every_edge():
    places = far_marks(2000, torch.Generator().manual_seed(0)).places
    assert places.amin((0, 1)).tolist() == [1, 1]
    assert places.amax((0, 1)).tolist() == [10, 10]
