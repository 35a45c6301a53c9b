"""Small models that see, and what they are shown, for the tests of the machines that draw them."""

import torch

from attnlab.positions import POSITIONS
from attnlab.tasks.base import EOS
from attnlab.tasks.digits import Digits, split
from attnlab.tasks.scenes import Scenes
from attnlab.trained import CANVAS, glimpses
from attnlab.vision import Captioner, FixedCaptioner, HardCaptioner
from attnlab.vision.vit import vit
from widgets.explorers.l13_seeing.captioner_machine import FIXED, HARD, SOFT

DIGITS = Digits(*(part[:7] for part in split()[1]))
CANVASES = CANVAS.unseen(40, torch.Generator().manual_seed(14))
LOOKING = glimpses().model
TASK = Scenes(size=20, tests=3)


def a_vit(heads=2, layers=2, place="learned"):
    """A ViT whose class token and positions are as large as if they were trained."""
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        model = vit(28, size=7, dim=8, heads=heads, layers=layers, place=POSITIONS[place])
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn(parameter.shape)
    return model


def captioners():
    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        made = {}
        for name, kind in ((SOFT, Captioner), (HARD, HardCaptioner), (FIXED, FixedCaptioner)):
            made[name] = kind(len(TASK.vocabulary), hidden=16).eval()
            torch.nn.init.constant_(made[name].decoder.output.bias[EOS : EOS + 1], -1.0)
    return made
