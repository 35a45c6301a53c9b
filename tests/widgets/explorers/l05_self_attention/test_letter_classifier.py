"""LetterClassifierExplorer shows what the models answer about the letters in the order into which they were dragged."""

import pytest
import torch
from explorers import code_gives_the_picture, drive
from torch import nn

from attnlab import MultiHeadAttention, override, sinusoidal
from attnlab.training import weights_of
from widgets.explorers.l05_self_attention.letter_classifier import AGAIN, BACK, LetterClassifierExplorer, right_answers

KNOWN = list("abcdefghijklmnop")


class Machine(nn.Module):
    """Untrained; `places` tells whether it knows them."""

    def __init__(self, answers, places):
        super().__init__()
        self.embedding, self.places = nn.Embedding(16, 8), places
        self.attention, self.read = MultiHeadAttention(8, 1), nn.Linear(8, answers)

    def forward(self, letters):
        x = self.embedding(letters)
        return self.read(x + self.attention(x + sinusoidal(letters.shape[1], 8) if self.places else x))


@pytest.fixture
def machines():
    torch.manual_seed(0)
    return {
        kind: {"again": Machine(2, places), "back": Machine(16, places)}
        for kind, places in [("without", False), ("with", True)]
    }


@pytest.fixture
def explorer(machines):
    return LetterClassifierExplorer(machines, KNOWN, text="cabbagepie")


def test_every_control(explorer, machines):
    drive(explorer, machines=machines)


@pytest.mark.parametrize("positions", [False, True])
def test_picture_is_that_of_the_letters_in_their_order(explorer, machines, positions):
    order = [3, 0, 9, 1, 2, 4, 8, 7, 6, 5]
    explorer.change(order=order, positions=positions, question=BACK)
    code_gives_the_picture(explorer, machines=machines)
    placed = ["cabbagepie"[i] for i in order]
    ids = torch.tensor([[KNOWN.index(letter) for letter in placed]])
    machine = machines["with" if positions else "without"]["back"]
    torch.testing.assert_close(explorer.weights, weights_of(machine, "attention", ids)[0, 0])
    named = [KNOWN[i] for i in machine(ids)[0].argmax(-1)]
    answers = [explorer.parts["flow"].answers[i] for i in order]
    assert answers[:2] == [["–", "none"]] * 2
    for place in range(2, 10):
        right = named[place] == placed[place - 2]
        assert answers[place] == [named[place], "right" if right else "wrong"]
    assert explorer.result.right == sum(mark == "right" for _, mark in answers)
    assert explorer.result.asked == 8


def test_without_positions_the_answers_travel_with_the_letters(explorer):
    explorer.question = BACK
    before = explorer.result
    explorer.order = list(range(9, -1, -1))
    assert explorer.result.given == before.given
    torch.testing.assert_close(explorer.result.weights, before.weights)
    explorer.positions = True
    backwards = explorer.result.weights
    explorer.order = []
    assert not torch.allclose(explorer.result.weights, backwards)


class Pointing(nn.Module):
    """Knows the answers: each letter reads its own kind, or the place two to its left."""

    def __init__(self, back):
        super().__init__()
        self.back, self.attention = back, MultiHeadAttention(16, 1)

    def forward(self, letters):
        ids, count = letters[0].tolist(), letters.shape[1]
        weights = torch.eye(count).roll(-2, 1) if self.back else (letters[0][:, None] == letters[0]).float()
        with override(self, {"attention": weights / weights.sum(-1, keepdim=True)}):
            self.attention(torch.zeros(1, count, 16))
        answers = [ids[i - 2] if self.back else int(ids.count(ids[i]) > 1) for i in range(count)]
        return nn.functional.one_hot(torch.tensor([answers]), 16 if self.back else 2).float()


def test_what_is_said_is_counted(machines):
    machines["with"] = {"again": Pointing(False), "back": Pointing(True)}
    explorer = LetterClassifierExplorer(machines, KNOWN, text="cabbagepie", positions=True)
    caption = explorer.parts["caption"]
    assert repr(caption).startswith("10 of 10 answers are right. 10 of 10 letters read their own kind most")
    explorer.change(question=BACK, order=[3, 0, 9, 1, 2, 4, 8, 7, 6, 5])
    assert repr(caption).startswith("8 of 8 answers are right. 8 of 8 letters read the place two to their left most")


def test_right_answers():
    assert right_answers(AGAIN, list("abca")) == ["yes", "no", "no", "yes"]
    assert right_answers(BACK, list("abca")) == [None, None, "a", "b"]
    assert right_answers(BACK, ["a"]) == [None]


def test_words_leave_out_what_another_machine_may_guess_otherwise(explorer):
    assert repr(explorer) == (
        "LetterClassifierExplorer(text='cabbagepie', question='here once more?', positions=False, shuffle=0)"
    )


def test_the_chances_of_a_selected_letter_stand_beside_the_matrix(explorer):
    matrix = explorer.parts["matrix"]
    matrix.selected = [0, 4, 1]
    assert matrix.distribution.shape == (1, 2)
    explorer.parts["flow"].selected = -1
    assert matrix.distribution is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 10 letters, got 0"),
        ("cab", "got 3"),
        ("cabbagepiz", "from a to p, got “z”"),
        ("cab bagepi", "got “␣”"),
        ("<b>cabbage", "got “<”"),
    ],
)
def test_bad_letters_get_a_sentence_and_lose_nothing(explorer, text, message):
    before = explorer.parts["matrix"].values.copy()
    explorer.text = text
    assert message in explorer.parts["caption"].error
    assert (explorer.parts["matrix"].values == before).all()
    explorer.text = "CABBAGEPIE"
    assert explorer.parts["caption"].error == ""
