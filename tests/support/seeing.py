"""Small models that see, and what they are shown, for the tests of the machines that draw them."""

import torch
from shaken import shaken

from attnlab.positions import POSITIONS
from attnlab.tasks.base import EOS
from attnlab.tasks.digits import Digits, split
from attnlab.tasks.scenes import Scenes
from attnlab.trained import CANVAS, glimpses
from attnlab.training import seeded
from attnlab.vision import Captioner, FixedCaptioner, HardCaptioner
from attnlab.vision.feature_map_attention import FeatureMapAttention
from attnlab.vision.small_cnn import PlaceReader, pointwise
from attnlab.vision.vit import vit
from widgets.explorers.l13_seeing.captioner_machine import FIXED, HARD, SOFT

DIGITS = Digits(*(part[:7] for part in split()[1]))
CANVASES = CANVAS.unseen(40, torch.Generator().manual_seed(14))
LOOKING = glimpses().model
TASK = Scenes(size=20, tests=3)


def a_vit(heads=2, layers=2, place="learned"):
    """A ViT whose class token and positions are as large as if they were trained."""
    with seeded(0):
        return shaken(vit(28, size=7, dim=8, heads=heads, layers=layers, place=POSITIONS[place]))


def place_readers():
    """What says, of each place of a picture, something of the others; by name, a list of one each."""
    with seeded(0):
        found = {
            "self-attention": PlaceReader(FeatureMapAttention(6, 5), 6),
            "no attention": PlaceReader(pointwise(6, 10), 6),
        }
    found["self-attention"][5].gain.data.fill_(1.5)
    return {name: [one.eval()] for name, one in found.items()}


def captioners():
    with seeded(3):
        made = {}
        for name, kind in ((SOFT, Captioner), (HARD, HardCaptioner), (FIXED, FixedCaptioner)):
            made[name] = kind(len(TASK.vocabulary), hidden=16).eval()
            torch.nn.init.constant_(made[name].decoder.output.bias[EOS : EOS + 1], -1.0)
    return made
