"""Retina and losses in loops; what each gaze looks at; what REINFORCE promises; and the two classic mistakes."""

import re
from math import log, pi

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import seeded
from shapes import unchecked
from torch.nn.functional import cross_entropy

from attnlab.specs.vision import glimpses as specs
from attnlab.training import fit
from attnlab.vision.glimpses import (
    Gazed,
    RecurrentAttention,
    Seen,
    accuracy,
    centre_gaze,
    corners,
    draw,
    drawn_gaze,
    hybrid_loss,
    log_density,
    log_probability_of_right,
    mean_gaze,
    path,
    random_gaze,
    retina,
    right_or_wrong,
)


def model(seed=0, size=3, scales=2, dim=7, classes=5):
    torch.manual_seed(seed)
    return RecurrentAttention(classes, size, scales, dim)


PICTURES = torch.rand(5, 11, 13, generator=seeded())


# The retina.


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    height=st.integers(1, 13),
    width=st.integers(1, 13),
    size=st.integers(1, 5),
    scales=st.integers(1, 3),
)
def test_retina_in_loops(seed, height, width, size, scales):
    generator = seeded(seed)
    pictures = torch.rand(2, height, width, generator=generator)
    places = 2 * torch.rand(2, 2, generator=generator) - 1
    found = retina(pictures, places, size, scales)
    for picture, place, seen in zip(pictures, places, found, strict=True):
        torch.testing.assert_close(seen, specs.retina(picture, place.tolist(), size, scales))


def test_the_middle_and_the_corners():
    picture = torch.arange(36.0).view(1, 6, 6)

    def seen(across, down):
        return retina(picture, torch.tensor([[across, down]], dtype=torch.float32), 2)[0, 0].tolist()

    assert seen(0, 0) == [[14, 15], [20, 21]]
    assert seen(-1, -1) == [[0, 0], [0, 0]]  # of its four pixels one is in the picture: the first, which is 0
    assert seen(1, 1) == [[35, 0], [0, 0]]
    assert seen(1, -1) == [[0, 0], [5, 0]]
    assert seen(-1, 1) == [[0, 30], [0, 0]]


def test_each_scale_is_twice_as_wide_and_blurred():
    picture = torch.zeros(1, 32, 32)
    picture[0, 16, 16] = 1
    shown = retina(picture, torch.zeros(1, 2), 4, 3)
    assert shown.sum(dim=(2, 3)).tolist() == [[1, 1 / 4, 1 / 16]]
    everywhere = retina(torch.ones(1, 32, 32), torch.zeros(1, 2), 4, 4)
    assert torch.equal(everywhere, torch.ones(1, 4, 4, 4))


def test_what_a_glimpse_costs_does_not_depend_on_the_picture():
    """Nor what it shows on what lies outside of its widest square."""
    pictures = torch.rand(1, 64, 64, generator=seeded())
    inside = torch.zeros(1, 64, 64)
    inside[:, 24:40, 24:40] = pictures[:, 24:40, 24:40]
    assert torch.equal(retina(pictures, torch.zeros(1, 2), 4, 3), retina(inside, torch.zeros(1, 2), 4, 3))


@pytest.mark.parametrize("place", [(1.01, 0), (0, -1.5), (torch.nan, 0), (0, torch.inf)])
@pytest.mark.usefixtures("as_a_learner")
def test_places_outside_of_the_picture(place):
    for look in (lambda places: retina(PICTURES[:1], places, 3), path):
        with pytest.raises(ValueError, match=re.escape("from -1 to 1, across and down, got (")):
            look(torch.tensor([place], dtype=torch.float32))


# Gaze policies.


def test_log_density_in_loops_and_as_torchs():
    places, mean = torch.randn(2, 7, 5, 2, dtype=torch.float64, generator=seeded())
    found = log_density(places, mean, 0.3)
    torch.testing.assert_close(found, torch.distributions.Normal(mean, 0.3).log_prob(places).sum(-1))
    for i in range(7):
        for j in range(5):
            torch.testing.assert_close(found[i, j], specs.log_density(places[i, j], mean[i, j], 0.3))


def test_places_are_drawn_around_the_mean():
    mean = torch.tensor([[0.2, -0.4]]).expand(20_000, 2)
    place, _ = draw(mean, 0.1, seeded())
    assert (place.mean(0) - mean[0]).abs().max() < 0.004
    assert place.std(0).tolist() == pytest.approx([0.1, 0.1], abs=0.003)


def test_a_place_drawn_outside_is_looked_at_on_the_edge_and_counts_as_drawn():
    mean = torch.full((200, 2), 0.95).requires_grad_()
    place, log_probability = draw(mean, 0.5, seeded())
    assert place.abs().max() == 1
    (pull,) = torch.autograd.grad(log_probability.sum(), mean)
    drawn = mean + pull * 0.5**2  # from d ln p / d mean = (drawn - mean) / noise^2
    assert drawn.abs().max() > 1.5
    torch.testing.assert_close(place, drawn.clamp(-1, 1).detach())
    expected = -(pull * 0.5).square().sum(1) / 2 - log(2 * pi * 0.5**2)
    torch.testing.assert_close(log_probability, expected)


def test_what_each_policy_looks_at():
    glimpses, clicks = 3, 2 * torch.rand(5, 3, 2, generator=seeded()) - 1
    own = model()
    assert not own(PICTURES, centre_gaze, glimpses).places.any()
    assert torch.equal(own(PICTURES, path(clicks), glimpses).places, clicks)
    assert torch.equal(own(PICTURES, path(clicks[0]), glimpses).places, clicks[:1].expand(5, 3, 2))
    anywhere = own(PICTURES.expand(400, 5, 11, 13).flatten(0, 1), random_gaze(seeded()), glimpses).places
    assert anywhere.abs().max() <= 1
    assert anywhere.mean().abs() < 0.02
    assert anywhere.std().item() == pytest.approx(3**-0.5, abs=0.02)
    for gaze in (centre_gaze, path(clicks), random_gaze(seeded()), mean_gaze(own.location)):
        seen = own(PICTURES, gaze, glimpses)
        assert not seen.log_probability.any()
        assert not seen.places.requires_grad
    with pytest.raises(ValueError, match="a place for each glimpse, got 3 for glimpse 4"):
        own(PICTURES, path(clicks), 4)


def test_the_mean_is_what_the_draws_are_around():
    own = model()
    certain = own(PICTURES, mean_gaze(own.location), 4)
    nearly = own(PICTURES, drawn_gaze(own.location, 1e-6, seeded()), 4)
    torch.testing.assert_close(nearly.places, certain.places, atol=1e-4, rtol=0)
    torch.testing.assert_close(nearly.logits, certain.logits, atol=1e-3, rtol=0)
    far = own(PICTURES, drawn_gaze(own.location, 0.5, seeded()), 4)
    assert (far.places - certain.places).abs().mean() > 0.1


def test_the_same_seed_looks_at_the_same_places(device):
    own, pictures = model().to(device), PICTURES.to(device)
    for make in (lambda seed: drawn_gaze(own.location, 0.2, seeded(seed)), lambda seed: random_gaze(seeded(seed))):
        first, again, other = (own(pictures, make(seed), 3) for seed in (3, 3, 4))
        assert torch.equal(first.places, again.places)
        assert not torch.equal(first.places, other.places)
        assert first.logits.device.type == device.type
        torch.manual_seed(0)
        assert make(0)(torch.zeros(5, 7, device=device), 0).place.device.type == device.type


def test_the_next_place_depends_on_what_was_seen():
    own = model()
    places = own(PICTURES, mean_gaze(own.location), 3).places
    assert torch.equal(places[:, 0], places[:1, 0].expand(5, 2)), "nothing was seen yet"
    assert (places[0, 1] != places[1, 1]).all()


# The model.


def test_the_model_as_its_parts_one_glimpse_after_the_other():
    own, clicks = model(), 2 * torch.rand(4, 2, generator=seeded()) - 1
    seen, state = own(PICTURES, path(clicks), 4), torch.zeros(5, 7)
    for step in range(4):
        torch.testing.assert_close(seen.baselines[:, step], own.baseline(state)[:, 0])
        place = clicks[step].expand(5, 2)
        shown = retina(PICTURES, place, 3, 2).flatten(1)
        glimpse = own.glimpse.from_what(own.glimpse.what(shown).clamp(min=0))
        glimpse = (glimpse + own.glimpse.from_where(own.glimpse.where(place).clamp(min=0))).clamp(min=0)
        state = own.core(glimpse, state)
        torch.testing.assert_close(seen.logits[:, step], own.action(state))


def test_nothing_is_known_of_what_was_not_looked_at():
    own, clicks = model(), torch.tensor([[-0.5, -0.5], [-0.4, -0.6]])
    other = PICTURES.clone()
    other[:, 8:], other[:, :, 10:] = 0.5, 0.5
    assert torch.equal(own(PICTURES, path(clicks), 2).logits, own(other, path(clicks), 2).logits)


def test_accuracy_after_each_glimpse():
    logits = torch.tensor([[[0.0, 1], [1, 0]], [[2, 1], [0, 3]], [[0, 1], [0, 3]]])
    seen = Seen(torch.zeros(3, 2, 2), torch.zeros(3, 2), logits, torch.zeros(3, 2))
    assert accuracy(seen, torch.tensor([1, 0, 1])).tolist() == pytest.approx([1, 1 / 3])


# Learning.


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), glimpses=st.integers(1, 5), with_baseline=st.booleans())
def test_hybrid_loss_in_loops(seed, glimpses, with_baseline):
    torch.manual_seed(seed)
    seen = Seen(
        torch.zeros(3, glimpses, 2), torch.randn(3, glimpses), torch.randn(3, glimpses, 5), torch.randn(3, glimpses)
    )
    labels, reward = torch.randint(5, (3,)), torch.randn(3)
    subtracted = seen.baselines if with_baseline else torch.zeros(3, glimpses)
    expected = sum(
        specs.hybrid_loss(logits.tolist(), logs.tolist(), baselines.tolist(), int(label), paid.item(), less.tolist())
        for _, logs, logits, baselines, label, paid, less in zip(*seen, labels, reward, subtracted, strict=True)
    )
    found = hybrid_loss(seen, labels, reward, subtracted if with_baseline else 0.0)
    assert found.item() == pytest.approx(expected / 3, rel=1e-4, abs=1e-4)
    one_number = [hybrid_loss(seen, labels, reward, number) for number in (0.3, torch.tensor(0.3))]
    assert one_number[0].item() == pytest.approx(one_number[1].item(), rel=1e-5)


def test_rewards():
    logits, labels = torch.randn(7, 5, generator=seeded(), requires_grad=True), torch.tensor([0, 1, 2, 3, 4, 0, 1])
    assert right_or_wrong(logits, labels).tolist() == [
        float(row.argmax() == label) for row, label in zip(logits, labels, strict=True)
    ]
    found = log_probability_of_right(logits, labels)
    torch.testing.assert_close(found, -cross_entropy(logits, labels, reduction="none"))
    assert not found.requires_grad
    for reward in (right_or_wrong, log_probability_of_right):
        with pytest.raises(ValueError, match="labels from 0 to 4, got 5"):
            reward(logits, labels + 1)


def moved(own, seen, labels, reward=None, baseline=0.0):
    """The names of the parts that get a gradient."""
    own.zero_grad()
    reward = right_or_wrong(seen.logits[:, -1], labels) if reward is None else reward
    hybrid_loss(seen, labels, reward, baseline).backward()
    return {name.split(".")[0] for name, part in own.named_parameters() if part.grad is not None and part.grad.any()}


LABELS = torch.tensor([0, 1, 2, 3, 4])


def test_each_part_learns_from_its_own_loss():
    own = model()
    everything = {"glimpse", "core", "location", "action", "baseline"}
    reward = torch.randn(5, generator=seeded())
    assert moved(own, own(PICTURES, drawn_gaze(own.location, 0.2, seeded()), 3), LABELS, reward) == everything
    for gaze in (mean_gaze(own.location), random_gaze(seeded()), centre_gaze):
        assert moved(own, own(PICTURES, gaze, 3), LABELS, reward) == everything - {"location"}
    # The rewards move nothing but where it looks: all else has the same gradients without them.
    seen = own(PICTURES, drawn_gaze(own.location, 0.2, seeded()), 3)
    others = [part for name, part in own.named_parameters() if not name.startswith(("location", "baseline"))]
    with_rewards = torch.autograd.grad(hybrid_loss(seen, LABELS, reward), others, retain_graph=True)
    alone = torch.autograd.grad(cross_entropy(seen.logits[:, -1], LABELS), others)
    for one, other in zip(with_rewards, alone, strict=True):
        torch.testing.assert_close(one, other)


def test_on_average_the_gradient_is_that_of_the_expected_reward():
    """One glimpse at one place with a reward that is known everywhere: a hill, whose slope under the noise is known."""
    goal, noise, mean = torch.tensor([0.3, -0.2]), 0.2, torch.zeros(200_000, 2, requires_grad=True)
    place, log_probability = draw(mean, noise, seeded())
    reward = -(place - goal).square().sum(1)  # its mean is -|mean - goal|^2 - 2 noise^2, almost: few are on the edge
    for baseline in (0.0, -0.2):
        (pull,) = torch.autograd.grad(((reward - baseline) * log_probability).sum(), mean, retain_graph=True)
        torch.testing.assert_close(pull.mean(0), 2 * goal, atol=0.02, rtol=0)


# The two classic mistakes.


def with_mean_detached(location, noise, generator):
    return lambda state, step: draw(location(state).detach(), noise, generator)


def with_place_attached(location, noise, generator):
    def gaze(state, step):
        mean = location(state.detach())
        drawn = mean + noise * torch.randn(mean.shape, generator=generator)
        return Gazed(drawn.clamp(-1, 1), log_density(drawn, mean, noise))

    return gaze


def test_with_the_mean_detached_the_gaze_gets_no_gradient_and_all_else_learns():
    own = model()
    seen = own(PICTURES, with_mean_detached(own.location, 0.2, seeded()), 3)
    assert moved(own, seen, LABELS, torch.ones(5)) == {"glimpse", "core", "action", "baseline"}


def test_with_the_place_attached_rewards_say_nothing_and_the_classifier_moves_the_gaze():
    own = model()
    parameters = list(own.location.parameters())
    seen = own(PICTURES, with_place_attached(own.location, 0.2, seeded()), 3)
    logs = torch.autograd.grad(seen.log_probability.sum(), parameters, retain_graph=True, allow_unused=True)
    assert max(0.0 if part is None else part.abs().max().item() for part in logs) < 1e-4
    leak = torch.autograd.grad(cross_entropy(seen.logits[:, -1], LABELS), parameters)
    assert all(part.any() for part in leak)
    seen = own(PICTURES, drawn_gaze(own.location, 0.2, seeded()), 3)
    assert not any(
        part is not None
        for part in torch.autograd.grad(cross_entropy(seen.logits[:, -1], LABELS), parameters, allow_unused=True)
    )


def beside(size, generator):
    """A light or dark square, far right of the middle: one glimpse tells which, at the right place."""
    labels = torch.randint(2, (size,), generator=generator)
    pictures = torch.zeros(size, 8, 16)
    pictures[:, 2:6, 11:15] = 0.2 + 0.8 * labels[:, None, None]
    return pictures, labels


def test_it_learns_where_to_look_and_with_the_mean_detached_it_does_not():
    found = {}
    for name, make in {"drawn": drawn_gaze, "detached": with_mean_detached}.items():
        own = model(0, 4, 1, 16, 2)

        def loss(generator, own=own, make=make):
            pictures, labels = beside(64, generator)
            seen = own(pictures, make(own.location, 0.3, generator), 1)
            return hybrid_loss(seen, labels, log_probability_of_right(seen.logits[:, -1], labels), seen.baselines)

        with unchecked():
            for _ in fit(own, loss, 60, 0.02):
                pass
        pictures, labels = beside(500, seeded())
        found[name] = accuracy(own(pictures, mean_gaze(own.location), 1), labels)[-1].item()
    assert found["drawn"] == 1, found
    assert found["detached"] < 0.6, found


# Bad input.


@pytest.mark.usefixtures("as_a_learner")
def test_bad_input():
    own = model()
    seen = own(PICTURES, centre_gaze, 2)
    for call, message in [
        (lambda: own(PICTURES[0], centre_gaze), "pictures to be a tensor of real numbers [batch, height, width]"),
        (lambda: own(255 * PICTURES, centre_gaze), "divide bytes by 255"),
        (lambda: own(PICTURES / 0, centre_gaze), "expected pictures of numbers from 0 to 1, got inf"),
        (lambda: own(PICTURES, "centre"), "gaze to be something that can be called"),
        (lambda: own(PICTURES, centre_gaze, 0), "glimpses to be a whole number of at least 1, got 0"),
        (lambda: RecurrentAttention(size=0), "size to be a whole number of at least 1, got 0"),
        (lambda: draw(torch.zeros(3, 2), 0), "noise above 0, got 0"),
        (lambda: hybrid_loss(seen, LABELS + 1, torch.ones(5)), "labels from 0 to 4, got 5"),
        (lambda: hybrid_loss(seen, LABELS, torch.ones(5), torch.ones(5, 3)), "a baseline for each choice, [5, 2]"),
        (lambda: path(torch.zeros(3, 3)), "expected places [..., 2], across and down, got [3, 3]"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            call()


def test_the_reward_is_a_constant_to_the_loss():
    seen = Seen(torch.zeros(3, 2, 2), torch.randn(3, 2), torch.randn(3, 2, 5), torch.randn(3, 2).requires_grad_())
    reward = torch.randn(3, requires_grad=True)
    hybrid_loss(seen, torch.tensor([0, 1, 4]), reward).backward()
    assert reward.grad is None
    assert seen.baselines.grad.any()


def test_a_square_between_two_pixels_begins_at_the_later_one_everywhere():
    middle = torch.zeros(1, 2)
    assert [corners(middle, side, side + 1, 5)[0].tolist() for side in (6, 7, 8)] == [[1, 1], [2, 1], [2, 2]]
