"""For all tests: one thread each, as in the lessons, and helpers of this folder importable from the folders below."""

import torch

torch.set_num_threads(1)
