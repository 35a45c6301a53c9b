"""Two models for the tests of lesson 08: one whose heads are known, because they were set by hand, and a small GPT."""

import pytest
import torch
from torch import nn

from attnlab import MultiHeadAttention
from attnlab.analysis.heads.head_patterns import back
from attnlab.tasks import TAGGINGS, Text
from attnlab.training import seeded
from attnlab.transformer import gpt


class Namer(nn.Module):
    """Two heads that look exactly one and two back, and maps that hand on what they find: nothing is learned."""

    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(64, heads=2)
        self.code = torch.cat([torch.eye(16), torch.zeros(16, 48)], dim=1)

    def forward(self, letters):
        count = letters.shape[1]
        x = self.code[letters].clone()
        x[:, torch.arange(count), 16 + torch.arange(count)] = 1
        return self.attention(x).unflatten(-1, (2, 32))[..., :16]


@pytest.fixture(scope="session")
def patterns():
    return {f"{steps} before": back(steps) for steps in range(5)}


@pytest.fixture(scope="session")
def letters():
    task = TAGGINGS["last letters"](2)
    model = Namer()
    for part in (model.attention.query, model.attention.key, model.attention.value, model.attention.output):
        part.weight.data.zero_()
        part.bias.data.zero_()
    places = torch.arange(16)
    for head in range(2):
        model.attention.query.weight.data[32 * head + places, 16 + places] = 200.0
        later = places + head + 1
        model.attention.key.weight.data[32 * head + later, 16 + places] = 1.0
        model.attention.value.weight.data[32 * head + places, places] = 1.0
    model.attention.output.weight.data[:] = torch.eye(64)
    return model, task, task.batch(20, 8, torch.Generator().manual_seed(0))


@pytest.fixture(scope="session")
def reader():
    text = Text.from_string("the cat sat on the mat, and the dog sat on the cat. " * 40)
    with seeded(0):
        model = gpt(len(text.vocabulary), 16, heads=2, layers=2, longest=24)
    return model, text, text.test(24, 5)
