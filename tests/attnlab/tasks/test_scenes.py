"""Scenes: the picture and the cells as loops over pixels, one right caption, and answers that are honest."""

import re
from functools import cache

import oracles_tasks
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import unchecked

from attnlab.tasks import BOS, EOS, PAD
from attnlab.tasks.scenes import (
    BACKGROUND,
    COLOURS,
    SHAPES,
    Scenes,
    Thing,
    answer,
    asked_about,
    caption,
    cells,
    draw,
    questions,
    word_regions,
    word_things,
)

RED_SQUARE, BLUE_CIRCLE = Thing("red", "square", 15, 6), Thing("blue", "circle", 17, 20)
BLUE_CROSS = Thing("blue", "cross", 6, 22)
SCENE = (RED_SQUARE, BLUE_CIRCLE)


@cache
def small():
    with unchecked():
        scenes = Scenes(size=503, tests=101)
        scenes.ask(2, torch.Generator())
        return scenes


things = st.builds(Thing, st.sampled_from(list(COLOURS)), st.sampled_from(list(SHAPES)), *[st.integers(4, 27)] * 2)


@settings(max_examples=12, deadline=None)
@given(st.lists(things, max_size=2))
def test_pictures_and_cells_are_those_of_the_loops(scene):
    picture, covered = oracles_tasks.scene(scene, COLOURS, BACKGROUND)
    torch.testing.assert_close(draw(scene), torch.tensor(picture).permute(2, 0, 1) / 255)
    for thing, places in zip(scene, covered, strict=True):
        assert {tuple(place) for place in cells(thing).nonzero().tolist()} == places


def test_captions_are_those_of_the_loops_in_either_order():
    for scene in [*small().training[:100], *small().test]:
        assert caption(scene) == caption(scene[::-1]) == oracles_tasks.caption(scene)


def test_three_captions():
    assert caption(SCENE) == "a red square left of a blue circle"
    assert caption([BLUE_CIRCLE, BLUE_CROSS]) == "a blue cross above a blue circle"
    assert caption([]) == "nothing"
    with pytest.raises(ValueError, match="at most 2 things, got 3"):
        caption([RED_SQUARE] * 3)


def test_each_word_has_the_region_of_its_thing():
    assert word_things(SCENE) == [None, 0, 0, None, None, None, 1, 1]
    found = word_regions(SCENE[::-1])
    assert found.shape == (8, 8, 8)
    assert not found[[0, 3, 4, 5]].any()
    for word, thing in [(1, RED_SQUARE), (2, RED_SQUARE), (6, BLUE_CIRCLE), (7, BLUE_CIRCLE)]:
        assert torch.equal(found[word], cells(thing))
    assert not word_regions([]).any()


@pytest.mark.parametrize(
    ("scene", "question", "wanted"),
    [
        (SCENE, "What colour is the circle?", "blue"),
        (SCENE, "what shape is the red thing", "square"),
        (SCENE, "what colour is the triangle", "none"),
        ((), "what shape is the red thing", "none"),
    ],
)
def test_answers(scene, question, wanted):
    assert answer(scene, question) == wanted
    assert (asked_about(scene, question) is None) == (wanted == "none")


def test_every_question_that_is_offered_has_an_answer():
    for scene in [(), (RED_SQUARE,), SCENE, (BLUE_CIRCLE, BLUE_CROSS)]:
        found = questions(scene)
        assert len(found) == (8 if scene == (BLUE_CIRCLE, BLUE_CROSS) else 9)
        there = [question for question in found if answer(scene, question) != "none"]
        assert len(there) == (2 if len(found) == 8 else 2 * len(scene))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: answer((BLUE_CIRCLE, BLUE_CROSS), "what shape is the blue thing"), "where a blue circle and a blue"),
        (lambda: answer(SCENE, "where is the circle?"), 'expected "what colour is the ..." with one of'),
        (lambda: answer(SCENE, "what colour is the star"), 'got "what colour is the star"'),
        (lambda: draw([Thing("red", "square", 3, 9)]), "from 4 to 27, got row 3, column 9"),
        (lambda: cells(Thing("red", "square", 9, 28)), "from 4 to 27, got row 9, column 28"),
        (lambda: draw([Thing("red", "square", 9.5, 9)]), "whole rows and columns from 4 to 27, got row 9.5"),
        (lambda: draw([Thing("red", "square", 9, "9")]), "whole rows and columns"),
        (lambda: draw([Thing("red", "star", 9, 9)]), "expected one of square, circle, triangle, cross; got 'star'"),
        (lambda: draw([Thing("pink", "square", 9, 9)]), "expected one of red, green"),
        (lambda: small().ids("a pink square"), 'got "pink"'),
        (lambda: small().ids("a <PAD> square"), 'got "<PAD>"'),
        (lambda: small().write([1, 99]), "expected ids from 0 to 17, got 99"),
        (lambda: small().collate([]), "at least one scene"),
        (lambda: small().collate_questions([SCENE], []), "a question for each of 1, got 0"),
    ],
)
def test_complaints(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def kinds(scene):
    return frozenset((thing.colour, thing.shape) for thing in scene)


def test_no_pair_of_the_test_is_in_training_but_every_kind_is():
    with unchecked():
        scenes = Scenes(size=2_000, tests=211)
    trained = {kinds(scene) for scene in scenes.training}
    held_out = {kinds(scene) for scene in scenes.test}
    assert len(scenes.held_out) == 38
    assert held_out == scenes.held_out
    assert trained.isdisjoint(held_out)
    assert len(set().union(*trained)) == 20
    assert [sum(len(scene) == count for scene in scenes.training) for count in (0, 1, 2)] == [100, 300, 1600]
    assert len(set(scenes.test)) == 211
    assert all(len(scene) == 2 for scene in scenes.test)


def test_two_things_have_a_gap_and_a_clear_relation():
    for scene in [scene for scene in small().training if len(scene) == 2]:
        down, right = (abs(a - b) for a, b in zip(scene[0][2:], scene[1][2:], strict=True))
        assert max(down, right) > 10
        assert abs(down - right) >= 3


def test_same_scenes_every_time():
    with unchecked():
        again, other = Scenes(size=503, tests=101), Scenes(seed=1, size=503, tests=101)
    assert (again.training, again.test) == (small().training, small().test)
    assert other.training != again.training
    assert other.held_out != again.held_out


def test_batches():
    scenes, generator = small(), torch.Generator().manual_seed(0)
    batch = scenes.batch(7, generator)
    assert batch.pictures.shape == (7, 3, 32, 32)
    by_caption = {caption(scene): scene for scene in scenes.training}
    assert batch.allowed.shape == (7, 8, 8)
    assert batch.allowed.all()
    for picture, ids in zip(batch.pictures, batch.captions, strict=True):
        text = scenes.write(ids)
        assert text in by_caption
        assert ids[0] == BOS
        assert torch.equal(ids[ids != PAD], scenes.ids(text))
        assert (ids == EOS).sum() == 1
        assert any(torch.equal(draw(scene), picture) for scene in scenes.training if caption(scene) == text)


def test_questions_come_with_their_scene_and_its_answer():
    scenes, generator = small(), torch.Generator().manual_seed(0)
    pictures, _, asked, lengths, answers = scenes.ask(307, generator)
    assert torch.equal((asked != PAD).sum(1), lengths)
    for i in range(7):
        words = [scenes.question_vocabulary[token] for token in asked[i, : lengths[i]].tolist()]
        meant = [scene for scene in scenes.training if torch.equal(draw(scene), pictures[i])]
        assert answer(meant[0], " ".join(words)) == scenes.vocabulary[int(answers[i])]
        assert torch.equal(scenes.read(" ".join(words) + "?"), asked[i, : lengths[i]])
    missing = (answers == scenes.vocabulary.index("none")).float().mean().item()
    assert 0.4 < missing < 0.65


def test_collated_questions():
    got = small().collate_questions([SCENE, ()], ["what colour is the circle?", "what shape is the red thing"])
    assert [small().vocabulary[token] for token in got.answers] == ["blue", "none"]
    assert got.lengths.tolist() == [5, 6]
    assert torch.equal(got.pictures[0], draw(SCENE))
