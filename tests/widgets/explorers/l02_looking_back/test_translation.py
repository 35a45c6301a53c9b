"""TranslationExplorer: what greedy search did, and how it goes on from what a hand has set."""

import pytest
import torch
from date_reader import TEXT, DateReader
from explorers import code_gives_the_picture, drive

from attnlab import AttentionSeq2Seq
from attnlab.tasks import EOS, TASKS
from widgets.explorers.l02_looking_back.translation import TranslationExplorer


@pytest.fixture(scope="module")
def task():
    return TASKS["dates"]()


@pytest.fixture
def explorer(task):
    return TranslationExplorer(DateReader(task), task, text=TEXT, step=3)


class Brief(AttentionSeq2Seq):
    """Ends after six tokens, whatever it has learned."""

    def step(self, previous, state, memory, weights=None):
        logits, after, attention = super().step(previous, state, memory, weights)
        logits[:, EOS] = 99.0 if state.place >= 6 else -99.0
        return logits, after, attention


def test_an_untrained_model_can_be_read_too(task):
    torch.manual_seed(0)
    model = Brief(len(task.source_vocabulary), len(task.target_vocabulary), hidden=7, embedding=5)
    drive(TranslationExplorer(model, task, text=TEXT), model=model, task=task)


def test_the_row_of_the_step_is_told(explorer):
    assert repr(explorer.parts["caption"]) == "The model writes “9”: it reads “9” with 100\u202f% of the weight."
    matrix = explorer.parts["matrix"]
    assert (matrix.current, matrix.produced, "".join(matrix.query_labels)) == (2, 2, "1992-03-03")
    assert repr(explorer) == f"TranslationExplorer(text='{TEXT}', step=3)"


def test_a_row_by_hand_changes_what_is_written(explorer, task):
    at_the_2 = [0.0] * 16 + [1.0]
    explorer.parts["matrix"].edits = {"2": at_the_2}
    assert "".join(explorer.result.written) == "1992-03-03", "nothing is decoded before the button is pressed"
    explorer.parts["matrix"].press()
    assert explorer.given == {2: at_the_2}
    assert explorer.edits == explorer.parts["matrix"].edits == {}
    assert (explorer.step, "".join(explorer.result.written)) == (3, "1922-03-03")
    assert explorer.weights[2].tolist() == at_the_2
    assert "(a row set by hand)" in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer, model=explorer.model, task=task)


def test_what_a_hand_did_ends_with_the_text_or_a_reset(explorer):
    for forget in [lambda: setattr(explorer, "text", "mardi 4 mars 1992"), explorer.reset]:
        explorer.parts["matrix"].edits = {"2": [0.0] * 16 + [1.0]}
        explorer.parts["matrix"].press()
        explorer.parts["matrix"].edits = {"1": [0.0] * 16 + [1.0]}
        assert explorer.given
        assert explorer.edits
        forget()
        assert explorer.given == explorer.edits == explorer.parts["matrix"].edits == {}


def test_a_model_that_ends_at_once(explorer, task):
    class Mute(DateReader):
        def step(self, previous, state, memory, weights=None):
            logits, state, attention = super().step(previous, state, memory, weights)
            return torch.nn.functional.one_hot(torch.tensor([EOS]), logits.shape[1]).float(), state, attention

    mute = TranslationExplorer(Mute(task), task, text=TEXT)
    assert mute.parts["caption"].error == "the model ends before it has written anything: train it first"
    assert repr(mute).endswith(mute.parts["caption"].error)
