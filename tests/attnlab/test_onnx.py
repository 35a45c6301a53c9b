"""ONNX: files written here, field by field; tensors come under torch's names, and damage is told."""

import random

import numpy as np
import pytest
import torch

from attnlab.onnx import ONNX


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, array, kind=1, packed=False, numbers=9):
    sizes = b"".join(map(varint, array.shape)) if packed else None
    shape = field(1, sizes) if packed else b"".join(field(1, size) for size in array.shape)
    return field(5, shape + field(2, kind) + field(8, name) + field(numbers, array.tobytes()))


def product(path, by, operation="MatMul"):
    return field(1, field(1, "x") + field(1, by) + field(2, "y") + field(3, path) + field(4, operation))


def write(path, *graph):
    path.write_bytes(field(1, 8) + field(2, "pytorch") + field(7, b"".join(graph)) + field(8, field(2, 17)))
    return ONNX(path)


def numbers(*shape, kind=np.float32):
    return np.random.default_rng(0).normal(size=shape).astype(kind)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.onnx"


@pytest.mark.parametrize(("kind", "dtype"), [(1, np.float32), (10, np.float16), (11, np.float64)])
@pytest.mark.parametrize("packed", [False, True])
def test_tensors_by_name(path, kind, dtype, packed):
    first, second = numbers(200, 3, kind=dtype), numbers(5, kind=dtype)
    file = write(path, tensor("norm.weight", first, kind, packed), tensor("norm.bias", second, kind, packed))
    assert list(file) == ["norm.weight", "norm.bias"]
    assert file["norm.weight"].dtype == torch.float32
    np.testing.assert_allclose(file["norm.weight"].numpy(), first.astype(np.float32))
    np.testing.assert_allclose(file["norm.bias"].numpy(), second.astype(np.float32))
    assert repr(file) == "ONNX(model.onnx, 2 tensors)"


def test_numbers_that_stand_in_the_message_itself(path):
    array = numbers(4, 2)
    np.testing.assert_array_equal(write(path, tensor("a", array, numbers=4))["a"].numpy(), array)


def test_the_map_of_a_linear_layer_gets_its_name_and_its_form_back(path):
    turned, other, table = numbers(3, 5), numbers(2, 2), numbers(4, 3)
    file = write(
        path,
        product("/encoder/layer.0/query/MatMul", "onnx::MatMul_7"),
        product("/encoder/places/Add", "onnx::Add_9", operation="Add"),
        product("/scores/MatMul", "table"),
        tensor("onnx::MatMul_7", turned),
        tensor("onnx::Add_9", other),
        tensor("table", table),
    )
    assert set(file) == {"encoder.layer.0.query.weight", "onnx::Add_9", "table"}
    np.testing.assert_array_equal(file["encoder.layer.0.query.weight"].numpy(), turned.T)
    np.testing.assert_array_equal(file["table"].numpy(), table)
    layer = torch.nn.Linear(3, 5, bias=False)
    layer.load_state_dict({"weight": file["encoder.layer.0.query.weight"]})
    x = numbers(2, 3)
    np.testing.assert_allclose(layer(torch.from_numpy(x)).detach().numpy(), x @ turned, rtol=1e-5, atol=1e-6)


def test_a_file_that_was_cut_anywhere(path):
    write(path, product("/a/MatMul", "onnx::MatMul_1"), tensor("onnx::MatMul_1", numbers(9, 20)))
    whole = path.read_bytes()
    for size in range(len(whole) - 5):  # its last five bytes say the version, and nothing asks for it
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"whole ONNX file; model.onnx is of another kind, or was cut: fetch it"):
            ONNX(path)


def test_a_size_that_never_ends(path):
    """The bytes of the last size say that more follow, and none do."""
    with pytest.raises(ValueError, match="expected a whole ONNX file"):
        write(path, field(5, field(2, 1) + field(8, "a") + field(1, b"\x03\xff")))
    path.write_bytes(field(7, field(5, field(8, "a") + field(1, b"\x03\xff"))))
    with pytest.raises(ValueError, match="expected a whole ONNX file"):
        ONNX(path)


@pytest.mark.parametrize("content", [b"", b"GGUF" * 9, b"\x80\x02}q\x00." * 9, b"\xff" * 64, bytes(64), field(7, 3)])
def test_a_file_of_another_kind(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="expected a whole ONNX file"):
        ONNX(path)


def test_bytes_that_were_changed_at_random(path):
    """Tensors, or a sentence."""
    write(
        path, product("/a/MatMul", "onnx::MatMul_1"), tensor("onnx::MatMul_1", numbers(2, 3)), tensor("b", numbers(4))
    )
    whole, draw, told = path.read_bytes(), random.Random(0), 0
    for _ in range(200):
        changed = bytearray(whole)
        for _ in range(draw.choice([1, 2, 5])):
            changed[draw.randrange(len(whole))] = draw.choice([0, 1, 255, draw.randrange(256)])
        path.write_bytes(changed)
        try:
            file = ONNX(path)
            assert [file[name].numel() for name in file]
        except ValueError:
            told += 1
    assert 80 < told < 200


def test_a_product_by_more_than_a_matrix(path):
    with pytest.raises(ValueError, match=r"expected a matrix for a.weight in model.onnx, got \[2, 3, 4\]"):
        write(path, product("/a/MatMul", "onnx::MatMul_1"), tensor("onnx::MatMul_1", numbers(2, 3, 4)))


def test_no_file(path):
    with pytest.raises(FileNotFoundError):
        ONNX(path)


def test_numbers_that_are_no_floats_or_stand_elsewhere(path):
    whole = np.arange(4, dtype=np.int64)
    file = write(path, tensor("sizes", whole, 7), tensor("far", numbers(0)), field(5, field(1, 3) + field(8, "none")))
    with pytest.raises(ValueError, match=r"4 floats .* in model.onnx itself; sizes has numbers of kind 7 in 32"):
        file["sizes"]
    assert file["far"].shape == (0,)
    with pytest.raises(ValueError, match="none has numbers of kind 0 in 0 bytes"):
        file["none"]
    with pytest.raises(KeyError):
        file["other"]


def test_a_product_of_one_factor_names_nothing(path):
    assert list(write(path, field(1, field(1, "x") + field(4, "MatMul")), tensor("a", numbers(2)))) == ["a"]


def test_a_number_of_more_than_64_bits(path):
    with pytest.raises(ValueError, match="expected a whole ONNX file"):
        write(path, field(5, field(2, 2**70) + field(8, "a")))


def test_numbers_of_a_fixed_width_are_stepped_over(path):
    fixed = varint(99 << 3 | 1) + b"\xff" * 8 + varint(98 << 3 | 5) + b"\xff" * 4
    assert list(write(path, fixed, tensor("a", numbers(2)))) == ["a"]
