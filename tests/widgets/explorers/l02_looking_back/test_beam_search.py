"""BeamSearchExplorer: what the tree shows is what attnlab's searches did; sentence, code and films agree with it."""

import math

import pytest
import torch
from explorers import frames_are_the_pictures, go_far, its_moment_opens, reads_well
from wander import wander

from attnlab.decoding import beam, best, greedy, tokens
from attnlab.seq2seq import AttentionSeq2Seq, Decoder, Encoder, Memory, Seq2Seq
from attnlab.tasks import BOS, EOS, TASKS
from widgets.explorers.l02_looking_back.beam_search import DROPPED, LONGEST, BeamSearchExplorer, identity

WORDS = ["<PAD>", "<BOS>", "<EOS>", "la", "el", "zona", "casa", "espacio", "roja"]
LA, EL, ZONA, CASA, ESPACIO, ROJA = range(3, 9)
NEXT = {
    BOS: {LA: 0.55, EL: 0.45},
    LA: {ZONA: 0.4, CASA: 0.35, ROJA: 0.25},
    EL: {ESPACIO: 0.9, ROJA: 0.1},
    ZONA: {EOS: 0.5, ROJA: 0.5},
    ESPACIO: {EOS: 0.9, ROJA: 0.1},
    CASA: {EOS: 1.0},
    ROJA: {EOS: 1.0},
}


class Chain(Seq2Seq):
    """A model that knows, whatever the source, which word follows which: greedy search falls for "la"."""

    def __init__(self, following=NEXT):
        super().__init__(Encoder(1, 1, 1, True), Decoder(1, 1, 1, 1))  # never asked
        table = torch.full((len(WORDS), len(WORDS)), 1e-9)
        for word, row in following.items():
            for after, share in row.items():
                table[word, after] = share
        self.table = table.log()

    def encode(self, source, lengths):
        nothing = torch.zeros(len(source), 1)
        return Memory(nothing.expand(*source.shape, 1), torch.ones_like(source, dtype=torch.bool), nothing)

    def step(self, previous, state, memory, weights=None):
        return self.table[previous], state, None


class Words:
    """The least that a task must offer."""

    target_vocabulary = WORDS
    joint = " "
    test = ()

    def read(self, text):
        if not text.isalpha():
            raise ValueError(f"expected one word, got {text!r}")
        return torch.tensor([3, 4, 5])

    def write(self, ids):
        return self.joint.join(WORDS[i] for i in ids if i > EOS)


@pytest.fixture(scope="module")
def wordy():
    """A model that never learned, and yet prefers some words to others, so that the searches have something to
    disagree about."""
    task = TASKS["phrasebook"]()
    torch.manual_seed(0)
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), hidden=16).eval()
    with torch.no_grad():
        model.decoder.output.weight.mul_(8)
        model.decoder.output.bias[EOS] += 4
    return model, task


@pytest.fixture
def explorer():
    return BeamSearchExplorer(Chain(), Words(), "area", width=2)


def words(explorer):
    return "".join(text for text, _ in explorer.parts["caption"].sentence)


def test_greedy_falls_for_the_first_word_and_the_beam_does_not(explorer):
    assert words(explorer) == (
        "A beam of 2 finds “el espacio” with score −0.34, greedy search “la zona” with −0.74: they part at step 1, "
        "where greedy takes “la” (55\u202f%) and the beam also keeps “el” (45\u202f%)."
    )
    assert explorer.parts["caption"].sentence[3] == ["“el espacio”", "query"]
    assert explorer.parts["tree"].text(explorer.parts["tree"].best) == "el espacio"
    assert explorer.parts["tree"].score == pytest.approx(math.log(0.45 * 0.9 * 0.9) / 3, abs=1e-5)


def test_width_one_is_greedy_search(explorer):
    explorer.width = 1
    assert words(explorer).startswith("A beam of 1 is greedy search")
    assert [n["id"] for n in explorer.parts["tree"].nodes] == explorer.parts["tree"].greedy


def test_sentence_when_both_agree():
    model = Chain({BOS: {LA: 0.9, EL: 0.1}, LA: {EOS: 1.0}, EL: {EOS: 1.0}})
    assert words(BeamSearchExplorer(model, Words(), "area")) == (
        "A beam of 3 finds “la” with score −0.05; greedy search finds the same."
    )


def test_sentence_on_the_way(explorer):
    explorer.step = 2
    assert words(explorer) == "Step 2: of 4 hypotheses weighed, 2 go on; the best so far is “el espacio”."
    assert explorer.parts["tree"].step == 2


def test_sentence_when_nothing_ends():
    model = Chain({BOS: {LA: 1.0}, LA: {LA: 1.0}})
    explorer = BeamSearchExplorer(model, Words(), "area", width=1)
    assert words(explorer).startswith(f"After {LONGEST} steps no hypothesis has ended; the best says “la la")
    assert explorer.step == LONGEST


def test_what_greedy_did_outside_the_beam_is_drawn(explorer):
    tree = explorer.parts["tree"]
    nodes = {n["id"]: n for n in tree.nodes}
    assert [nodes[i]["token"] for i in tree.greedy] == ["la", "zona", "<EOS>"]
    assert [nodes[i]["status"] for i in tree.greedy] == ["kept", "kept", "finished"]
    model = Chain({**NEXT, EL: {ESPACIO: 0.55, CASA: 0.45}, LA: {ZONA: 0.3, CASA: 0.25, ROJA: 0.25, EOS: 0.2}})
    tree = BeamSearchExplorer(model, Words(), "area", width=2).parts["tree"]
    nodes = {n["id"]: n for n in tree.nodes}
    assert [nodes[i]["status"] for i in tree.greedy] == ["kept", "dropped", "greedy"]
    assert tree.parting() == 2


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_tree_is_the_search(wordy, width):
    model, task = wordy
    explorer = BeamSearchExplorer(model, task, "the european economic area", width=width, length_penalty=0.7)
    tree = explorer.parts["tree"]
    source = task.read("the european economic area")
    steps = list(beam(model, source, BOS, EOS, width, LONGEST, 0.7))
    nodes = {n["id"]: n for n in tree.nodes}
    drawn = 0
    for step, hypotheses in steps:
        for h in hypotheses:
            node = nodes.get(identity(tokens(steps, h)))
            assert node or h.status == "dropped"
            if node:
                drawn += 1
                assert node["step"] == step + 1
                assert node["token"] == task.target_vocabulary[h.token]
                assert (node["log_probability"], node["score"]) == pytest.approx((h.log_probability, h.score), abs=1e-5)
                assert node["status"] == h.status
        dropped = sum(h.status == "dropped" for h in hypotheses)
        shown = sum(n["step"] == step + 1 and n["status"] == "dropped" for n in tree.nodes)
        assert shown <= DROPPED + 1
        assert explorer.result.more[step] == dropped - shown
    assert drawn + sum(n["status"] == "greedy" for n in tree.nodes) == len(tree.nodes)
    assert tree.best == identity(tokens(steps, best(steps)))
    written = [step.token for step in greedy(model, source, BOS, EOS, LONGEST)]
    assert [nodes[i]["token"] for i in tree.greedy] == [task.target_vocabulary[t] for t in written]
    assert (width == 1) == (tokens(steps, best(steps)) == written), "a model without a disagreement shows nothing"


@pytest.mark.parametrize("state", [{}, {"width": 1}, {"width": 5, "length_penalty": 0.0}, {"step": 2}])
def test_code_gives_the_picture(wordy, state):
    model, task = wordy
    explorer = BeamSearchExplorer(model, task, "we are eating bread", **state)
    names = {"model": model, "task": task}
    exec(explorer.parts["caption"].code, names)
    assert names["score"] == pytest.approx(explorer.parts["tree"].score, abs=1e-5)
    assert len(names["steps"]) == min(explorer.step, explorer.result.length)
    assert names["text"] == explorer.parts["tree"].text(explorer.parts["tree"].best)


@pytest.mark.parametrize("name", ["width", "step", "length_penalty"])
def test_frames_are_the_pictures(wordy, name):
    model, task = wordy
    frames_are_the_pictures(BeamSearchExplorer(model, task, "the european economic area"), name)


def test_its_moment_opens_and_a_walk_leads_nowhere_else(explorer):
    go_far(explorer)
    its_moment_opens(explorer)
    wander(explorer)


def test_every_width_can_be_looked_at_to_its_end(explorer):
    for width in range(1, 6):
        explorer.width = width
        reads_well(explorer)
        assert explorer.step == explorer.result.positions >= explorer.result.length
        assert "Step" not in words(explorer)


def test_a_new_text_is_shown_to_its_end(wordy):
    model, task = wordy
    explorer = BeamSearchExplorer(model, task, "we are eating bread", step=2)
    assert explorer.step == 2
    explorer.text = "the man of my old street"
    assert explorer.step == explorer.result.positions
    explorer.reset()
    assert (explorer.text, explorer.step) == ("we are eating bread", 2)


def test_unknown_words_and_no_words_give_a_banner(wordy):
    model, task = wordy
    explorer = BeamSearchExplorer(model, task, "we are eating bread")
    picture = explorer.parts["tree"].nodes
    for text in ["we are eating brexd", "", "<script>alert(1)</script>", "x" * 10000, "سلام 🎉"]:
        explorer.text = text
        assert explorer.parts["caption"].error
        assert explorer.parts["tree"].nodes == picture
        with pytest.raises(ValueError, match=r"."):
            explorer.result  # noqa: B018
    explorer.text = "we are eating bread"
    reads_well(explorer)


def test_hypotheses_keep_their_id_when_the_width_changes(wordy):
    model, task = wordy
    explorer = BeamSearchExplorer(model, task, "the european economic area", width=2)
    before = {n["id"]: n["token"] for n in explorer.parts["tree"].nodes}
    explorer.width = 4
    after = {n["id"]: n["token"] for n in explorer.parts["tree"].nodes}
    assert len(before.keys() & after.keys()) > len(before) / 2
    assert all(before[i] == after[i] for i in before.keys() & after.keys())


def test_dates_letter_by_letter():
    task = TASKS["dates"]()
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), hidden=8)
    explorer = BeamSearchExplorer(model, task, "mardi 3 mars 1992")
    assert explorer.parts["tree"].separator == ""
    reads_well(explorer)
    assert "mardi 3 mars 1992" in repr(explorer)


def test_first_text_is_held_out(wordy):
    model, task = wordy
    assert BeamSearchExplorer(model, task).text == task.test[0].source
