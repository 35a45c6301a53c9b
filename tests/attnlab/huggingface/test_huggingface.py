"""Small random models of transformers, made here, against ours with their weights. Nothing is downloaded."""

import hashlib
import json
import warnings
from functools import partial

import pytest
import torch
from shaken import shaken
from torch import nn
from torch.nn.functional import relu

from attnlab import trained
from attnlab.blocks import tanh_gelu
from attnlab.decoding import most_probable, write
from attnlab.huggingface import albert, bert, bert_encoder, dinov2, from_folder, from_hub, from_model, gpt2, llama, vit
from attnlab.huggingface.albert import ALBERT
from attnlab.huggingface.dinov2 import IN_FILES as dino_in_files
from attnlab.huggingface.files import check_hash, checked_bytes
from attnlab.huggingface.vit import IN_FILES
from attnlab.masks import padding
from attnlab.tasks.reactions import encode, equation, reactions
from attnlab.trace import record

TEXT = torch.tensor([[3, 22, 0, 7, 7, 19, 4], [5, 1, 22, 22, 2, 0, 0], [8, 0, 0, 0, 0, 0, 0]])
MASK = padding(torch.tensor([7, 5, 1]), 7)
SEGMENTS = torch.tensor([[0, 0, 1, 1, 2, 2, 2], [1, 1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]])

close = partial(torch.testing.assert_close, atol=1e-4, rtol=1e-4)


@pytest.fixture(scope="module")
def transformers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("transformers")
        from transformers import (  # noqa: F401
            AlbertForMaskedLM,
            BertForMaskedLM,
            BertForPreTraining,
            BertModel,
            Dinov2Model,
            GPT2LMHeadModel,
            LlamaForCausalLM,
            ViTForImageClassification,
        )
    module.logging.set_verbosity_error()
    return module


@pytest.fixture
def make_gpt2(transformers):
    def make(kind="GPT2LMHeadModel", **options):
        config = {
            "vocab_size": 23,
            "n_positions": 13,
            "n_embd": 10,
            "n_layer": 3,
            "n_head": 2,
            "n_inner": 29,
            "bos_token_id": 0,
            "eos_token_id": 0,
        }
        return shaken(getattr(transformers, kind)(transformers.GPT2Config(**config | options)))

    return make


@pytest.fixture
def make_bert(transformers):
    def make(kind="BertForMaskedLM", **options):
        config = {
            "vocab_size": 23,
            "max_position_embeddings": 13,
            "hidden_size": 10,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "intermediate_size": 29,
            "type_vocab_size": 3,
        }
        return shaken(getattr(transformers, kind)(transformers.BertConfig(**config | options)))

    return make


@pytest.fixture
def make_albert(transformers):
    def make(**options):
        config = {
            "vocab_size": 23,
            "max_position_embeddings": 13,
            "embedding_size": 6,
            "hidden_size": 10,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "intermediate_size": 29,
            "type_vocab_size": 3,
        }
        return shaken(transformers.AlbertForMaskedLM(transformers.AlbertConfig(**config | options)))

    return make


OPTIONS = pytest.mark.parametrize(
    "options",
    [
        {},
        {"tie_word_embeddings": False},
        {"n_inner": None},
        {"activation_function": "relu"},
        {"layer_norm_epsilon": 0.5},
        {"n_layer": 11, "n_head": 5},
    ],
)


@OPTIONS
@torch.no_grad()
def test_gpt2_says_the_same(make_gpt2, options):
    theirs = make_gpt2(**options)
    ours = from_model(theirs)
    expected = theirs(TEXT).logits
    close(ours(TEXT), expected)
    assert (ours.output.weight is ours.embed.tokens.weight) == theirs.config.tie_word_embeddings
    assert ours.longest == 13
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
    caches = ours.caches()
    close(torch.cat([ours(piece, caches) for piece in TEXT.split(2, dim=1)], dim=1), expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize("kind", ["gpt2", "bert"])
@torch.no_grad()
def test_weights_keep_their_precision(make_gpt2, make_bert, kind, dtype):
    theirs = (make_gpt2() if kind == "gpt2" else make_bert()).to(dtype)
    ours = from_model(theirs)
    assert {parameter.dtype for parameter in ours.parameters()} == {dtype}
    got, expected = ours(TEXT), theirs(TEXT).logits
    assert got.dtype == dtype
    tolerance = {"atol": 1e-12, "rtol": 1e-12} if dtype == torch.float64 else {"atol": 0.2, "rtol": 0.05}
    torch.testing.assert_close(got, expected, **tolerance)
    next(ours.parameters()).zero_()
    assert next(theirs.parameters()).any()  # copied, not shared


@torch.no_grad()
def test_gpt2_attends_to_the_same(make_gpt2):
    theirs = make_gpt2(attn_implementation="eager")
    ours = from_model(theirs)
    with record(ours) as trace:
        ours(TEXT)
    for block, weights in enumerate(theirs(TEXT, output_attentions=True).attentions):
        close(trace[f"blocks.{block}.attention"][0].weights, weights)


@torch.no_grad()
def test_gpt2_writes_the_same(make_gpt2):
    theirs = make_gpt2()
    written = [step.token for step in write(from_model(theirs), TEXT[0], 5, most_probable)]
    text = TEXT[:1]
    for token in written:
        assert token == int(theirs(text).logits[0, -1].argmax())
        text = torch.cat([text, torch.tensor([[token]])], dim=1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tie_word_embeddings": False},
        {"hidden_act": "relu"},
        {"hidden_act": "gelu_new"},
        {"layer_norm_eps": 0.5},
        {"num_hidden_layers": 11, "num_attention_heads": 5},
        {"type_vocab_size": 5},
    ],
)
@torch.no_grad()
def test_bert_says_the_same(make_bert, options):
    theirs = make_bert(**options)
    ours = from_model(theirs)
    close(ours(TEXT), theirs(TEXT).logits)
    close(
        ours(TEXT, MASK, SEGMENTS), theirs(TEXT, attention_mask=MASK.squeeze(1).long(), token_type_ids=SEGMENTS).logits
    )
    assert (ours.output.output.weight is ours.encoder.embed.tokens.weight) == theirs.config.tie_word_embeddings


@torch.no_grad()
def test_bert_of_two_tasks(make_bert):
    theirs = make_bert("BertForPreTraining")
    close(from_model(theirs)(TEXT, MASK), theirs(TEXT, attention_mask=MASK.squeeze(1).long()).prediction_logits)


@torch.no_grad()
def test_an_encoder_without_output_map(make_bert):
    theirs = make_bert("BertModel", layer_norm_eps=0.5)
    ours = bert_encoder(theirs.state_dict(), heads=2, epsilon=0.5)
    given = {"attention_mask": MASK.squeeze(1).long(), "token_type_ids": SEGMENTS}
    close(ours(TEXT, MASK, SEGMENTS), theirs(TEXT, **given).last_hidden_state)
    close(from_model(theirs)(TEXT), theirs(TEXT).last_hidden_state)
    whole = make_bert()
    close(bert_encoder(whole.state_dict(), heads=2)(TEXT), whole.bert(TEXT).last_hidden_state)
    state = theirs.state_dict()
    del state["encoder.layer.2.attention.self.key.bias"]
    with pytest.raises(ValueError, match=r"missing: encoder\.layer\.2\.attention\.self\.key\.bias; unknown: none"):
        bert_encoder(state, 2)


@pytest.mark.parametrize(
    "options",
    [{}, {"hidden_act": "gelu_new"}, {"layer_norm_eps": 0.5}, {"num_hidden_layers": 5, "num_attention_heads": 5}],
)
@torch.no_grad()
def test_albert_says_and_attends_to_the_same(make_albert, options):
    theirs = make_albert(attn_implementation="eager", **options)
    ours = from_model(theirs)
    close(ours(TEXT), theirs(TEXT).logits)
    given = {"attention_mask": MASK.squeeze(1).long(), "token_type_ids": SEGMENTS}
    expected = theirs(TEXT, output_attentions=True, **given)
    with record(ours) as trace:
        close(ours(TEXT, MASK, SEGMENTS), expected.logits)
    assert trace.names == ["encoder.blocks.0.attention"], "one block"
    assert len(trace["encoder.blocks.0.attention"]) == theirs.config.num_hidden_layers
    for call, weights in enumerate(expected.attentions):
        close(trace["encoder.blocks.0.attention"][call].weights, weights)
    unused = sum(p.numel() for name, p in theirs.named_parameters() if "pooler" in name)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters()) - unused


@torch.no_grad()
def test_the_chemistry_model_that_ships_is_as_transformers_has_it(transformers):
    model, vocabulary, _ = trained.rxnmapper()
    sizes = {"vocab_size": 591, "embedding_size": 128, "hidden_size": 256, "intermediate_size": 512}
    config = transformers.AlbertConfig(**sizes, num_hidden_layers=12, num_attention_heads=8, hidden_act="gelu")
    theirs, ours = transformers.AlbertForMaskedLM(config).eval(), model.state_dict()
    state = {
        name: ours[name.replace(part, own)]
        for name in theirs.state_dict()
        for part, own in ALBERT.items()
        if f"{name}.".startswith(f"{part}.")
    }
    theirs.load_state_dict(state | {"predictions.bias": ours["output.output.bias"]})
    for reaction in reactions()[::40]:
        tokens = encode(equation(reaction.text).tokens, vocabulary)
        close(model(tokens), theirs(tokens).logits, atol=1e-3)


@torch.no_grad()
def test_albert_with_an_output_map_of_its_own(make_albert):
    theirs = make_albert(tie_word_embeddings=False)
    theirs.predictions.decoder.weight.normal_()
    ours = from_model(theirs)
    ids = torch.tensor([[1, 4, 2, 3]])
    torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=1e-4, rtol=1e-4)


def test_albert_names_that_do_not_fit(make_albert):
    state = make_albert().state_dict()
    with pytest.raises(ValueError, match=r"unknown: albert\.encoder\.albert_layer_groups\.1\.b"):
        albert(state | {"albert.encoder.albert_layer_groups.1.b": torch.ones(2)}, 2, 3)
    with pytest.raises(ValueError, match="num_hidden_groups = 1, got 3"):
        from_model(make_albert(num_hidden_groups=3))
    with pytest.raises(ValueError, match=r"expected a matrix 'albert.embeddings.word_.*' in the state, got only x"):
        albert({"x": torch.ones(2)}, 2, 3)


@torch.no_grad()
def test_states_as_they_lie_in_files(make_gpt2, make_bert):
    theirs = make_gpt2()
    state = {name.removeprefix("transformer."): tensor for name, tensor in theirs.state_dict().items()}
    del state["lm_head.weight"]
    state |= {"h.0.attn.bias": torch.ones(1, 1, 13, 13), "h.0.attn.masked_bias": torch.tensor(-1e4)}
    close(gpt2(state, heads=2)(TEXT), theirs(TEXT).logits)
    assert "h.0.attn.bias" in state

    theirs = make_bert()
    state = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
        for name, tensor in theirs.state_dict().items()
    }
    del state["cls.predictions.decoder.weight"], state["cls.predictions.decoder.bias"]
    state["bert.embeddings.position_ids"] = torch.arange(13).unsqueeze(0)
    close(bert(state, heads=2)(TEXT), theirs(TEXT).logits)
    assert bert({k: v.double() for k, v in state.items()}, 2)(TEXT).dtype == torch.float64


@torch.no_grad()
def test_activations_are_a_choice(make_gpt2, make_bert):
    theirs = make_gpt2(activation_function="relu")
    close(gpt2(theirs.state_dict(), 2, activation=relu)(TEXT), theirs(TEXT).logits)
    theirs = make_bert(hidden_act="gelu_new")
    close(bert(theirs.state_dict(), 2, activation=tanh_gelu)(TEXT), theirs(TEXT).logits)


@torch.no_grad()
def test_the_weights_are_copies(make_gpt2):
    theirs = make_gpt2()
    ours = from_model(theirs)
    before = ours(TEXT)
    for parameter in theirs.parameters():
        parameter.data.zero_()
    close(ours(TEXT), before)


def test_every_loaded_parameter_can_learn(make_gpt2, make_bert):
    for theirs in (make_gpt2(tie_word_embeddings=False), make_bert()):
        ours = from_model(theirs)
        ours(TEXT).square().sum().backward()
        assert all(parameter.grad is not None for parameter in ours.parameters())


def test_names_that_do_not_fit(make_gpt2, make_bert):
    state = make_gpt2().state_dict()
    ln = state.pop("transformer.h.1.ln_1.bias")
    with pytest.raises(ValueError, match=r"missing: h\.1\.ln_1\.bias; unknown: none"):
        gpt2(state, 2)
    with pytest.raises(ValueError, match=r"missing: h\.1\.ln_1\.bias; unknown: h\.1\.ln_3\.bias, score\.weight"):
        gpt2(state | {"h.1.ln_3.bias": ln, "score.weight": ln}, 2)
    with pytest.raises(ValueError, match=r"expected h\.1\.ln_1\.bias of shape \[10\], got \[9\]"):
        gpt2(state | {"h.1.ln_1.bias": ln[:9]}, 2)
    with pytest.raises(ValueError, match="dim 10 and 3 heads"):
        gpt2(state | {"h.1.ln_1.bias": ln}, 3)
    for wrong in (gpt2, bert):
        with pytest.raises(ValueError, match=r"expected a matrix '.*' in the state, got only .*encoder\.w"):
            wrong({"encoder.w": torch.ones(2, 3)}, 2)
    state = make_bert().state_dict()
    for name in [name for name in state if name.startswith("cls.")]:
        del state[name]
    with pytest.raises(ValueError, match=r"missing: cls\.predictions\.transform\.dense\.weight, .*"):
        bert(state, 2)


def test_sizes_that_are_only_claimed_take_no_room(make_gpt2, make_bert, make_llama):
    """Half a megabyte of table and map stand for a block of 400 GB."""
    sizes = {"gpt2": ("wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight", gpt2)}
    sizes["bert"] = *(f"bert.embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")), bert
    sizes["llama"] = "model.embed_tokens.weight", "model.layers.0.mlp.gate_proj.weight", llama
    hidden = {"bert.encoder.layer.0.intermediate.dense.weight": torch.zeros(10**6, 1)}
    for *names, load in sizes.values():
        state = {name: torch.zeros(1, 10**5) for name in names} | hidden
        with pytest.raises(ValueError, match="missing: "):
            load(state, 2)


def test_configurations_that_are_damaged(make_gpt2, make_albert, tmp_path):
    make_gpt2().save_pretrained(tmp_path)
    whole = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    for wrong in ([], {**whole, "n_head": None}, {**whole, "n_head": "2"}, {"model_type": "gpt2"}, {1: 2}):
        (tmp_path / "config.json").write_text(json.dumps(wrong), encoding="utf-8")
        with pytest.raises(ValueError, match=r"^expected "):
            from_folder(tmp_path)
    make_albert().save_pretrained(tmp_path)
    whole = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps({**whole, "num_hidden_layers": 10**12}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"at most 1000 times, got num_hidden_layers = 1000000000000"):
        from_folder(tmp_path)


def test_what_ours_does_not_do(make_gpt2, make_bert, transformers):
    with pytest.raises(ValueError, match="scale_attn_by_inverse_layer_idx = False, got True"):
        from_model(make_gpt2(scale_attn_by_inverse_layer_idx=True))
    with pytest.raises(ValueError, match="expected one of gelu, gelu_new, gelu_pytorch_tanh, relu; got 'silu'"):
        from_model(make_gpt2(activation_function="silu"))
    with pytest.raises(ValueError, match="is_decoder = False, got True"):
        from_model(make_bert(is_decoder=True))
    with pytest.raises(ValueError, match="kind gpt2, bert, albert, llama, vit or dinov2, got Linear"):
        from_model(nn.Linear(2, 3))


@torch.no_grad()
def test_from_a_folder(make_gpt2, make_bert, make_vit, tmp_path):
    for theirs in (make_gpt2(), make_gpt2(tie_word_embeddings=False), make_bert()):
        theirs.save_pretrained(tmp_path)
        close(from_hub(str(tmp_path))(TEXT), theirs(TEXT).logits)
    theirs = make_vit()
    theirs.save_pretrained(tmp_path / "vit")
    close(from_hub(str(tmp_path / "vit"))(PICTURES), theirs(PICTURES).logits)


@torch.no_grad()
def test_the_hubs_encoders_have_no_output_map(make_bert, tmp_path):
    theirs = make_bert("BertModel")
    theirs.save_pretrained(tmp_path)
    close(from_hub(str(tmp_path))(TEXT), theirs(TEXT).last_hidden_state)


@torch.no_grad()
def test_from_a_folder_without_transformers(
    make_gpt2, make_bert, make_albert, make_llama, make_vit, make_dinov2, tmp_path
):
    made = {
        "gpt2": make_gpt2(),
        "bert": make_bert(),
        "encoder": make_bert("BertModel"),
        "albert": make_albert(),
        "llama": make_llama(),
        "vit": make_vit(),
        "dinov2": make_dinov2(),
    }
    for name, theirs in made.items():
        theirs.save_pretrained(tmp_path / name)
        ours, same = from_folder(tmp_path / name), from_model(theirs)
        assert repr(ours) == repr(same)
        for parameter, expected in zip(ours.parameters(), same.parameters(), strict=True):
            assert torch.equal(parameter, expected), name


def test_folders_that_are_none(make_bert, tmp_path):
    with pytest.raises(FileNotFoundError):
        from_folder(tmp_path)
    make_bert().save_pretrained(tmp_path)
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:-9])
    with pytest.raises(ValueError, match="expected whole safetensors files"):
        from_folder(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"has none; pytorch_model.bin and other pickles are not opened"):
        from_folder(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "mamba"}', encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(whole)
    with pytest.raises(ValueError, match="llama, vit or dinov2, got mamba"):
        from_folder(tmp_path)


def test_a_file_that_has_changed(tmp_path):
    (tmp_path / "file").write_bytes(b"attention")
    sha256 = hashlib.sha256(b"attention").hexdigest()
    check_hash(tmp_path / "file", sha256)
    assert checked_bytes(tmp_path / "file", sha256) == b"attention"
    for check in (check_hash, checked_bytes):
        with pytest.raises(ValueError, match=f"sha256 begins with 000000000000, got file with {sha256[:12]}"):
            check(tmp_path / "file", "0" * 64)


# LLaMA


@pytest.fixture
def make_llama(transformers):
    def make(**options):
        config = {
            "vocab_size": 23,
            "hidden_size": 24,
            "intermediate_size": 29,
            "num_hidden_layers": 3,
            "num_attention_heads": 6,
            "num_key_value_heads": 2,
            "max_position_embeddings": 5,
            "rms_norm_eps": 1e-5,
            "rope_theta": 100_000.0,
        }
        return shaken(transformers.LlamaForCausalLM(transformers.LlamaConfig(**config | options)))

    return make


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tie_word_embeddings": True},
        {"num_key_value_heads": 6},
        {"num_key_value_heads": 1},
        {"rope_theta": 500.0},
        {"rms_norm_eps": 0.5},
        {"num_hidden_layers": 11},
    ],
)
@torch.no_grad()
def test_llama_says_and_attends_to_the_same(make_llama, options):
    """The texts are longer than the positions that were made ready: the base must be kept."""
    theirs = make_llama(attn_implementation="eager", **options)
    ours = from_model(theirs)
    expected = theirs(TEXT, output_attentions=True)
    with record(ours) as trace:
        close(ours(TEXT), expected.logits)
    for block, weights in enumerate(expected.attentions):
        close(trace[f"blocks.{block}.attention"][0].weights, weights)
    assert (ours.output.weight is ours.embed.tokens.weight) == theirs.config.tie_word_embeddings
    caches = ours.caches()
    close(torch.cat([ours(piece, caches) for piece in TEXT.split(2, dim=1)], dim=1), expected.logits)


@torch.no_grad()
def test_llama_keeps_its_precision_and_is_a_copy(make_llama):
    theirs = make_llama().to(torch.bfloat16)
    ours = from_model(theirs)
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.bfloat16}
    before = ours(TEXT)
    for parameter in theirs.parameters():
        parameter.zero_()
    assert torch.equal(ours(TEXT), before)
    assert not any(parameter.is_meta for parameter in ours.parameters())


def test_llama_that_does_not_fit(make_llama):
    state = make_llama().state_dict()
    key = "model.layers.1.self_attn.k_proj.weight"
    with pytest.raises(ValueError, match=r"expected model.layers.1.self_attn.k_proj.weight with rows for a whole"):
        llama(state | {key: torch.ones(10, 24)}, 6)
    with pytest.raises(ValueError, match=r"missing: model\.layers\.1\.self_attn\.k_proj\.weight; unknown: none"):
        llama({name: tensor for name, tensor in state.items() if name != key}, 6)
    with pytest.raises(ValueError, match="kind 'default', got 'linear'"):
        from_model(make_llama(rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}))
    with pytest.raises(ValueError, match="attention_bias = False, got True"):
        from_model(make_llama(attention_bias=True))
    with pytest.raises(ValueError, match=r"expected a matrix 'model.embed_tokens.weight' in the state, got only x"):
        llama({"x": torch.ones(2)}, 2)


# Pictures


@pytest.fixture
def make_dinov2(transformers):
    def make(**options):
        config = {
            "hidden_size": 10,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "image_size": 6,
            "patch_size": 2,
            "num_channels": 2,
        }
        return shaken(transformers.Dinov2Model(transformers.Dinov2Config(**config | options)))

    return make


@pytest.mark.parametrize("options", [{}, {"layer_norm_eps": 0.5}, {"num_hidden_layers": 5, "num_attention_heads": 5}])
@torch.no_grad()
def test_dinov2_sees_and_attends_to_the_same(make_dinov2, options):
    theirs = make_dinov2(attn_implementation="eager", **options)
    ours = from_model(theirs)
    expected = theirs(PICTURES, output_attentions=True)
    with record(ours) as trace:
        close(ours(PICTURES), expected.last_hidden_state[:, 0])
    close(trace.tensor("norm/out"), expected.last_hidden_state)
    for block, weights in enumerate(expected.attentions):
        close(trace[f"blocks.{block}.attention"][0].weights, weights)


@torch.no_grad()
def test_dinov2_as_it_lies_in_files_and_for_other_sides(make_dinov2):
    theirs = make_dinov2()
    state = {f"dinov2.{name}": tensor for name, tensor in theirs.state_dict().items()}
    for older, newer in dino_in_files.items():
        state = {name.replace(newer, older): tensor for name, tensor in state.items()}
    assert "dinov2.encoder.layer.2.attention.attention.query.weight" in state
    close(dinov2(state, 2)(PICTURES), theirs(PICTURES).last_hidden_state[:, 0])
    larger = torch.randn(2, 2, 10, 10, generator=torch.Generator().manual_seed(1))
    close(dinov2(theirs.state_dict(), 2, side=5)(larger), theirs(larger).last_hidden_state[:, 0])
    with pytest.raises(ValueError, match=r"missing: layernorm\.bias; unknown: none"):
        dinov2({name: tensor for name, tensor in theirs.state_dict().items() if name != "layernorm.bias"}, 2)
    with pytest.raises(ValueError, match="use_swiglu_ffn = False, got True"):
        from_model(make_dinov2(use_swiglu_ffn=True))


PICTURES = torch.randn(3, 2, 6, 6, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def make_vit(transformers):
    def make(**options):
        config = {
            "hidden_size": 10,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "intermediate_size": 29,
            "image_size": 6,
            "patch_size": 2,
            "num_channels": 2,
            "num_labels": 7,
        }
        return shaken(transformers.ViTForImageClassification(transformers.ViTConfig(**config | options)))

    return make


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hidden_act": "relu"},
        {"layer_norm_eps": 0.5},
        {"num_hidden_layers": 11, "num_attention_heads": 5},
        {"patch_size": 3},
    ],
)
@torch.no_grad()
def test_vit_says_the_same(make_vit, options):
    theirs = make_vit(**options)
    ours = from_model(theirs)
    close(ours(PICTURES), theirs(PICTURES).logits)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())


@torch.no_grad()
def test_vit_attends_to_the_same(make_vit):
    theirs = make_vit(attn_implementation="eager")
    ours = from_model(theirs)
    with record(ours) as trace:
        ours(PICTURES)
    for block, weights in enumerate(theirs(PICTURES, output_attentions=True).attentions):
        close(trace[f"blocks.{block}.attention"][0].weights, weights)


@torch.no_grad()
def test_vit_as_it_lies_in_files(make_vit):
    theirs = make_vit()
    state = theirs.state_dict() | {
        "vit.embeddings.mask_token": torch.ones(1, 1, 10),
        "vit.pooler.dense.weight": torch.ones(10, 10),
    }
    for older, newer in reversed(IN_FILES.items()):
        state = {name.replace(newer, older): tensor for name, tensor in state.items()}
    assert "vit.encoder.layer.2.attention.attention.query.weight" in state
    assert "vit.encoder.layer.2.attention.output.dense.bias" in state
    assert "vit.encoder.layer.2.output.dense.bias" in state
    close(vit(state, heads=2)(PICTURES), theirs(PICTURES).logits)
    assert vit({k: v.double() for k, v in state.items()}, 2)(PICTURES.double()).dtype == torch.float64


def test_vit_names_that_do_not_fit(make_vit):
    state = make_vit().state_dict()
    kernel = "vit.embeddings.patch_embeddings.projection.weight"
    with pytest.raises(ValueError, match=r"missing: vit\.layernorm\.bias; unknown: none"):
        vit({name: tensor for name, tensor in state.items() if name != "vit.layernorm.bias"}, 2)
    with pytest.raises(ValueError, match=r"missing: vit\.embeddings\.cls_token; unknown: none"):
        vit({name: tensor for name, tensor in state.items() if name != "vit.embeddings.cls_token"}, 2)
    with pytest.raises(ValueError, match=r"expected a convolution .*projection\.weight.*, got only classifier\.w"):
        vit({"classifier.w": torch.ones(2, 3)}, 2)
    with pytest.raises(ValueError, match=r"expected a convolution .*, got shape \[10, 8\]"):
        vit(state | {kernel: torch.ones(10, 8)}, 2)
    with pytest.raises(ValueError, match=r"qkv_bias = True, got False"):
        from_model(make_vit(qkv_bias=False))


def test_the_hub_out_of_reach(transformers, monkeypatch, tmp_path):
    def fail(name):
        raise OSError("no route to host")

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", fail)
    with pytest.raises(OSError, match=r"'gpt2' could not be loaded: .* network.* no route to host"):
        from_hub("gpt2")
    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", lambda name: transformers.T5Config())
    with pytest.raises(ValueError, match="expected one of gpt2, bert, albert, llama, vit, dinov2; got 't5'"):
        from_hub("t5-small")


@torch.no_grad()
def test_on_every_device(make_gpt2, make_bert, make_vit, device):
    for theirs, given in ((make_gpt2(), TEXT), (make_bert(), TEXT), (make_vit(), PICTURES)):
        expected = theirs(given).logits
        got = from_model(theirs.to(device)).to(device)(given.to(device))
        assert got.device.type == device.type
        close(got.cpu(), expected)


def test_no_room_is_made_for_as_many_places_as_a_file_only_claims(make_llama):
    model = llama(make_llama().state_dict(), 6, longest=10**6)
    assert model.longest == 10**6
    assert len(model.blocks[0].attention.positions.waves.table) <= 512
