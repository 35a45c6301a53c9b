"""ReadingExplorer and DateExplorer show what greedy search did, and go on from what a hand has set."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import AttentionSeq2Seq, greedy
from attnlab.attention import Attention
from attnlab.seq2seq import Decoder, Encoder, Memory, Seq2Seq
from attnlab.tasks import BOS, EOS, TASKS
from widgets.glance import STATES, GlanceExplorer
from widgets.reading import DateExplorer, ReadingExplorer

TEXT = "mardi 3 mars 1992"
PLACES = [13, 14, 15, 16, 12, 8, 8, 7, 6, 6]  # where Reader looks while it writes 1992-03-03


class Reader(Seq2Seq):
    """Writes 1992-03-03, looking at one character for each; a digit of the year is whatever it looks at."""

    def __init__(self, task):
        super().__init__(Encoder(1, 1, 1, True), Decoder(1, 1, 1, 1))  # never asked
        self.task, self.vocabulary = task, task.target_vocabulary

    def encode(self, source, lengths):
        self.source = source
        return Memory(torch.zeros(*source.shape, 1), torch.ones_like(source, dtype=torch.bool), torch.zeros(1, 1))

    def step(self, previous, state, memory, weights=None):
        at = state.place
        own = torch.zeros(1, 1, memory.mask.shape[1])
        own[0, 0, PLACES[min(at, 9)]] = 1
        used = own if weights is None else weights
        target = "1992-03-03"[at] if at < 10 else "<EOS>"
        if at < 4:
            target = self.task.source_vocabulary[int(self.source[0, int(used.argmax())])]
        logits = torch.full((1, len(self.vocabulary)), -9.0)
        logits[0, self.vocabulary.index(target)] = 9.0
        return logits, state._replace(place=at + 1), Attention(torch.zeros(1, 1, 1), used, own.log().clamp(min=-9))


@pytest.fixture(scope="module")
def task():
    return TASKS["dates"]()


@pytest.fixture
def dates(task):
    return DateExplorer(Reader(task), task, text=TEXT, step=7)


def test_glance():
    explorer = GlanceExplorer()
    drive(explorer)
    by_pencil = [1 / 12.107, 2.718 / 12.107, 7.389 / 12.107, 1 / 12.107]
    assert explorer.weights[0].tolist() == pytest.approx(by_pencil, abs=1e-3)
    torch.testing.assert_close(explorer.context, explorer.weights[0] @ STATES)
    explorer.change(we=1.0, are=2.0, eating=3.0, bread=1.0)
    assert explorer.weights[0, 2].item() == pytest.approx(7.389 / 12.107, abs=1e-3)
    sizes = torch.tensor(explorer.parts["plane"].traces["1"]["marker"]["size"])
    assert sizes.argsort().tolist()[2:] == [1, 2]  # a state's dot grows with its weight


@pytest.mark.parametrize("kind", [ReadingExplorer, DateExplorer])
def test_an_untrained_model_can_be_read_too(task, kind):
    torch.manual_seed(0)
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), hidden=7, embedding=5)
    drive(kind(model, task, text=TEXT), model=model, task=task)


def test_dates(dates, task):
    drive(dates, model=dates.model, task=task)
    caption, matrix = dates.parts["caption"], dates.parts["matrix"]
    assert repr(caption) == ("The model reads “mars” while it writes 03: 100\u202f% of the weight lies there. "
                             "1992-03-03 is right.")
    assert matrix.query_groups == [[0, 4, "year"], [5, 7, "month"], [8, 10, "day"]]
    assert (matrix.current, matrix.produced, "".join(matrix.query_labels)) == (6, 6, "1992-03-03")
    assert matrix.distribution_labels[matrix.distribution_chosen] == "3"
    assert matrix.distribution[0].argmax() == matrix.distribution_chosen
    steps = [step for step in greedy(dates.model, task.read(TEXT), BOS, EOS) if step.token != EOS]
    torch.testing.assert_close(dates.weights, torch.stack([step.weights for step in steps]))
    assert repr(dates) == "DateExplorer(“mardi 3 mars 1992”): the model writes “1992-03-03”"


def test_a_wrong_answer_is_told(dates):
    dates.text = "mardi 4 mars 1992"
    assert "is wrong, it is 1992-03-04" in repr(dates.parts["caption"])


def test_a_row_by_hand_changes_what_is_written(dates, task):
    at_the_2 = [0.0] * 16 + [1.0]
    dates.parts["matrix"].edits = {"2": at_the_2}
    assert "1992-03-03" in repr(dates), "nothing is decoded before the button is pressed"
    dates.parts["matrix"].press()
    assert dates.given == {2: at_the_2}
    assert dates.edits == dates.parts["matrix"].edits == {}
    assert (dates.step, "".join(dates.result.written)) == (3, "1922-03-03")
    assert dates.weights[2].tolist() == at_the_2
    assert "set by hand" in repr(dates.parts["caption"])
    code_gives_the_picture(dates, model=dates.model, task=task)


def test_what_a_hand_did_ends_with_the_text_or_a_reset(dates):
    for forget in [lambda: setattr(dates, "text", "mardi 4 mars 1992"), dates.reset]:
        dates.parts["matrix"].edits = {"2": [0.0] * 16 + [1.0]}
        dates.parts["matrix"].press()
        dates.parts["matrix"].edits = {"1": [0.0] * 16 + [1.0]}
        assert dates.given
        assert dates.edits
        forget()
        assert dates.given == dates.edits == dates.parts["matrix"].edits == {}


@pytest.mark.parametrize(("text", "told"), [
    ("", "got an empty text"), ("hello", "no date in a form I know"), ("3/4/1992", "another day in another"),
    ("x" * 10_000, "at most 60 characters"), ("🎉", "PARTY POPPER"), ("<script>alert(1)</script>", "never seen"),
])
def test_bad_text_gets_a_sentence_and_loses_nothing(dates, text, told):
    before = dates.parts["matrix"].values.copy()
    dates.text = text
    assert told in dates.parts["caption"].error
    assert (dates.parts["matrix"].values == before).all()
    dates.text = TEXT
    assert dates.parts["caption"].error == ""
