"""What is known of a picture after some glimpses: as the loops say, and never more than the retina has shown."""

import pytest
import torch

from attnlab.analysis import uncovered
from attnlab.specs.analysis.images import uncovered as loops
from attnlab.vision.glimpses import retina


def picture(height=11, width=13):
    return torch.rand(height, width, generator=torch.Generator().manual_seed(height))


@pytest.mark.parametrize("places", [[], [[0.0, 0.0]], [[-1.0, 0.9], [0.31, -0.2], [0.4, -0.1]]])
@pytest.mark.parametrize(("size", "scales"), [(3, 1), (2, 3), (5, 2)])
def test_in_loops(places, size, scales):
    found = uncovered(picture(), torch.tensor(places).reshape(-1, 2), size, scales)
    shown, seen = loops.uncovered(picture(), places, size, scales)
    torch.testing.assert_close(found.picture, shown)
    assert torch.equal(found.seen, seen)


def test_the_middle_is_as_sharp_as_the_picture_and_the_rest_as_the_coarser_square():
    whole, place = picture(16, 16), torch.zeros(1, 2)
    known = uncovered(whole, place, 4, 2)
    assert torch.equal(known.picture[6:10, 6:10], whole[6:10, 6:10])
    assert torch.equal(known.picture[4:6, 4:6], retina(whole[None], place, 4, 2)[0, 1, 0, 0].expand(2, 2))
    assert int(known.seen.sum()) == 64
    assert not known.picture[~known.seen].any()


def test_each_channel_of_a_coloured_picture_is_seen_as_a_grey_one():
    coloured, places = torch.stack([picture(), 1 - picture(), picture() / 2]), torch.tensor([[-0.3, 0.2], [0.9, -0.1]])
    found = uncovered(coloured, places, 3, 2)
    for channel, shown in zip(coloured, found.picture, strict=True):
        assert torch.equal(uncovered(channel, places, 3, 2).picture, shown)
    assert torch.equal(found.seen, uncovered(picture(), places, 3, 2).seen)


def test_what_is_no_place_is_named():
    with pytest.raises(ValueError, match="expected places from -1 to 1"):
        uncovered(picture(), torch.tensor([[0.0, 1.2]]), 3)
