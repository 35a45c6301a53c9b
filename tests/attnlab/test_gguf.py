"""GGUF: files written here, number by number; what is read is what the format says, and damage is told."""

import random
import struct
from math import prod

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from attnlab.gguf import GGUF, gguf_llama, gguf_tokenizer

KINDS = {int: (4, "I"), float: (6, "f"), bool: (7, "?")}


def text(words):
    return struct.pack("<Q", len(words.encode())) + words.encode()


def value(x):
    if isinstance(x, str):
        return struct.pack("<I", 8) + text(x)
    if isinstance(x, list):
        return struct.pack("<IIQ", 9, 8, len(x)) + b"".join(map(text, x))
    kind, form = KINDS[type(x)]
    return struct.pack(f"<I{form}", kind, x)


def packed(array, kind):
    """The bytes of an array, and the numbers that they stand for."""
    if kind in (0, 1):
        as_is = array.astype([np.float32, np.float16][kind])
        return as_is.tobytes(), as_is.astype(np.float32)
    out, numbers = b"", []
    for block in array.reshape(-1, 32):
        if kind == 8:  # a scale, then 32 whole numbers of 8 bits
            scale = np.float16(np.abs(block).max() / 127)
            whole = np.round(block / float(scale)).astype(np.int8)
            out += scale.tobytes() + whole.tobytes()
            numbers += [float(scale) * int(q) for q in whole]
        else:  # a scale, the least, then 16 bytes: the low halves are numbers 0 to 15, the high ones 16 to 31
            least, scale = np.float16(block.min()), np.float16((block.max() - block.min()) / 15)
            whole = np.clip(np.round((block - float(least)) / float(scale)), 0, 15).astype(np.uint8)
            out += scale.tobytes() + least.tobytes() + bytes(int(whole[i]) | int(whole[i + 16]) << 4 for i in range(16))
            numbers += [float(scale) * int(q) + float(least) for q in whole]
    return out, np.array(numbers, np.float32).reshape(array.shape)


def write(path, tensors, version=3, magic=b"GGUF", **metadata):
    """A file; `tensors` {name: (array, kind)}. Returns what should be read."""
    header = magic + struct.pack("<IQQ", version, len(tensors), len(metadata))
    header += b"".join(text(name.replace("__", ".")) + value(x) for name, x in metadata.items())
    data, expected = b"", {}
    for name, (array, kind) in tensors.items():
        raw, expected[name] = packed(array, kind) if kind in (0, 1, 3, 8) else (b"\0" * prod(array.shape), None)
        header += text(name) + struct.pack("<I", array.ndim)
        header += struct.pack(f"<{array.ndim}Q", *array.shape[::-1]) + struct.pack("<IQ", kind, len(data))
        data += raw + b"\0" * (-len(raw) % 32)
    path.write_bytes(header + b"\0" * (-len(header) % 32) + data)
    return expected


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("kind", [0, 1, 3, 8])
def test_every_packing(tmp_path, kind):
    array = numbers(3, 64)
    expected = write(tmp_path / "a.gguf", {"first": (numbers(5), 0), "second": (array, kind)}, general__name="x", n=7)
    file = GGUF(tmp_path / "a.gguf")
    assert list(file) == ["first", "second"]
    assert file["second"].shape == (3, 64)
    np.testing.assert_allclose(file["second"].numpy(), expected["second"], rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(file["first"].numpy(), expected["first"])
    assert np.abs(file["second"].numpy() - array).max() < {0: 1e-9, 1: 2e-3, 3: 0.3, 8: 0.03}[kind]
    assert file.metadata == {"general.name": "x", "n": 7}
    assert repr(file) == "GGUF(a.gguf, 2 tensors)"


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "a.gguf"
    with pytest.raises(FileNotFoundError):
        GGUF(path)
    for content in (b"", b"PK\3\4 and more"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"begins with the letters GGUF; a.gguf does not"):
            GGUF(path)
    write(path, {}, version=1)
    with pytest.raises(ValueError, match=r"version 2 or 3, a.gguf has 1"):
        GGUF(path)
    write(path, {"x": (numbers(2, 64), 14)})
    with pytest.raises(ValueError, match=r"packed as F32, F16, Q4_1, Q8_0; x in a.gguf is packed as Q6_K"):
        GGUF(path)["x"]


def test_a_file_cut_anywhere_is_told(tmp_path):
    path = tmp_path / "a.gguf"
    write(path, {"x": (numbers(2, 64), 8), "y": (numbers(3), 0)}, words=["a", "bc"], n=1)
    whole = path.read_bytes()
    GGUF(path)
    end = len(whole) - 20  # the last tensor has 12 bytes, then 20 to fill a line up
    for length in [*range(4, end, 7), end - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"expected a whole file, but a.gguf has \d+ bytes .*: it was cut; fetch"):
            GGUF(path)


def test_tensors_that_share_their_bytes(tmp_path):
    """A thousand names for one tensor would ask for a thousand times its room."""
    path = tmp_path / "a.gguf"
    write(path, {"x": (numbers(64, 64), 0), "y": (numbers(64, 64), 0)})
    whole, entry = path.read_bytes(), [struct.pack("<QQIQ", 64, 64, 0, offset) for offset in (0, 64 * 64 * 4)]
    assert whole.count(entry[1]) == 1
    path.write_bytes(whole.replace(entry[1], entry[0])[: -64 * 64 * 4])
    with pytest.raises(ValueError, match=r"tensors beside each other, those of a.gguf share their bytes"):
        GGUF(path)


HEADS, SIZE, SHARED = 4, 8, 2


def model_file(path, more=None, **changes):
    """A tiny model of the kind llama; returns it as transformers would name and turn it."""
    dim = HEADS * SIZE
    shapes = {"attn_q": (dim, dim), "attn_k": (SHARED * SIZE, dim), "attn_v": (SHARED * SIZE, dim)}
    shapes |= {"attn_output": (dim, dim), "ffn_gate": (64, dim), "ffn_up": (64, dim), "ffn_down": (dim, 64)}
    tensors = {"token_embd.weight": (numbers(11, dim), 8), "output_norm.weight": (numbers(dim, seed=1), 0)}
    for block in range(2):
        for i, (name, shape) in enumerate(shapes.items()):
            tensors[f"blk.{block}.{name}.weight"] = numbers(*shape, seed=10 * block + i), 3
        for i, name in enumerate(("attn_norm", "ffn_norm")):
            tensors[f"blk.{block}.{name}.weight"] = numbers(dim, seed=50 + 10 * block + i), 0
    about = {
        "general__architecture": "llama",
        "llama__attention__head_count": HEADS,
        "llama__embedding_length": dim,
        "llama__rope__freq_base": 50_000.0,
        "llama__attention__layer_norm_rms_epsilon": 0.25,
        "llama__context_length": 16,
    }
    return write(path, tensors | (more or {}), **about | changes)


@torch.no_grad()
def test_a_model_turns_its_pairs_as_they_stand_in_the_file(tmp_path):
    """The file's queries and keys are used as they are: their pairs are neighbours already."""
    expected = {name: torch.from_numpy(array) for name, array in model_file(tmp_path / "m.gguf").items()}
    model = gguf_llama(GGUF(tmp_path / "m.gguf")).eval()
    for block in range(2):
        attention = model.blocks[block].attention
        torch.testing.assert_close(attention.query.weight.detach(), expected[f"blk.{block}.attn_q.weight"])
        keys = expected[f"blk.{block}.attn_k.weight"].unflatten(0, (SHARED, SIZE))
        torch.testing.assert_close(attention.key.weight.unflatten(0, (HEADS, SIZE)), keys[[0, 0, 1, 1]])
        assert not attention.value.bias.any()
    assert model.output.weight is model.embed.tokens.weight
    assert model.longest == 16
    assert model.norm.epsilon == 0.25
    assert model.blocks[0].attention.positions.waves.base == 50_000
    assert model(torch.tensor([[1, 2, 3]])).isfinite().all()
    assert gguf_llama(GGUF(tmp_path / "m.gguf"), longest=5).longest == 5


@torch.no_grad()
def test_it_says_what_transformers_says(tmp_path):
    """Of the same tensors, whose rows llama.cpp has turned."""
    expected = model_file(tmp_path / "m.gguf")
    names = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj"}
    names |= {"attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj"}
    names |= {"ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
    state = {
        "model.embed_tokens.weight": expected["token_embd.weight"],
        "model.norm.weight": expected["output_norm.weight"],
    }
    for name, array in expected.items():
        if name.startswith("blk"):
            _, block, part, _ = name.split(".")
            if part in ("attn_q", "attn_k"):  # rows 0 2 4 6 1 3 5 7 of each head
                order = [
                    8 * (row // 8) + (2 * (row % 8) if row % 8 < 4 else 2 * (row % 8) - 7) for row in range(len(array))
                ]
                array = array[order]
            state[f"model.layers.{block}.{names[part]}.weight"] = array
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    sizes = {"vocab_size": 11, "hidden_size": HEADS * SIZE, "intermediate_size": 64, "num_hidden_layers": 2}
    shared = {"num_attention_heads": HEADS, "num_key_value_heads": SHARED, "rms_norm_eps": 0.25}
    theirs = LlamaForCausalLM(
        LlamaConfig(**sizes, **shared, rope_theta=50_000.0, bos_token_id=0, eos_token_id=0)
    ).eval()
    theirs.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})
    tokens = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]])
    ours = gguf_llama(GGUF(tmp_path / "m.gguf"))
    torch.testing.assert_close(ours(tokens), theirs(tokens).logits, atol=1e-4, rtol=1e-4)


def test_a_model_of_another_kind(tmp_path):
    model_file(tmp_path / "m.gguf", general__architecture="gemma")
    with pytest.raises(ValueError, match=r"kind llama, m.gguf has 'gemma'"):
        gguf_llama(GGUF(tmp_path / "m.gguf"))


def test_stretched_rotary_frequencies(tmp_path):
    stretched = {"rope_freqs.weight": (np.array([1.0, 1.0, 4.0, 8.0], dtype=np.float32), 0)}
    for about, more in [({"llama__rope__scaling__type": "linear"}, {}), ({}, stretched)]:
        model_file(tmp_path / "m.gguf", more=more, **about)
        with pytest.raises(ValueError, match=r"expected rotary frequencies as they are, m\.gguf has them stretched, "):
            gguf_llama(GGUF(tmp_path / "m.gguf"))
    same = {"rope_freqs.weight": (np.ones(4, dtype=np.float32), 0)}
    model_file(tmp_path / "m.gguf", more=same, llama__rope__scaling__type="none")
    gguf_llama(GGUF(tmp_path / "m.gguf"))


@pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered")
def test_bytes_that_were_changed_at_random(tmp_path):
    """A model, or a sentence."""
    path, draw, told = tmp_path / "m.gguf", random.Random(0), 0
    model_file(path)
    whole = path.read_bytes()
    for _ in range(200):
        changed = bytearray(whole)
        for _ in range(draw.choice([1, 2, 5])):
            changed[draw.randrange(4, 1800)] = draw.choice([0, 1, 255, draw.randrange(256)])
        path.write_bytes(changed)
        try:
            gguf_llama(GGUF(path))
        except ValueError:
            told += 1
    assert 100 < told < 200


def test_a_tokenizer(tmp_path):
    letters = [*"abcdefgh 0123456789".replace(" ", "Ġ")]
    about = {"tokenizer__ggml__tokens": [*letters, "ab", "Ġab"], "tokenizer__ggml__merges": ["a b", "Ġ ab"]}
    write(tmp_path / "t.gguf", {}, tokenizer__ggml__model="gpt2", tokenizer__ggml__pre="smollm", **about)
    tokenizer = gguf_tokenizer(GGUF(tmp_path / "t.gguf"))
    found = tokenizer.encode("ab ab12")
    assert found.tokens == ["ab", "Ġab", "1", "2"]
    assert tokenizer.decode(found.ids) == "ab ab12"
    write(tmp_path / "t.gguf", {}, tokenizer__ggml__model="llama", **about)
    with pytest.raises(ValueError, match=r"kind gpt2, smollm, t.gguf has \['llama', None\]"):
        gguf_tokenizer(GGUF(tmp_path / "t.gguf"))


def test_tensors_begin_where_the_alignment_of_the_file_says(tmp_path):
    path, array = tmp_path / "a.gguf", numbers(16)
    write(path, {"x": (array, 0)}, general__alignment=256)
    header, data = path.read_bytes()[:-64], path.read_bytes()[-64:]
    assert len(header) % 256
    path.write_bytes(header + b"\0" * (-len(header) % 256) + data)
    np.testing.assert_array_equal(GGUF(path)["x"].numpy(), array)


def test_version_2_is_read_as_well(tmp_path):
    write(tmp_path / "a.gguf", {"x": (numbers(5), 0)}, version=2)
    np.testing.assert_array_equal(GGUF(tmp_path / "a.gguf")["x"].numpy(), numbers(5))


def test_digits_are_taken_one_by_one(tmp_path):
    kinds = {"tokenizer__ggml__model": "gpt2", "tokenizer__ggml__pre": "smollm"}
    pairs = {"tokenizer__ggml__tokens": ["1", "2", "12"], "tokenizer__ggml__merges": ["1 2"]}
    write(tmp_path / "a.gguf", {}, **kinds, **pairs)
    assert gguf_tokenizer(GGUF(tmp_path / "a.gguf")).encode("12").tokens == ["1", "2"]
