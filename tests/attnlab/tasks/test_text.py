"""Texts: ids and text go round, windows are what they say, the reference holds nothing twice, bad files get help."""

import re
import sys
import time
from functools import cache, partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import seeded
from yardstick import a_million_texts

from attnlab.tasks import BytePairs, Characters, Text
from attnlab.tasks.text import reference_topics

STORY = "The queen asked the key, and the key answered: “Naïve!”\n\n  Then it went on.\r\n" * 40
CUT = 9 * len(STORY) // 10
TEXTS = {
    "reference, characters": Text.python_reference,
    "reference, byte pairs": partial(Text.python_reference, BytePairs),
    "own, characters": partial(Text.from_string, STORY),
    "own, byte pairs": partial(Text.from_string, STORY, partial(BytePairs, size=300)),
}
EVERY = pytest.mark.parametrize("name", TEXTS)


@cache
def text_of(name):
    """Made when a test first asks for it."""
    return TEXTS[name]()


@EVERY
def test_ids_and_text_go_round(name):
    text = text_of(name)
    training, held_out = reference_topics() if len(text.training) > 10_000 else (STORY[:CUT], STORY[CUT:])
    assert text.decode(text.training) == training
    assert text.decode(text.held_out.tolist()) == held_out
    assert torch.equal(text.encode(held_out), text.held_out)
    assert text.letters_per_token == pytest.approx(len(held_out) / len(text.held_out))
    assert text.training.dtype == torch.int64


@EVERY
def test_vocabulary(name):
    text = text_of(name)
    assert len(set(text.vocabulary)) == len(text.vocabulary)
    assert text.training.min() >= 0
    assert max(text.training.max(), text.held_out.max()) < len(text.vocabulary)


def test_sizes():
    letters, pairs = text_of("reference, characters"), text_of("reference, byte pairs")
    assert len(pairs.vocabulary) == 512
    assert len(text_of("own, byte pairs").vocabulary) == 300
    assert letters.letters_per_token == 1
    assert 1.9 < pairs.letters_per_token < 2.3
    assert 90 < len(letters.vocabulary) < 130
    assert text_of("own, characters").vocabulary == sorted(set(STORY))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_byte_pairs_know_any_text(text):
    for task in (text_of("reference, byte pairs"), text_of("own, byte pairs")):
        assert task.decode(task.encode(text)) == text


def test_pieces_are_what_their_ids_decode_to():
    task = text_of("reference, byte pairs")
    for token, piece in enumerate(task.vocabulary):
        decoded = task.decode([token])
        assert decoded == piece or (re.fullmatch("(<[0-9A-F]{2}>)+", piece) and "�" in decoded)
    assert {"the", " the", " class", "a", "\n"} <= set(task.vocabulary)


def test_byte_pairs_by_hand():
    """The pair that stands most often side by side comes first, then the pair of it and its neighbour."""
    task = BytePairs("abab abab abab acac " * 20, size=259)
    assert task.vocabulary[256:] == ["ab", "abab", " abab"]
    assert [task.vocabulary[token] for token in task.encode("abab acab")] == ["abab", " ", "a", "c", "ab"]


@EVERY
def test_windows(name):
    text = text_of(name)
    inputs, targets = text.batch(7, 11, seeded())
    assert inputs.shape == targets.shape == (7, 11)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    training = text.training.tolist()
    found = {tuple(training[start : start + 12]) for start in range(len(training) - 11)}
    for row, following in zip(inputs.tolist(), targets.tolist(), strict=True):
        assert (*row, following[-1]) in found
    again, other = text.batch(7, 11, seeded()), text.batch(7, 11, seeded(1))
    assert torch.equal(again[0], inputs)
    assert not torch.equal(other[0], inputs)


def test_every_start_is_drawn():
    """A text of 100 different letters in training: the first token of a window tells where it starts."""
    text = Text("".join(map(chr, range(1000, 1100))), "".join(map(chr, range(1000, 1020))))
    inputs, targets = text.batch(5_000, 10, seeded())
    assert set(inputs[:, 0].tolist()) == set(range(90))
    assert torch.equal(targets, inputs + 1)
    assert [part.tolist() for part in text.test(7)] == [
        [[*range(0, 7)], [*range(7, 14)]],
        [[*range(1, 8)], [*range(8, 15)]],
    ]
    assert text.batch(3, 99, seeded())[1][:, -1].tolist() == [99, 99, 99]


@EVERY
def test_test_windows(name):
    text = text_of(name)
    inputs, targets = text.test(13)
    ids, count = text.held_out, (len(text.held_out) - 1) // 13
    assert len(inputs) == min(count, 1000)
    if count <= 1000:
        assert torch.equal(inputs.flatten(), ids[: 13 * count])
        assert torch.equal(targets.flatten(), ids[1 : 13 * count + 1])
    few = text.test(13, most=5)[0]
    assert few.tolist() == [ids[13 * (i * count // 5) :][:13].tolist() for i in range(5)]
    assert torch.equal(text.test(13)[0], inputs)


@pytest.mark.parametrize("context", [0, -1, 10_000_000])
def test_context_that_does_not_fit(context):
    letters, pairs = text_of("reference, characters"), text_of("own, byte pairs")
    for ask in (lambda: letters.batch(3, context, seeded()), lambda: pairs.test(context)):
        with pytest.raises(ValueError, match=f"expected a context from 1 to [0-9]+ tokens, .*; got {context}"):
            ask()


def test_a_batch_of_none():
    with pytest.raises(ValueError, match="size to be a whole number of at least 1, got 0"):
        text_of("own, characters").batch(0, 5, seeded())


def test_unseen_characters_are_named():
    with pytest.raises(ValueError, match=re.escape('"π = 3" holds "=" (EQUALS SIGN) and "π" (GREEK SMALL LETTER PI)')):
        Characters("3 is near").encode("π = 3")
    with pytest.raises(ValueError, match="ROCKET"):
        text_of("own, characters").encode("🚀")
    with pytest.raises(ValueError, match="expected a text for text, got 3"):
        text_of("own, characters").encode(3)
    assert text_of("own, characters").encode("").tolist() == text_of("own, byte pairs").encode("").tolist() == []


@EVERY
@pytest.mark.parametrize("ids", [[-1], [0, 10_000], torch.tensor([600])])
def test_ids_that_are_none(name, ids):
    text = text_of(name)
    with pytest.raises(ValueError, match=f"expected ids from 0 to {len(text.vocabulary) - 1}, got"):
        text.decode(ids)


def paragraphs(text):
    return [" ".join(part.split()) for part in re.split(r"\n\n+", text)]


def test_no_paragraph_of_the_reference_stands_twice():
    """Read off the result, not the original: what is cut to eight signs may still come twice."""
    training, held_out = map(paragraphs, reference_topics())
    long = [part for part in [*training, *held_out] if len(part) > 30]
    assert len(long) == len(set(long))
    assert set(part for part in held_out if len(part) > 30).isdisjoint(training)


def test_the_reference_is_nearly_all_there():
    from pydoc_data.topics import topics

    training, held_out = reference_topics()
    assert 250_000 < len(training) < sum(map(len, topics.values()))
    assert 0.05 < len(held_out) / len(training) < 0.15
    last = sorted(topics)[-1]
    assert topics[last].strip()[:40].split("\n")[0] in held_out
    words = set(" ".join(topics.values()).split())
    kept = set(f"{training} {held_out}".split())
    assert {word for word in words if word.isalpha()} <= kept


def test_no_long_runs_in_the_reference():
    for part in reference_topics():
        assert not re.search(r"([^\w])\1{8}", part)
        assert "\n    " in part  # indentation stays


def test_python_without_its_reference(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(ValueError, match="this Python was installed without its language reference"):
        Text.python_reference()


def test_a_file(tmp_path):
    path = tmp_path / "story.txt"
    path.write_bytes(b"\xef\xbb\xbf" + STORY.encode())
    text = Text.from_file(path)
    assert text.decode(text.training) + text.decode(text.held_out) == STORY.replace("\r\n", "\n")
    assert torch.equal(Text.from_file(str(path)).training, text.training)


def test_files_that_are_no_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "poem.txt").write_text("too short", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes("café ".encode("latin-1") * 300)
    (tmp_path / "zero").write_bytes(bytes(2000))
    (tmp_path / "empty").write_bytes(b"")
    for name, message in {
        "poen.txt": f'there is no file "poen.txt"; the present folder is "{tmp_path}"; text files there: '
        '"latin.txt" and "poem.txt"',
        "nowhere/poem.txt": 'there is no file "nowhere',
        ".": 'expected a text file, but "." is a folder; text files there:',
        "latin.txt": 'expected text in UTF-8, but byte 3 of "latin.txt" is 0xe9',
        "zero": "holds zero bytes: it is no text file",
        "poem.txt": 'at least 1000 letters, to learn from nine tenths and to test with the rest; got 9: "too short"',
        "empty": 'got 0: ""',
    }.items():
        with pytest.raises(ValueError, match=re.escape(message)):
            Text.from_file(name)


def test_byte_pairs_too_few():
    with pytest.raises(ValueError, match="at least the 256 bytes, got size 255"):
        BytePairs("abc", size=255)


def test_reference_is_quick():
    start = time.process_time()
    Text.python_reference()
    assert time.process_time() - start < 4 * a_million_texts()


def test_on_every_device(device):
    inputs, targets = text_of("reference, byte pairs").batch(5, 7, seeded(device=device))
    assert inputs.device.type == targets.device.type == device.type
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert text_of("reference, byte pairs").decode(inputs[0])
