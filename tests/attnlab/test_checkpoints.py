import pytest
import torch
from torch import nn

from attnlab.alignment import SCORES
from attnlab.checkpoints import load, save
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext
from attnlab.transformer import gpt


def model_of(seed=0, hidden=5, score="additive"):
    torch.manual_seed(seed)
    return AttentionSeq2Seq(11, 13, hidden, embedding=3, score=SCORES[score], bidirectional=False)


def parameters(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def test_there_and_back(tmp_path):
    path = tmp_path / "dates.safetensors"
    save(model_of(0), path, vocabulary=["a", "é", "日"], seed=3)
    model = model_of(1)
    header = load(path, model, vocabulary=["a", "é", "日"])
    assert torch.equal(parameters(model), parameters(model_of(0)))
    assert header["seed"] == 3
    assert header["versions"]["torch"] == torch.__version__
    assert [file.name for file in tmp_path.iterdir()] == ["dates.safetensors"]


def test_a_file_cut_anywhere(tmp_path):
    path = tmp_path / "whole"
    save(model_of(), path)
    whole, model = path.read_bytes(), model_of(1)
    before = parameters(model)
    for length in [0, 5, 8, 100, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=rf"whole checkpoint of attnlab, got .*whole \({length} bytes\)"):
            load(path, model)
    assert torch.equal(parameters(model), before)


@pytest.mark.parametrize("content", [b"not a checkpoint at all", b"\x02\0\0\0\0\0\0\0{}", b"\xff" * 64])
def test_a_file_of_something_else(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ValueError, match="expected a whole checkpoint of attnlab"):
        load(tmp_path / "other", model_of())


def test_another_architecture(tmp_path):
    save(model_of(score="dot"), tmp_path / "dot")
    models = [model_of(hidden=7, score="dot"), model_of(score="scaled_dot"), FixedContext(11, 13, 5, 3)]
    for model in models:
        before = parameters(model)
        with pytest.raises(ValueError, match=r"another architecture: expected '.*', got '.*'"):
            load(tmp_path / "dot", model)
        assert torch.equal(parameters(model), before)


def test_a_small_difference_in_a_long_line_is_seen(tmp_path):
    saved, other = (nn.Sequential(nn.Linear(3, 3, bias=bias)) for bias in (True, False))
    save(saved, tmp_path / "file")
    with pytest.raises(ValueError, match=r"expected '\.\.\..*bias=False\)', got '\.\.\..*bias=True\)'"):
        load(tmp_path / "file", other)


@pytest.mark.parametrize(("saved", "expected"), [("a", "b"), (["a", "b"], ["a"]), (3, "3"), (None, 1)])
def test_another_header(tmp_path, saved, expected):
    save(model_of(), tmp_path / "x", entry=saved)
    with pytest.raises(ValueError, match=r"another entry: expected .*, got "):
        load(tmp_path / "x", model_of(), entry=expected)


def test_an_entry_that_is_missing(tmp_path):
    save(model_of(), tmp_path / "x")
    with pytest.raises(ValueError, match="another seed: expected '3', got 'None'"):
        load(tmp_path / "x", model_of(), seed=3)


def test_a_header_that_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="texts, numbers, lists and dicts"):
        save(model_of(), tmp_path / "x", generator=torch.Generator())
    assert not list(tmp_path.iterdir())


def test_a_failed_save_keeps_what_was_there(tmp_path, monkeypatch):
    save(model_of(0), tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()

    def full(model, path, metadata):
        with open(path, "wb") as file:
            file.write(whole[:50])
        raise OSError("no space left on device")

    monkeypatch.setattr("safetensors.torch.save_model", full)
    with pytest.raises(OSError, match="no space"):
        save(model_of(1), tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == whole
    assert len(list(tmp_path.iterdir())) == 1


def test_who_may_read_a_file_may_read_a_checkpoint(tmp_path):
    (tmp_path / "plain").touch()
    save(model_of(), tmp_path / "x")
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none", model_of())


def test_there_and_back_on_each_device(tmp_path, device):
    """Also with one tensor in two places: the output map of a GPT is its table of tokens."""

    def new(seed):
        torch.manual_seed(seed)
        return gpt(11, 12, 3, 2, 17).to(device)

    model, tokens = new(1), torch.arange(5, device=device).unsqueeze(0)
    save(new(0), tmp_path / "gpt", seed=0)
    assert load(tmp_path / "gpt", model)["seed"] == 0
    assert torch.equal(model(tokens), new(0)(tokens))
    assert model.output.weight is model.embed.tokens.weight
    assert model(tokens).device.type == device.type


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(ValueError, match="expected the path of a file to write, got the folder"):
        save(model_of(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_tied_and_untied(tmp_path):
    def new(tied):
        model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
        if tied:
            model[1].weight = model[0].weight
        return model

    for saved, filled in (True, False), (False, True):
        save(new(saved), tmp_path / "m")
        model = new(filled)
        before = parameters(model)
        with pytest.raises(ValueError, match="holds another architecture: expected one tensor"):
            load(tmp_path / "m", model)
        assert all(map(torch.equal, before, parameters(model)))
    for tied in True, False:
        model = new(tied)
        save(model, tmp_path / "m")
        load(tmp_path / "m", other := new(tied))
        assert all(map(torch.equal, parameters(model), parameters(other)))


def test_parameters_without_numbers_are_not_shared(tmp_path):
    def new():
        return nn.Sequential(nn.ParameterList([torch.zeros(0), torch.zeros(0)]), nn.Linear(2, 3))

    model = new()
    save(model, tmp_path / "m")
    load(tmp_path / "m", other := new())
    assert torch.equal(other[1].weight, model[1].weight)


def test_what_is_added_does_not_take_the_place_of_what_is_kept_anyway(tmp_path):
    save(model_of(), tmp_path / "m", architecture="mine", versions="all")
    assert load(tmp_path / "m", model_of(1))["versions"] == {"torch": torch.__version__}
